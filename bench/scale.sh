#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# scale.sh - how cost grows: with visible operations, with threads, with the length of a common prefix, with the number of schedules.
#
#   bench/scale.sh [switch] [growth] [checkpoint] [attempts] [memory] [observer]       all by default
#
#     switch      one task switch: fibres beside kernel threads
#     growth      10^4 to 10^7 visible operations, 2 to 200 threads: a table, and the picture bench/growth.png
#     checkpoint  depth-first search after a prefix of 10^6 operations: continued from checkpoints, beside run again each time
#     attempts    the same for attempts of the director and for random runs, and what it costs where it cannot help
#     memory      resident memory of driver and program in a campaign of a million schedules (MEMORY_RUNS=N for another number)
#     observer    cost per event and memory of observer and predictor as a run gets longer (bench/observe.c)
. "$(dirname "$0")/lib.sh"
parts=("$@")
[ $# -gt 0 ] || parts=(switch growth checkpoint attempts memory observer)
bench_begin
cd "$WORK" || exit 1
for program in scale prefix late condvar_queue lock_counter; do
    "$RADDLE" cc -O2 -g -pthread "$ROOT/bench/programs/$program.c" -o "$program" || die "cannot build bench/programs/$program.c"
done

# once OPTIONS... -- PROGRAM...: seconds of one schedule, without the program's start.
once()
{
    "$RADDLE" run --quiet --no-replay-first --seed 1 --runs 1 --max-steps 1000000000 --strategy roundrobin --check none --out out --json once.json "$@" || die "raddle run $* failed"
    seconds once
}
seconds() { sed -n 's/^  "seconds": \([0-9.e-]*\),*$/\1/p' "$1.json"; }
field() { sed -n "s/^  \"$2\": \([0-9.e-]*\),*\$/\1/p" "$1.json"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a / b }'; }
median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

part_switch()
{
    local fibre kernel turn
    gcc -std=gnu17 -D_GNU_SOURCE -O2 -fno-stack-protector -I"$ROOT/src" "$ROOT/bench/switch.c" "$ROOT"/src/runtime/arch/*.c -o switch -lpthread ||
        die "cannot build bench/switch.c"
    ./switch >switch.data
    fibre=$(awk '{ print $1 }' switch.data | median)
    kernel=$(awk '{ print $2 }' switch.data | median)
    for turn in 1 2 3 4 5; do
        campaign_of_switches fibre 200000
        campaign_of_switches kernel 200000
    done
    echo "| | fibres | kernel threads | ratio |"
    echo "|---|---|---|---|"
    echo "| the switch alone (bench/switch.c), ns | $fibre | $kernel | **$(ratio "$kernel" "$fibre")** |"
    echo "| a whole scheduling point with a switch at each, µs | $(median <switch.fibre) | $(median <switch.kernel) | $(ratio "$(median <switch.kernel)" "$(median <switch.fibre)") |"
}
campaign_of_switches() # CARRIER OPERATIONS
{
    "$RADDLE" run --quiet --no-replay-first --seed 1 --runs 3 --max-steps 1000000000 --strategy roundrobin --threads "$1" --check none --out out \
        --json "switch.json" -- ./scale 2 "$2" || die "raddle run failed"
    awk -v s="$(seconds switch)" -v p="$(field switch points)" 'BEGIN { printf "%.4f\n", s * 1e6 / p }' >>"switch.$1"
}

part_growth()
{
    echo "| visible operations (2 threads) | seconds | µs per operation |"
    echo "|---|---|---|"
    local n s
    for n in 10000 30000 100000 300000 1000000 3000000 10000000; do
        s=$(for _ in 1 2 3; do once -- ./scale 2 $n; done | median)
        echo "$n $s" >>operations.data
        awk -v n=$n -v s="$s" 'BEGIN { printf "| %d | %.4f | %.3f |\n", n, s, s * 1e6 / n }'
    done
    echo
    echo "| threads (10^6 operations in all) | seconds | µs per operation |"
    echo "|---|---|---|"
    for n in 2 5 10 20 50 100 200; do
        s=$(for _ in 1 2 3; do once -- ./scale $n 1000000; done | median)
        echo "$n $s" >>threads.data
        awk -v n=$n -v s="$s" 'BEGIN { printf "| %d | %.4f | %.3f |\n", n, s, s }'
    done
    if have gnuplot; then
        gnuplot <<G && echo && echo "![growth](growth.png)"
set terminal pngcairo size 900,360 font "sans,10"
set output "$ROOT/bench/growth.png"
set multiplot layout 1,2
set key off; set grid
set logscale xy
set xlabel "visible operations, 2 threads"; set ylabel "seconds"
plot "operations.data" with linespoints pt 7 lw 2
unset logscale; set logscale x
set xlabel "threads, 10^6 operations in all"; set yrange [0:*]
plot "threads.data" with linespoints pt 7 lw 2
G
    fi
}

part_checkpoint()
{
    local again
    "$RADDLE" run --quiet --no-replay-first --strategy dfs --runs 2000 --out out --json held.json -- ./prefix 1000000 || die "raddle run failed"
    "$RADDLE" run --quiet --no-replay-first --strategy dfs --runs 100 --fresh --out out --json again.json -- ./prefix 1000000 || die "raddle run failed"
    "$RADDLE" run --quiet --no-replay-first --strategy dfs --runs 2000 --fresh --out out --json suffix.json -- ./prefix 2 || die "raddle run failed"
    again=$(field again schedules_per_second)
    echo "Depth-first search, 10^6 operations before the threads start, schedules per second:"
    echo
    echo "| | schedules/s | |"
    echo "|---|---|---|"
    echo "| continued from checkpoints | $(field held schedules_per_second) | $(field held schedules_continued) of $(field held schedules) |"
    echo "| run again from the beginning (--fresh) | $again | |"
    echo "| the same program without the prefix (--fresh) | $(field suffix schedules_per_second) | |"
    echo
    echo "Checkpoints: **$(ratio "$(field held schedules_per_second)" "$again") times** re-execution."
}

# The same campaigns with checkpoints where they pay and with none, in turns.
part_attempts()
{
    echo "The same campaign with checkpoints where they pay and with none (\`--checkpoints never\`), three times in turns, medians.
Processor time of driver and program together:"
    echo
    echo "| | strategy | schedules, of them continued | ms per schedule | with none | ratio |"
    echo "|---|---|---|---|---|---|"
    attempts "10^6 operations before the threads start" maple 200 ./prefix 1000000
    attempts "the same" all 200 ./prefix 1000000
    attempts "10^6 operations of two threads before they meet" maple 200 ./late 1000000
    attempts "a queue, about 50 operations in all" maple 2000 ./condvar_queue
    attempts "the same" all 2000 ./condvar_queue
}
attempts() # WHAT STRATEGY RUNS COMMAND...
{
    local what=$1 strategy=$2 runs=$3 when turn held none TIMEFORMAT='%U %S'
    shift 3
    rm -f held.times none.times ratios
    for turn in 1 2 3; do
        for when in auto never; do
            { time "$RADDLE" run --quiet --no-replay-first --seed 7 --strategy "$strategy" --runs "$runs" --checkpoints $when --out out \
                --log-runs $when.log --json $when.json -- "$@" >/dev/null 2>&1; } 2>$when.cpu || die "raddle run failed"
        done
        cmp -s auto.log never.log || die "checkpoints change the runs of $*"
        held=$(awk -v n="$runs" '{ printf "%.3f", ($1 + $2) * 1000 / n }' auto.cpu)
        none=$(awk -v n="$runs" '{ printf "%.3f", ($1 + $2) * 1000 / n }' never.cpu)
        echo "$held" >>held.times
        echo "$none" >>none.times
        awk -v a="$none" -v b="$held" 'BEGIN { printf "%.2f\n", a / b }' >>ratios
    done
    echo "| $what | $strategy | $runs, $(field auto schedules_continued) | $(median <held.times) | $(median <none.times) | **$(median <ratios)** |"
}

# Resident memory in KiB of a process, 0 if it is gone.
resident() { awk '/^VmRSS/ { print $2; found = 1 } END { if (!found) print 0 }' "/proc/$1/status" 2>/dev/null || echo 0; }

part_memory()
{
    local runs=${MEMORY_RUNS:-1000000} driver server sizes
    "$RADDLE" run --quiet --no-replay-first --seed 1 --strategy random --runs "$runs" --out out --json memory.json -- ./lock_counter &
    driver=$!
    echo "| seconds | driver, KiB | fork server, KiB |"
    echo "|---|---|---|"
    while kill -0 "$driver" 2>/dev/null; do
        sleep "${MEMORY_EVERY:-20}"
        server=$(pgrep -P "$driver" lock_counter | head -1)
        sizes="$(resident "$driver") | $(resident "${server:-0}")"
        case " $sizes " in *' 0 '*) ;; *) echo "| $SECONDS | $sizes |" ;; esac # 0: it has just ended
    done
    wait "$driver" || die "the campaign failed"
    echo
    echo "$(field memory schedules) schedules, $(field memory schedules_per_second) per second."
}

part_observer()
{
    # shellcheck disable=SC2046 # words are wanted
    gcc -std=gnu17 -D_GNU_SOURCE -O2 -I"$ROOT/src" "$ROOT/bench/observe.c" $(find "$BUILD/driver" -name '*.o' ! -path '*/cli/main.o') \
        -o observe $(pkg-config --libs libdw libelf jansson sqlite3) -lm || die "cannot build bench/observe.c"
    echo "| events | observer, ns per event | observer, KiB | predictor, ns per event | predictor, KiB |"
    echo "|---|---|---|---|---|"
    local n
    for n in 10000 30000 100000 300000 1000000 3000000; do
        ./observe "$n" | awk '{ printf "| %s | %s | %.0f | %s | %.0f |\n", $1, $2, $3 / 1024, $4, $5 / 1024 }'
    done
}

for part in "${parts[@]}"; do
    case $part in switch | growth | checkpoint | attempts | memory | observer) ;; *) die "there is no '$part' here; the head of bench/scale.sh says what there is" ;; esac
    [ "$part" != growth ] || have gnuplot || say "no gnuplot (Debian package gnuplot-nox): no picture"
    "part_$part" >"$part.md" || exit 1
    results_record "$part" "bench/scale.sh $part" <"$part.md" || die "cannot write $RESULTS"
done
