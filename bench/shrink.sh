#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# shrink.sh - what shrinking makes of the failures of tests/programs/must-find, as `raddle run` does it by itself.
#
#   bench/shrink.sh [OPTIONS] [PROGRAM...]       all programs of must-find by default
#
#     --seeds N    failures per program: the first strategy of its head, seeds 1 to N (2)
#     --print      print, do not write RESULTS.md
#
#   B=DIR (build directory), KEEP=1 (keep the working directory), RESULTS=FILE
. "$(dirname "$0")/lib.sh"
. "$ROOT/tests/programs/programs.sh"
seeds=2 print='' command="$SCRIPT${*:+ $*}"
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        sed -n '/^#   bench\/shrink/,/^#   B=/s/^# \{0,3\}//p' "$0"
        exit 0
        ;;
    --seeds)
        is_number "${2:-}" || die "$1 needs a whole number above 0"
        seeds=$2
        shift
        ;;
    --print) print=yes ;;
    -*) die "there is no option $1" ;;
    *) break ;;
    esac
    shift
done
bench_begin
cd "$WORK" || exit 1
programs=("$@")
[ $# -gt 0 ] || mapfile -t programs < <(program_names must-find)

about() { sed -n "s/^ *\"$2\": *\"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$1/about.json" | head -n 1; }
count() { grep -c '^run ' "$1"; }

# measure PROGRAM: lines "program kind before after switches-before switches-after runs complete".
measure()
{
    local source strategy runs seed failure
    source=$(program_source must-find "$1")
    program_build must-find "$1" "./$1" >/dev/null 2>&1 || die "cannot build $1"
    read -r strategy runs < <(program_finds "$1" "$source")
    for ((seed = 1; seed <= seeds; seed++)); do
        # shellcheck disable=SC2046 # words are wanted
        timeout -k 5 120 "$RADDLE" run --quiet --no-replay-first --strategy "$strategy" --runs "$runs" --seed "$seed" \
            --out "out-$1-$seed" $(program_says "$source" run) -- "./$1" >/dev/null 2>&1 </dev/null
        failure=out-$1-$seed/failure-1
        [ -f "$failure/about.json" ] || { say "$1, seed $seed: nothing found" && continue; }
        [ -f "$failure/schedule.found" ] || cp "$failure/schedule" "$failure/schedule.found"
        echo "$1 $(about "$failure" kind) $(about "$failure" preemptions_found) $(about "$failure" preemptions)" \
            "$(($(count "$failure/schedule.found") - 1)) $(($(count "$failure/schedule") - 1))" \
            "$(about "$failure" runs) $(about "$failure" complete)"
    done
}

for program in "${programs[@]}"; do
    measure "$program"
    rm -rf "./$program" "out-$program"-*
done >data
[ -s data ] || die "nothing was found in any program"
{
    cat <<TEXT
Failures of the programs of \`tests/programs/must-find\`, before and after shrinking within the budget of \`raddle run\`: preemptions and
switches between threads, one number per seed (1 to $seeds). Proven: all schedules with fewer preemptions were seen, and none shows
the failure.

| program | failure | preemptions | after | switches | after | runs | proven |
|---|---|---|---|---|---|---|---|
TEXT
    awk '
        function add(list, value) { return list == "" ? value : list ", " value }
        { p = $1; if (!(p in kind)) { order[++programs] = p; kind[p] = $2 }
          before[p] = add(before[p], $3); after[p] = add(after[p], $4); s[p] = add(s[p], $5); t[p] = add(t[p], $6)
          runs[p] = add(runs[p], $7); n[p]++; proven[p] += $8 == "true"
          all++; b += $3; a += $4; sb += $5; sa += $6; r += $7; all_proven += $8 == "true" }
        END {
            for (i = 1; i <= programs; i++) {
                p = order[i]
                printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", p, kind[p], before[p], after[p], s[p], t[p], runs[p],
                    proven[p] == n[p] ? "yes" : proven[p] ? proven[p] " of " n[p] : "no"
            }
            printf "\n%d failures of %d programs: preemptions from %.1f to %.1f on average, switches from %.1f to %.1f, in %.0f runs; " \
                "proven %d of %d.\n", all, programs, b / all, a / all, sb / all, sa / all, r / all, all_proven, all
        }' data
} >text
if [ -n "$print" ]; then cat text; else results_record shrink "$command" <text; fi || die "cannot write $RESULTS"
