#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# director.sh - how many of the patterns that could happen the director makes happen, by idiom.
#
#   bench/director.sh [--attempts N] [--schedules N] [--seconds N] [--jobs N] [PROGRAM.c...]
#
#     --attempts   at one instance (10)
#     --schedules  of each kind of search that finds out what can happen at all (500)
#     --seconds    for one program, at most (120); one that takes longer is left out, and named
#     --jobs       programs at a time (1)
#
# Programs: those of tests/programs by default.  bench/director.c says what is measured.  Writes the section `director` of
# bench/RESULTS.md.
. "$(dirname "$0")/lib.sh"
attempts=10 schedules=500 seconds=120 jobs=1 command="$SCRIPT${*:+ $*}"
while [ $# -gt 0 ]; do
    case $1 in
    --attempts | --schedules | --seconds | --jobs)
        is_number "${2:-}" || die "$1 needs a number"
        declare "${1#--}=$2"
        shift 2
        ;;
    -*) die "there is no option $1" ;;
    *) break ;;
    esac
done
bench_begin
# shellcheck disable=SC2046 # words are wanted
gcc -std=gnu17 -D_GNU_SOURCE -O2 -I"$ROOT/src" "$ROOT/bench/director.c" \
    $(find "$BUILD/driver" -name '*.o' ! -path '*/cli/main.o') -o "$WORK/director" \
    $(pkg-config --libs libdw libelf jansson sqlite3) -lm || die "cannot build bench/director.c"
programs=("$@")
[ $# -gt 0 ] || programs=("$ROOT"/tests/programs/must-find/*.c "$ROOT"/tests/programs/must-not-report/*.c)

# measure SOURCE: makes NAME.part, or if it is left out NAME.error.
measure()
{
    local name
    name=$(basename "$1" .c)
    if "$RADDLE" cc -O1 -g -pthread "$1" -o "$WORK/$name" 2>/dev/null &&
        timeout -k 5 "$seconds" "$WORK/director" 4 "$attempts" "$schedules" "$WORK/$name" </dev/null >"$WORK/$name.measured" 2>"$WORK/$name.error"; then
        mv "$WORK/$name.measured" "$WORK/$name.part"
        say "$name: $(awk '{ f += $3; e += $4 } END { printf "%d of %d", e, f }' "$WORK/$name.part")"
    else
        say "$name: left out: $(head -n 1 "$WORK/$name.error" 2>/dev/null)"
    fi
}

for source in "${programs[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    measure "$source" &
done
wait
out=() count=0
for source in "${programs[@]}"; do
    name=$(basename "$source" .c)
    if [ -e "$WORK/$name.part" ]; then
        sed "s/^/$name /" "$WORK/$name.part" >>"$WORK/data"
        count=$((count + 1))
    else
        out+=("$name")
    fi
done
{
    echo "Of the instances that four profile runs predict and do not show, each gets up to $attempts attempts. Exposed is what occurs in"
    echo "an attempt of its own; what a campaign gets is what any attempt shows. Feasible are those that any run showed, these attempts and $schedules schedules each of depth-first"
    echo "search (two preemptions), random, pos, pct and pctlarge. $count programs of tests/programs${out:+, without ${out[*]}}."
    echo
    echo "| idiom | predicted and open | feasible | exposed by its own attempts | of the feasible | at the first attempt | shown by any attempt | Maple's paper |"
    echo "|---|---|---|---|---|---|---|---|"
    awk '{ open[$2] += $3; feasible[$2] += $4; exposed[$2] += $5; first[$2] += $6; shown[$2] += $7 }
         END { for (f in open) printf "| %s | %d | %d | %d | **%.0f %%** | %.0f %% | **%.0f %%** | %s |\n", f, open[f], feasible[f], exposed[f],
                   feasible[f] ? 100 * exposed[f] / feasible[f] : 0, feasible[f] ? 100 * first[f] / feasible[f] : 0,
                   feasible[f] ? 100 * shown[f] / feasible[f] : 0,
                   f == "idiom.1" ? "28 %" : f == "idiom.6" ? "not tried" : "about 10 %" }' "$WORK/data" | sort
} | results_record director "$command" || die "cannot write $RESULTS"
