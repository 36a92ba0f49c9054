#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# run.sh - measures raddle and writes what it measured into its sections of RESULTS.md.  What counts are the ratios: the things
# that are compared run in turns (A B C A B C …) in one go, a ratio is taken within each turn, and the median of the turns is
# given with the smallest and the largest.
#
#   bench/run.sh [OPTIONS] [speed] [slowdown] [find]       all three by default
#
#     speed      schedules per second on five small programs, beside the native program in a loop; and the ways to carry a schedule
#     slowdown   one controlled run of a program with much private work, beside native and beside ThreadSanitizer
#     find       schedules to the first failure by strategy, on some programs of tests/programs/must-find (bench/compare)
#
#     --turns N       how many turns (5)
#     --schedules N   schedules of a campaign, and runs of the native loop, per turn (2000)
#     --seeds N       find: campaigns per program and strategy (10)
#     --runs N        find: schedules at most per campaign (2000)
#     --print         print, do not write RESULTS.md
#
#   B=DIR (build directory), KEEP=1 (keep the working directory), RESULTS=FILE
. "$(dirname "$0")/lib.sh"

# Small, and different in how hard the failing order is to hit.
FIND_PROGRAMS=(lost_update_plain lost_update_sections check_then_act_queue deadlock_abba deadlock_cycle3 lostwake_if
    order_publish_before_fill aba_stack bluetooth work_stealing twostage twostage_20 reorder reorder_10 reorder_50 dining_5
    account_transfer seqlock_no_odd_check stringbuffer token_ring)
FIND_STRATEGIES=random,pct,pctlarge,pos,surw,roundrobin

turns=5 schedules=2000 seeds=10 runs=2000 print=''
parts=() options=()
usage() { sed -n '/^#   bench\/run/,/^#   B=/s/^# \{0,3\}//p' "$0"; }

while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --turns | --schedules | --seeds | --runs)
        is_number "${2:-}" || die "$1 needs a whole number above 0"
        printf -v "${1#--}" %s "$2"
        options+=("$1" "$2")
        shift
        ;;
    --print) print=yes ;;
    speed | slowdown | find) parts+=("$1") ;;
    *) die "there is no '$1' here; bench/run.sh --help says what there is" ;;
    esac
    shift
done
[ ${#parts[@]} -gt 0 ] || parts=(speed slowdown find)

bench_begin
cd "$WORK" || exit 1
gcc -O2 "$ROOT/bench/loop.c" -o loop || die "cannot build bench/loop.c"
samples=$WORK/samples # lines: what turn variant number-of-runs seconds cpu-seconds

# build PROGRAM: PROGRAM.native, PROGRAM.raddle and PROGRAM.tsan, by the same compiler at the same level.
build()
{
    local flags=(-O2 -g -pthread "$ROOT/bench/programs/$1.c" -o)
    if ! gcc "${flags[@]}" "$1.native" || ! RADDLE_CC=gcc "$RADDLE" cc "${flags[@]}" "$1.raddle" ||
        ! gcc -fsanitize=thread "${flags[@]}" "$1.tsan"; then
        die "cannot build bench/programs/$1.c"
    fi
}

# build_bare PROGRAM: PROGRAM.bare, the instrumented program with all calls into the runtime taken out of the assembler's text.
build_bare()
{
    RADDLE_CC=gcc "$RADDLE" cc -O2 -g -pthread -S "$ROOT/bench/programs/$1.c" -o "$1.s" &&
        sed -e '/[[:space:]]call[[:space:]]*__tsan_/d' -e 's/[[:space:]]jmp[[:space:]]*__tsan_.*/\tret/' "$1.s" >"$1.bare.s" &&
        gcc -pthread "$1.bare.s" -o "$1.bare" || die "cannot build $1.bare"
}

# sample WHAT TURN VARIANT N REPEAT COMMAND...: the command, which does N runs, REPEAT times.
sample()
{
    local times
    times=$(./loop "$5" "${@:6}" 2>loop.err) || die "$1, $3: $(tail -n 1 loop.err)"
    echo "$1 $2 $3 $(($4 * $5)) $times" >>"$samples"
}

# campaign NAME N OPTIONS...: the command line of a campaign that must find nothing, in the array `campaign`.
campaign()
{
    campaign=("$RADDLE" run --quiet --no-replay-first --seed 1 --runs "$2" --out out --json "$1.json" "${@:3}" --)
}

record()
{
    local command="bench/run.sh ${options[*]:+${options[*]} }$1"
    if [ -n "$print" ]; then cat; else results_record "$1" "$command"; fi
}

# ---- speed ---------------------------------------------------------------------------------------------------------------

SMALL=(lock_counter condvar_queue atomics racy_counter semaphores)

speed_measure()
{
    local program turn
    for program in "${SMALL[@]}"; do build "$program"; done
    for ((turn = 1; turn <= turns; turn++)); do
        say "speed: turn $turn of $turns"
        for program in "${SMALL[@]}"; do
            sample "$program" "$turn" native 1 "$schedules" "./$program.native"
            campaign "$program" "$schedules"
            sample "$program" "$turn" raddle "$schedules" 1 "${campaign[@]}" "./$program.raddle"
            campaign "$program" "$schedules" --fresh
            sample "$program" "$turn" fresh "$schedules" 1 "${campaign[@]}" "./$program.raddle"
            campaign "$program" "$schedules" --threads kernel
            sample "$program" "$turn" kernel "$schedules" 1 "${campaign[@]}" "./$program.raddle"
        done
    done
}

# What the last campaign of each program says: "PROGRAM THREADS POINTS-PER-SCHEDULE".
speed_shapes()
{
    local program
    for program in "${SMALL[@]}"; do
        sed -n 's/^  "\(threads\|points\|schedules\)": \([0-9]*\).*/\1 \2/p' "$program.json" |
            awk -v program="$program" '{ v[$1] = $2 } END { printf "%s %d %.0f\n", program, v["threads"], v["points"] / v["schedules"] }'
    done
}

speed_table()
{
    cat <<'TEXT'
Schedules per second of a campaign with all strategies in turn and all checks on, from the start of the command to its end, beside
the program compiled without raddle and started again and again (native). Median of the turns; in brackets the smallest and the
largest. A schedule begins where the program's memory has been put back (the default), in a new process (`--fresh`), or in a new
process with kernel threads instead of fibres (`--threads kernel`). The last three columns compare rates within a turn: above 1
the first of the two is faster.

| program | threads | points per run | native runs/s | schedules/s | with `--fresh` | with `--threads kernel` | raddle : native | put back : `--fresh` | fibres : kernel threads, both in new processes |
|---|---|---|---|---|---|---|---|---|---|
TEXT
    speed_shapes | cat - "$samples" | awk "$STATISTICS"'
        NF == 3 { order[++programs] = $1; threads[$1] = $2; points[$1] = $3 }
        NF == 6 { rate[$1, $3, $2] = $4 / $5; if ($2 > turns) turns = $2 }
        function show(program, variant,    t, list) {
            for (t = 1; t <= turns; t++) list[t] = rate[program, variant, t]
            return spread(list, turns, "%.0f")
        }
        function ratio(program, a, b,    t, list) {
            for (t = 1; t <= turns; t++) all[b, ++count[b]] = list[t] = rate[program, a, t] / rate[program, b, t]
            return spread(list, turns, "%.2f")
        }
        function ratio_of_all(b,    i, list) {
            for (i = 1; i <= count[b]; i++) list[i] = all[b, i]
            return spread(list, count[b], "%.2f")
        }
        END {
            for (i = 1; i <= programs; i++) {
                p = order[i]
                printf "| %s | %d | %d | %s | %s | %s | %s | %s | %s | %s |\n", p, threads[p], points[p], show(p, "native"),
                    show(p, "raddle"), show(p, "fresh"), show(p, "kernel"), ratio(p, "raddle", "native"),
                    ratio(p, "raddle", "fresh"), ratio(p, "fresh", "kernel")
            }
            printf "| all | | | | | | | %s | %s | %s |\n", ratio_of_all("native"), ratio_of_all("fresh"), ratio_of_all("kernel")
        }'
}

# ---- slowdown ------------------------------------------------------------------------------------------------------------

KERNELS=(matrix sort words)

slowdown_measure()
{
    local kernel turn
    build private_work
    build_bare private_work
    for ((turn = 1; turn <= turns; turn++)); do
        say "slowdown: turn $turn of $turns"
        for kernel in "${KERNELS[@]}"; do
            sample "$kernel" "$turn" native 1 1 ./private_work.native "$kernel"
            campaign "$kernel" 1
            sample "$kernel" "$turn" raddle 1 1 "${campaign[@]}" ./private_work.raddle "$kernel"
            sample "$kernel" "$turn" tsan 1 1 ./private_work.tsan "$kernel"
            sample "$kernel" "$turn" free 1 1 ./private_work.raddle "$kernel"
            sample "$kernel" "$turn" bare 1 1 ./private_work.bare "$kernel"
        done
    done
}

slowdown_table()
{
    cat <<'TEXT'
One run of `bench/programs/private_work.c`: two threads that compute on memory of their own and take one lock sixty times each.
How much longer than the native program (-O2) it takes: under control (`raddle run --runs 1`, from start to end, all checks on),
with gcc's ThreadSanitizer, built by `raddle cc` but run without raddle, and bare: the same code with all calls into the runtime
taken out of the assembler's text, which is what no runtime can be faster than, since the compiler has kept registers free and loops
plain for calls. In CPU time, because raddle runs one thread at a time; then the same by the clock. Median of the turns; in brackets
the smallest and the largest.

TEXT
    awk "$STATISTICS"'
        { cpu[$1, $3, $2] = $6; wall[$1, $3, $2] = $5; if ($2 > turns) turns = $2; if (!($1 in seen)) { seen[$1]; order[++kernels] = $1 } }
        function ratio(kernel, a, b, clock,    t, list) {
            for (t = 1; t <= turns; t++)
                list[t] = clock ? wall[kernel, a, t] / wall[kernel, b, t] : cpu[kernel, a, t] / cpu[kernel, b, t]
            return spread(list, turns, "%.2f")
        }
        function seconds(kernel, clock,    t, list) {
            for (t = 1; t <= turns; t++)
                list[t] = clock ? wall[kernel, "native", t] : cpu[kernel, "native", t]
            return spread(list, turns, "%.2f")
        }
        END {
            for (clock = 0; clock <= 1; clock++) {
                printf "| work, by %s | native, s | raddle : native | TSan : native | raddle : TSan | run free : native | bare : native |\n",
                    clock ? "the clock" : "CPU time"
                print "|---|---|---|---|---|---|---|"
                for (i = 1; i <= kernels; i++) {
                    k = order[i]
                    printf "| %s | %s | %s | %s | %s | %s | %s |\n", k, seconds(k, clock), ratio(k, "raddle", "native", clock),
                        ratio(k, "tsan", "native", clock), ratio(k, "raddle", "tsan", clock), ratio(k, "free", "native", clock),
                        ratio(k, "bare", "native", clock)
                }
                if (!clock) print ""
            }
        }' "$samples"
}

# ---- find ----------------------------------------------------------------------------------------------------------------

find_table()
{
    local command=(bench/compare --strategies "$FIND_STRATEGIES" --seeds "$seeds" --runs "$runs" --time 120s --matrix)
    cat <<TEXT
By \`${command[*]}\`
with the programs of the table. A cell: schedules to the first failure, mean ± standard deviation over the seeds that found it, and
how many of the seeds did. Seconds are up to the first failure or to the end of the campaign.

TEXT
    "$ROOT/bench/compare" "${command[@]:1}" --out "$WORK/find.csv" "${FIND_PROGRAMS[@]}"
}

for part in "${parts[@]}"; do
    rm -f "$samples"
    case $part in
    find) find_table >table || die "bench/compare did not come to its end" ;;
    *) "${part}_measure" && "${part}_table" >table ;;
    esac
    record "$part" <table || die "cannot write $RESULTS"
done
[ -n "$print" ] || say "written: $RESULTS"
