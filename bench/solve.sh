#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# solve.sh - how long questions about other orders of a run take as runs grow, and what answers them: a table and the picture bench/solve.png,
# and how many questions of real campaigns are answered without a search.  Writes the section `solve` of bench/RESULTS.md.
#
#   bench/solve.sh [--questions N] [--runs N] [--print]
#
#     --questions   for each length of the made-up run (100); bench/solve.c says what is asked
#     --runs        schedules of each real campaign (100)
#     --print       print, do not write RESULTS.md
. "$(dirname "$0")/lib.sh"
questions=100 runs=100 print='' command="$SCRIPT${*:+ $*}"
while [ $# -gt 0 ]; do
    case $1 in
    --questions | --runs)
        is_number "${2:-}" || die "$1 needs a number"
        declare "${1#--}=$2"
        shift
        ;;
    --print) print=yes ;;
    *) die "there is no option $1" ;;
    esac
    shift
done
WINDOW=2000 LENGTHS=(100 300 1000 3000 10000 30000 100000)
bench_begin
cd "$WORK" || exit 1
# shellcheck disable=SC2046 # words are wanted
gcc -std=gnu17 -D_GNU_SOURCE -O2 -I"$ROOT/src" "$ROOT/bench/solve.c" \
    $(find "$BUILD/driver" -name '*.o' ! -path '*/cli/main.o') -o solve $(pkg-config --libs libdw libelf jansson sqlite3) -lz3 -ldl -lm ||
    die "cannot build bench/solve.c"

made_up()
{
    local length
    for length in "${LENGTHS[@]}"; do
        say "runs of $length events"
        ./solve "$length" "$questions" $WINDOW || die "no question about a run of $length events"
    done >data
    cat <<TEXT
Questions about a made-up run of four tasks (\`bench/solve.c\`): $questions of each length; CPU time. Runs of more than $WINDOW events are asked about in a
window of so many. Reading is done once for all questions about a run (or window).

| events | by a cycle | by a reordering | by Z3 | not answered | reading, ms | a question, ms | the longest, ms |
|---|---|---|---|---|---|---|---|
TEXT
    awk '{ printf "| %d | %d | %d | %d | %d | %.2f | %.3f | %.2f |\n", $1, $3, $4, $5, $6, $7 * 1000, $8 * 1000 / $2, $9 * 1000
           print $1, $7 * 1000, $8 * 1000 / $2, $9 * 1000 >"points" }' data
    picture
}

picture()
{
    local picture=$ROOT/bench/solve.png
    [ -n "$print" ] && picture=$WORK/solve.png
    have gnuplot || { say "no gnuplot (Debian package gnuplot-nox): no picture" && return; }
    gnuplot <<G && printf '\n![time of a question by the length of the run](solve.png)\n'
set terminal pngcairo size 700,400 font "sans,10"
set output "$picture"
set grid; set key top left
set logscale xy
set xlabel "events of the run"; set ylabel "CPU time, ms"
set arrow from $WINDOW, graph 0 to $WINDOW, graph 1 nohead dt 2
set label "window of $WINDOW" at $WINDOW*1.1, graph 0.05
plot "points" using 1:2 with linespoints pt 5 lw 2 title "reading a run or window, once", \
     "points" using 1:3 with linespoints pt 7 lw 2 title "a question, mean", \
     "points" using 1:4 with linespoints pt 9 lw 2 title "the longest question"
G
}

# campaign NAME STRATEGY COUNTER: a line NAME STRATEGY asked cycle reordered unknown.
campaign()
{
    "$RADDLE" run --quiet --no-replay-first --no-shrink --keep-going --strategy "$2" --seed 1 --runs "$runs" --time 20s --out out --json real.json \
        -- "./$1" >/dev/null 2>&1 </dev/null
    echo "$1 $2 $(json_at real.json "$2.$3") $(json_at real.json "$2.by_cycle") $(json_at real.json "$2.by_reordering") $(json_at real.json "$2.unknown")"
}

real()
{
    local name source
    for source in "$ROOT"/bench/programs/subject_*.c; do
        name=$(basename "$source" .c)
        RADDLE_CC=gcc "$RADDLE" cc -std=gnu17 -O1 -g -pthread "$source" -o "$name" || die "cannot build $source"
        say "$name"
        campaign "$name" pcr asked
        campaign "$name" mcr questions
    done >real.data
    cat <<TEXT

Campaigns of $runs schedules (20 s at most) on \`bench/programs/subject_*.c\`:

| strategy | questions | by a cycle | by a reordering | without Z3 | not answered |
|---|---|---|---|---|---|
TEXT
    awk '{ asked[$2] += $3; cycle[$2] += $4; order[$2] += $5; unknown[$2] += $6 }
        END { for (s in asked) printf "| %s | %d | %d | %d | %.1f %% | %d |\n", s, asked[s], cycle[s], order[s],
            asked[s] ? 100 * (cycle[s] + order[s]) / asked[s] : 0, unknown[s] }' real.data | sort
}

{
    made_up
    real
} >solve.md
if [ -n "$print" ]; then cat solve.md; else results_record solve "$command" <solve.md && say "written: $RESULTS"; fi
