# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# lib.sh - what the scripts of bench/ share; sourced.
#
#   ROOT     the source tree      RADDLE   the command that was built (B=DIR: the build directory)
#   WORK     a temporary directory, made by bench_begin and removed at the end unless KEEP is set

set -u
export LC_ALL=C
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${B:-build}
case $BUILD in /*) ;; *) BUILD=$ROOT/$BUILD ;; esac
RADDLE=${RADDLE:-$BUILD/raddle}
RESULTS=${RESULTS:-$ROOT/bench/RESULTS.md}
SCRIPT=bench/$(basename "$0")

have() { command -v "$1" >/dev/null 2>&1; }

# cxx_of gcc -> g++, clang -> clang++
cxx_of()
{
    case $1 in *clang*) echo "${1/clang/clang++}" ;; *) echo "${1/gcc/g++}" ;; esac
}

say() { echo "$SCRIPT: $*" >&2; }

# die SENTENCE: bad input or a broken set-up.
die()
{
    say "$*"
    exit 1
}

# is_number TEXT: a whole number above 0 that fits.
is_number()
{
    case $1 in '' | 0* | *[!0-9]*) return 1 ;; esac
    [ ${#1} -le 9 ]
}

bench_begin()
{
    [ -x "$RADDLE" ] || die "there is no $RADDLE: run make first"
    # Settings of the user's must not change what is measured.
    unset "${!RADDLE_@}"
    WORK=$(mktemp -d "${TMPDIR:-/tmp}/raddle-bench-XXXXXX") || exit 1
    trap bench_end EXIT
}

bench_end()
{
    if [ -n "${KEEP:-}" ]; then say "kept $WORK"; else rm -rf "$WORK"; fi
}

# json_at FILE PATH: the value at a path of names such as coverage.families.idiom.covered.
json_at()
{
    awk -v path="$2" '
        match($0, /"[^"]+":/) {
            depth = (RSTART - 1) / 2
            stack[depth] = substr($0, RSTART + 1, RLENGTH - 3)
            here = stack[1]
            for (i = 2; i <= depth; i++) here = here "." stack[i]
            if (here == path) { sub(/^[^:]*: */, ""); sub(/,$/, ""); print; exit }
        }' "$1"
}

# shellcheck disable=SC2034 # for scripts that source this
# awk: spread(list, n, format) -> "median (smallest–largest)".
STATISTICS='
    function spread(list, n, format,    i, j, swap, median) {
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && list[j - 1] > list[j]; j--) { swap = list[j]; list[j] = list[j - 1]; list[j - 1] = swap }
        median = n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
        return sprintf(format " (" format "–" format ")", median, list[1], list[n])
    }'

# What a reader of the numbers must know about the machine, and no more.
bench_machine()
{
    local cpu kernel
    cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
    kernel=$(uname -sr | sed -n 's/^\([A-Za-z]* [0-9]*\.[0-9]*\).*/\1/p')
    echo "$(nproc) cores (${cpu:-$(uname -m)}), ${kernel:-$(uname -s)}, gcc $(gcc -dumpfullversion)"
}

# results_record SECTION COMMAND <TEXT: puts the text into its section of RESULTS.md, between the two comments that mark it.  The
# other sections stay as they are; a section that is not there yet is added at the end.
results_record()
{
    local text=$WORK/.section file=$WORK/.results
    {
        echo "<!-- begin $1 -->"
        printf "Made by \`%s\` on %s.\n\n" "$2" "$(bench_machine)"
        cat
        echo "<!-- end $1 -->"
    } >"$text"
    [ -f "$RESULTS" ] || echo "# Results" >"$RESULTS" || return 1
    grep -Fqx -e "<!-- begin $1 -->" "$RESULTS" || printf '\n## %s\n\n<!-- begin %s -->\n<!-- end %s -->\n' "$1" "$1" "$1" >>"$RESULTS"
    awk -v section="$1" -v text="$text" '
        $0 == "<!-- begin " section " -->" { inside = 1; while ((getline line <text) > 0) print line }
        !inside { print }
        $0 == "<!-- end " section " -->" { inside = 0 }' "$RESULTS" >"$file" && cat "$file" >"$RESULTS"
}
