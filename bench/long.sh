#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# long.sh - long programs: bench/programs/long_*.c, each with ten bugs that can be switched on one by one.
#
#   bench/long.sh [speed] [bugs] [growth] [many] [jobs]       all by default
#
#     speed    schedules per second, scheduling points per second of CPU time with coverage and without, the driver's memory, of the correct programs
#     bugs     how many of the bugs are found, each in a campaign of its own
#     growth   one run as the program gets longer: points, seconds, the driver's memory
#     many     one run with up to a million locks, 2,000 threads, 10^8 operations: points, seconds of CPU time; the picture bench/many.png
#     jobs     schedules per second with one job and with two, and the CPU time per schedule, which tells whether other work disturbed them
#
# LONG_TIME=60s      of each campaign          LONG_BUGS='1 2 3'   only these (all ten)         LONG_PROGRAMS='grid rays'   only these
# RADDLE=FILE        another raddle: its results are printed, and recorded under RESULTS=FILE
. "$(dirname "$0")/lib.sh"
parts=("$@")
[ $# -gt 0 ] || parts=(speed bugs growth many jobs)
time=${LONG_TIME:-60s}
read -ra bugs <<<"${LONG_BUGS:-1 2 3 4 5 6 7 8 9 10}"
read -ra programs <<<"${LONG_PROGRAMS:-factor grid dedup compress rays}"
bench_begin
cd "$WORK" || exit 1
for program in "${programs[@]}"; do
    "$RADDLE" cc -O1 -g -pthread "$ROOT/bench/programs/long_$program.c" -o "long_$program" -lm || die "cannot build bench/programs/long_$program.c"
done

# campaign NAME OPTIONS... -- PROGRAM...: leaves NAME.json and NAME.kib (the driver's memory at most).
campaign()
{
    local name=$1 driver most
    shift
    rm -f "$name.json"
    echo 0 >"$name.kib"
    "$RADDLE" run --quiet --no-replay-first --seed 1 --out "out.$name" --json "$name.json" "$@" </dev/null >"$name.text" 2>&1 &
    driver=$!
    while kill -0 $driver 2>/dev/null; do
        most=$(awk '/^VmHWM/ { print $2 }' "/proc/$driver/status" 2>/dev/null)
        [ -z "$most" ] || echo "$most" >"$name.kib"
        sleep 0.1
    done
    wait $driver
    cpu_of_children "$BASHPID" >"$name.children"
    [ -f "$name.json" ] || die "raddle run $* left no results: $(tail -n 1 "$name.text")"
    rm -rf "out.$name"
}
field() { sed -n "s/^  \"$2\": \([0-9.e+-]*\),*\$/\1/p" "$1.json" | head -n 1; }

part_speed()
{
    local program with without
    echo "| program | threads | points per run | schedules/s | without coverage | CPU ms per schedule | without coverage | points per second of CPU time, with : without | driver MB |"
    echo "|---|---|---|---|---|---|---|---|---|"
    for program in "${programs[@]}"; do
        measured with --time "$time" --keep-going -- "./long_$program"
        measured without --time "$time" --keep-going --coverage none -- "./long_$program"
        with=$(rate with) without=$(rate without)
        awk -v name="$program" -v threads="$(field with threads)" -v points="$(field with points)" -v runs="$(field with schedules)" \
            -v a="$(field with schedules_per_second)" -v b="$(field without schedules_per_second)" -v with="$with" -v without="$without" -v kib="$(cat with.kib)" \
            -v c="$(per_schedule with)" -v d="$(per_schedule without)" \
            'BEGIN { printf "| %s | %d | %d | %.2f | %.2f | %.1f | %.1f | %.2f | %.0f |\n", name, threads, runs ? points / runs : 0, a, b, c, d, without ? with / without : 0, kib / 1024 }'
    done
}
rate() { awk -v points="$(field "$1" points)" -v seconds="$(cat "$1.cpu")" 'BEGIN { printf "%.0f", seconds ? points / seconds : 0 }'; }
per_schedule() { awk -v runs="$(field "$1" schedules)" -v seconds="$(cat "$1.cpu")" 'BEGIN { printf "%.1f", runs ? seconds * 1000 / runs : 0 }'; }
# measured NAME OPTIONS... -- PROGRAM...: as campaign; leaves NAME.cpu, too (seconds of driver and program).
measured()
{
    local before self=$BASHPID
    before=$(cpu_of_children "$self")
    campaign "$@"
    awk -v a="$before" -v b="$(cat "$1.children")" 'BEGIN { print b - a }' >"$1.cpu"
}

part_bugs()
{
    local program bug found all=0 names
    echo "| program | bugs found in $time each | schedules until the first failure, by bug |"
    echo "|---|---|---|"
    for program in "${programs[@]}"; do
        found=0 names=
        for bug in "${bugs[@]}"; do
            campaign bug --time "$time" --no-shrink -- "./long_$program" "$bug"
            if grep -q '"schedules_to_first_failure": [0-9]' bug.json; then
                found=$((found + 1))
                names="$names $bug: $(field bug schedules_to_first_failure),"
            else
                names="$names $bug: none in $(field bug schedules),"
            fi
        done
        all=$((all + found))
        echo "| $program | $found of ${#bugs[@]} |${names%,} |"
    done
    echo "| all | **$all of $((${#bugs[@]} * ${#programs[@]}))** | |"
}

part_growth()
{
    local program size
    echo "| program, size | points | seconds | µs per point | driver MB |"
    echo "|---|---|---|---|---|"
    for program in "${programs[@]}"; do
        for size in 1 4 16; do
            campaign growth --runs 1 --strategy roundrobin --max-steps 1000000000 -- "./long_$program" 0 "$size"
            awk -v name="$program, $size" -v points="$(field growth points)" -v seconds="$(field growth seconds)" -v kib="$(cat growth.kib)" \
                'BEGIN { printf "| %s | %d | %.2f | %.2f | %.0f |\n", name, points, seconds, points ? seconds * 1e6 / points : 0, kib / 1024 }'
        done
    done
}

part_many()
{
    local threads locks operations
    "$RADDLE" cc -O1 -g -pthread "$ROOT/bench/programs/many.c" -o many || die "cannot build bench/programs/many.c"
    rm -f many.data
    echo "| threads | locks | operations | points | seconds of CPU time | µs per point | driver MB | tables that were full |"
    echo "|---|---|---|---|---|---|---|---|"
    while read -r threads locks operations; do
        measured many --runs 1 --strategy roundrobin --max-steps 1000000000 --hang-after 600s -- ./many "$threads" "$locks" "$operations"
        awk -v t="$threads" -v l="$locks" -v o="$operations" -v points="$(field many points)" -v seconds="$(cat many.cpu)" -v kib="$(cat many.kib)" \
            -v full="$(grep -c tables-full many.json)" \
            'BEGIN { printf "| %d | %d | %d | %d | %.2f | %.2f | %.0f | %s |\n", t, l, o, points, seconds, points ? seconds * 1e6 / points : 0, kib / 1024, full ? "some" : "none"
                     if (t == 2000 && l == 1000000) print points, seconds >>"many.data" }'
    done <<<'4 1000 1000000
4 1000000 1000000
2000 1000 1000000
2000 1000000 1000000
2000 1000000 3000000
2000 1000000 10000000
2000 1000000 30000000
2000 1000000 100000000'
    if have gnuplot; then
        gnuplot <<G && echo && echo "![2,000 threads, a million locks](many.png)"
set terminal pngcairo size 600,360 font "sans,10"
set output "$ROOT/bench/many.png"
set key off; set grid
set xlabel "scheduling points, 2,000 threads and a million locks"; set ylabel "seconds of CPU time"
set xrange [0:*]; set yrange [0:*]; set rmargin 4
plot "many.data" with linespoints pt 7 lw 2
G
    fi
}

# Both kinds in turn, so that a disturbance meets both.
part_jobs()
{
    local program coverage
    echo "| program, coverage | schedules/s, -j 1 | -j 2 | -j 2 : -j 1 | CPU ms per schedule, -j 1 | -j 2 | processors used, -j 2 |"
    echo "|---|---|---|---|---|---|---|"
    for program in "${programs[@]}"; do
        for coverage in all none; do
            jobs_campaign 1 "$coverage" "./long_$program"
            jobs_campaign 2 "$coverage" "./long_$program"
            awk -v name="$program, $coverage" -v a="$(field jobs1 schedules_per_second)" -v b="$(field jobs2 schedules_per_second)" -v n1="$(field jobs1 schedules)" \
                -v n2="$(field jobs2 schedules)" -v c1="$(cat jobs1.cpu)" -v c2="$(cat jobs2.cpu)" -v t2="$(field jobs2 seconds)" \
                'BEGIN { printf "| %s | %.2f | %.2f | **%.2f** | %.1f | %.1f | %.2f |\n", name, a, b, a ? b / a : 0, n1 ? c1 * 1000 / n1 : 0, n2 ? c2 * 1000 / n2 : 0, t2 ? c2 / t2 : 0 }'
        done
    done
}
# jobs_campaign JOBS COVERAGE PROGRAM: leaves jobsN.json and jobsN.cpu (seconds of driver and program).
jobs_campaign()
{
    local options=(--time "$time" --keep-going --no-shrink -j "$1")
    [ "$2" = all ] || options+=(--coverage "$2")
    measured "jobs$1" "${options[@]}" -- "$3"
}
# cpu_of_children PID: of all that have ended; a few ms of it are this script's own.
cpu_of_children() { awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($14 + $15) / hz }' "/proc/$1/stat"; }

for part in "${parts[@]}"; do
    case $part in
    speed | bugs | growth | many | jobs) "part_$part" | tee ".$part" ;;
    *) die "there is no part '$part'; there are speed, bugs, growth, many and jobs" ;;
    esac
    results_record "long programs: $part" "LONG_TIME=$time $SCRIPT $part" <".$part"
done
