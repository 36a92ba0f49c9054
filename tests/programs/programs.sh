# SPDX-License-Identifier: MIT
#
# programs.sh - what the tests over must-find/ and must-not-report/ share; sourced after lib.sh.
#
# DESIGN
#   A program says in its head what is expected of it, one item a line:
#     // expect: KIND            what a run shows: names of failure kinds, `a|b` for either, or `none`
#     // find: STRATEGY within N (must-find) from every seed of 1..5, the strategy finds it in at most N schedules
#     // cause: PATTERN          (must-find) what the bug is, as docs/patterns.md has it; several lines: any of them
#     // rows: LINES             (cases) lines that have a row in the story
#     // says: REGEX             (cases) what the sentence about what went wrong says
#     // build: FLAGS            further compiler flags
#     // run: OPTIONS            (must-find) further options of `raddle run`
#     // tsan: no (WHY)          ThreadSanitizer is known to be wrong about it
#     // reused: yes             (restart) its process is used again; or `not after CALL`, which `raddle run -v` names
#     // repeats: no (WHY)       what happens does not depend on the schedule alone
#   correct/ has programs of one behaviour each, for must-not-report.test alone.
#   `variants` lists more tests made from the same sources, or from those of bench/programs.  Half of the programs are built with gcc, half with clang, by a
#   checksum of the name, so that a program always meets the same compiler.

PROGRAMS=$ROOT/tests/programs

# Names of all tests of a folder, variants included.
program_names()
{
    (cd "$PROGRAMS/$1" && ls -- *.c *.cc 2>/dev/null) | sed 's/\.[a-z]*$//'
    awk -F'|' -v folder="$1" '$1 !~ /^#/ && NF >= 4 {
        gsub(/ /, "", $1); gsub(/ /, "", $4)
        if (folder == ($4 == "none" ? "must-not-report" : "must-find")) print $1 }' "$PROGRAMS/variants"
}

# Names of those of must-find whose cause must be found.
program_causes()
{
    (cd "$PROGRAMS/must-find" && grep -l '^// cause:' -- *.c *.cc) | sed 's/\.[a-z]*$//'
    sed -n 's/^\([a-z0-9_]*\) *|.*| *cause *$/\1/p' "$PROGRAMS/variants"
}

# program_variant NAME FIELD: a column of `variants`, empty if there is no such line.
program_variant()
{
    awk -F'|' -v name="$1" -v field="$2" '$1 !~ /^#/ { n = $1; gsub(/ /, "", n)
        if (n == name) { f = $field; sub(/^ */, "", f); sub(/ *$/, "", f); print f } }' "$PROGRAMS/variants"
}

# program_source FOLDER NAME
program_source()
{
    local source
    source=$(program_variant "$2" 2)
    if [ -n "$source" ]; then
        echo "$PROGRAMS/$1/$source"
    elif [ -f "$PROGRAMS/$1/$2.cc" ]; then
        echo "$PROGRAMS/$1/$2.cc"
    else
        echo "$PROGRAMS/$1/$2.c"
    fi
}

# program_says SOURCE ITEM: what the head says about it, one line each.
program_says()
{
    sed -n "s,^// $2: *,,p" "$1"
}

# program_finds NAME SOURCE: lines "STRATEGY N".
program_finds()
{
    local lines
    lines=$(program_variant "$1" 4 | tr ';' '\n')
    [ -n "$lines" ] || lines=$(program_says "$2" find)
    sed -n 's/^ *\([a-z]*\) within \([0-9]*\) *$/\1 \2/p' <<<"$lines"
}

program_compiler()
{
    if [ $(($(printf %s "$1" | cksum | cut -d' ' -f1) % 2)) -eq 0 ] && have clang; then echo clang; else echo gcc; fi
}

# program_build FOLDER NAME OUTPUT [MORE FLAGS]: with the wrapper, optimised a little, as a user's debug build might be.  What it made without more
# flags is kept in $BUILD/programs for the other tests.
program_build()
{
    local source kept=$BUILD/programs/$1/$2
    source=$(program_source "$1" "$2")
    if [ $# -gt 3 ]; then
        program_compile "$@"
    elif program_is_kept "$kept" "$source"; then
        cp "$kept" "$3"
    elif program_compile "$@"; then
        mkdir -p "${kept%/*}" && cp "$3" "$kept.$$" && mv "$kept.$$" "$kept"
    fi
}

# program_is_kept FILE SOURCE: it was built from the source as it is, by raddle as it is.
program_is_kept()
{
    local part
    [ -f "$1" ] || return
    for part in "$2" "$PROGRAMS"/*.h "$PROGRAMS/programs.sh" "$PROGRAMS/variants" "$ROOT"/bench/programs/*.h "$RADDLE" "$BUILD/lib"/*; do
        [ "$1" -nt "$part" ] || return
    done
}

program_compile()
{
    local source compiler flags
    source=$(program_source "$1" "$2")
    compiler=$(program_compiler "$2")
    flags="-g -O1 -Wall -Wextra -pthread $(program_says "$source" build) $(program_variant "$2" 3)"
    # shellcheck disable=SC2086
    case $source in
    *.cc) RADDLE_CC=$compiler RADDLE_CXX=$(cxx_of "$compiler") "$RADDLE" c++ -std=c++17 $flags "$source" "${@:4}" -o "$3" ;;
    *) RADDLE_CC=$compiler "$RADDLE" cc -std=gnu17 $flags "$source" "${@:4}" -o "$3" ;;
    esac
}

# json_field FILE NAME: the value of a plain field at the outer level.
json_field()
{
    sed -n "s/^  \"$2\": *\"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$1" | head -n 1
}

# json_failure_kind FILE: the kind of the first failure.
json_failure_kind()
{
    sed -n '/^  "failures"/,/^  \]/s/^ *"kind": *"\([^"]*\)".*/\1/p' "$1" | head -n 1
}

# json_kinds FILE LIST: the kinds in "failures" or "warnings", one a line.
json_kinds()
{
    sed -n "/^  \"$2\"/,/^  \\]/s/^ *\"kind\": *\"\\([^\"]*\\)\".*/\\1/p" "$1"
}
