#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# maple.sh - measures `--strategy maple` and writes what it measured into its sections of RESULTS.md, beside the numbers of the
# paper (J. Yu, S. Narayanasamy, C. Pereira, G. Pokam, "Maple: A Coverage-Driven Testing Tool for Multithreaded Programs", 2012).
#
#   bench/maple.sh [OPTIONS] [subjects] [flat] [apps] [phases] [cover] [memo] [overhead]       all by default
#
#     subjects   schedules to the first failure on programs in the shapes of the paper's bugs: maple beside pct, random, pctlarge
#     flat       schedules to the first failure while the number of threads grows: a table, and the picture bench/flat.png
#     apps       patterns covered in equal CPU time on eight correct programs in the shape of applications: maple beside each random
#                strategy
#     phases     the same on eight smaller programs
#     cover      the same on eight small programs
#     memo       attempts at eight inputs of one program in a row, with one memo and without
#     overhead   a profile run and a directed run beside the native program, on three programs with real work
#
#     --seeds N    subjects, flat: campaigns per program and strategy (20)
#     --runs N     subjects, flat: schedules at most per campaign (500)
#     --schedules N  apps, phases, cover: of maple, per program (apps 1000, others 600); the others get the CPU time that they take
#     --turns N    apps, phases, cover, overhead: how many turns (overhead 3, others 1)
#     --most N     memo: schedules at most per input (2500)
#     --print      print, do not write RESULTS.md
#
#   B=DIR (build directory), KEEP=1 (keep the working directory), RESULTS=FILE
. "$(dirname "$0")/lib.sh"

# program  bug of the paper  its profile runs  its test runs
SUBJECTS='maple_log_sweep LogProcSweep 11 1
maple_log_sweep_all LogProcSweep 11 1
maple_string_buffer StringBuffer 8 1
maple_circular_list CircularList 6 1
maple_bank_account BankAccount 6 1
maple_log_miss MySQL-LogMiss 8 100
maple_compressor Pbzip2 8 2
maple_download_progress Aget#2 9 11
maple_download_cancel Aget#1 9 18
maple_cache_increment Memcached#127 41 4'
SIZES=(3 5 10 20 50 100)
APPS=(app_server app_store app_cache app_scheduler app_broker app_build app_allocator app_logger)
COVER=(cover_queue cover_cache cover_pipeline cover_barrier cover_stack cover_pool cover_bank cover_events)
PHASES=(phase_stealing phase_lru phase_connections phase_timers phase_store phase_table phase_stencil phase_pipeline)
RANDOM_ONES=(random pct pctlarge pos surw)
WORK_PROGRAMS=(work_compress work_blocks work_index)

seeds=20 runs=500 schedules='' turns='' most=2500 print=''
parts=() options=()
usage() { sed -n '/^#   bench\/maple/,/^#   B=/s/^# \{0,3\}//p' "$0"; }

while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --seeds | --runs | --schedules | --turns | --most)
        is_number "${2:-}" || die "$1 needs a whole number above 0"
        printf -v "${1#--}" %s "$2"
        options+=("$1" "$2")
        shift
        ;;
    --print) print=yes ;;
    subjects | flat | apps | phases | cover | memo | overhead) parts+=("$1") ;;
    *) die "there is no '$1' here; bench/maple.sh --help says what there is" ;;
    esac
    shift
done
[ ${#parts[@]} -gt 0 ] || parts=(subjects flat apps phases cover memo overhead)

bench_begin
cd "$WORK" || exit 1

# build PROGRAM: PROGRAM.raddle and PROGRAM.native, by the same compiler at the same level.
build()
{
    local flags=(-std=gnu17 -O2 -g -pthread "$ROOT/bench/programs/$1.c" -o)
    if ! gcc "${flags[@]}" "$1.native" || ! RADDLE_CC=gcc "$RADDLE" cc "${flags[@]}" "$1.raddle"; then
        die "cannot build bench/programs/$1.c"
    fi
}

# run NAME OPTIONS... -- PROGRAM...: a campaign that must find nothing; its result in NAME.json.
run()
{
    "$RADDLE" run --quiet --no-replay-first --out out --json "$1.json" "${@:2}" >/dev/null 2>"$1.err" </dev/null ||
        die "$1: $(tail -n 1 "$1.err")"
}

record()
{
    local command="bench/maple.sh ${options[*]:+${options[*]} }$1"
    if [ -n "$print" ]; then cat; else results_record "maple-$1" "$command"; fi
}

# awk over the CSV of bench/compare: statistics of schedules to the first failure by program and strategy.
FOUND='
    NR > FNR {
        p = $1; s = $2; sub(/:.*/, "", s); k = p SUBSEP s
        if (FNR == 1 || p == "program") next
        n[k]++
        if ($7 != "") { found[k]++; sum[k] += $7; square[k] += $7 * $7; if ($7 + 0 > most[k]) most[k] = $7 + 0 }
    }
    function mean(k) { return sum[k] / found[k] }
    function deviation(k,    v) {
        v = found[k] > 1 ? (square[k] - found[k] * mean(k) * mean(k)) / (found[k] - 1) : 0
        return sqrt(v > 0 ? v : 0)
    }
    function cell(k) {
        if (!(k in n)) return "–"
        if (!found[k]) return "0 of " n[k]
        return sprintf("%.1f ± %.1f, at most %d; %d of %d", mean(k), deviation(k), most[k], found[k], n[k])
    }'

# ---- subjects ------------------------------------------------------------------------------------------------------------

part_subjects()
{
    local names=()
    mapfile -t names < <(cut -d' ' -f1 <<<"$SUBJECTS")
    "$ROOT/bench/compare" --strategies maple,pct:coverage=none,random:coverage=none,pctlarge:coverage=none --seeds "$seeds" \
        --runs "$runs" --time 120s --out subjects.csv "${names[@]}" >/dev/null || die "bench/compare did not come to its end"
    cat <<TEXT
Schedules to the first failure on programs of \`tests/programs/must-find\` that have the shape of a bug of the paper: mean ± standard
deviation and maximum over the seeds that found it within $runs schedules, and how many of the seeds did. In the paper: runs of the
profiler and of the active scheduler until the bug. A schedule of \`maple\` is either kind of run. Two of the programs were made simpler
after maple had been measured on them: maple_log_sweep, whose first form is maple_log_sweep_all, and maple_compressor.

| program | in the shape of | paper: profile + test runs | maple | no more than the paper | pct | random | pctlarge |
|---|---|---|---|---|---|---|---|
TEXT
    awk -F'[ ,]' "$FOUND"'
        NR == FNR && NF == 4 { order[++count] = $1; shape[$1] = $2; profile[$1] = $3; test[$1] = $4 }
        END {
            for (i = 1; i <= count; i++) {
                p = order[i]; k = p SUBSEP "maple"; sub(/#/, " #", shape[p])
                within = found[k] == n[k] && most[k] <= profile[p] + test[p]
                held += within
                printf "| %s | %s | %d + %d | %s | %s | %s | %s | %s |\n", p, shape[p], profile[p], test[p], cell(k),
                    within ? "yes" : "no", cell(p SUBSEP "pct"), cell(p SUBSEP "random"), cell(p SUBSEP "pctlarge")
            }
            printf "\nFrom every seed in no more runs than the paper: %d of %d.\n", held, count
        }' <(echo "$SUBJECTS") subjects.csv
}

# ---- flat ----------------------------------------------------------------------------------------------------------------

part_flat()
{
    local names=() size shape
    for size in "${SIZES[@]}"; do names+=("$(flat_name reorder "$size")" "twostage_$size"); done
    "$ROOT/bench/compare" --strategies maple --seeds "$seeds" --runs "$runs" --time 120s --out flat.csv "${names[@]}" >/dev/null ||
        die "bench/compare did not come to its end"
    cat <<TEXT
Schedules of \`maple\` to the first failure while the number of threads grows (\`reorder\`: of all, \`twostage\`: of those that write):
mean ± standard deviation and maximum over the seeds that found it within $runs schedules, and how many of the seeds did.

| threads | reorder | twostage |
|---|---|---|
TEXT
    for size in "${SIZES[@]}"; do echo "$size $(flat_name reorder "$size") twostage_$size"; done >sizes
    awk -F'[ ,]' "$FOUND"'
        NR == FNR && NF == 3 { size[++count] = $1; reorder[count] = $2; twostage[count] = $3 }
        END {
            for (i = 1; i <= count; i++) {
                r = reorder[i] SUBSEP "maple"; t = twostage[i] SUBSEP "maple"
                printf "| %d | %s | %s |\n", size[i], cell(r), cell(t)
                if (found[r]) print size[i], mean(r), deviation(r) >"reorder.data"
                if (found[t]) print size[i], mean(t), deviation(t) >"twostage.data"
            }
        }' sizes flat.csv
    for shape in reorder twostage; do [ -s "$shape.data" ] || return 0; done
    flat_picture
}

# The name of the smallest one has no number.
flat_name() { if [ "$1 $2" = 'reorder 3' ]; then echo reorder; else echo "$1_$2"; fi; }

flat_picture()
{
    local picture=$ROOT/bench/flat.png
    [ -n "$print" ] && picture=$WORK/flat.png
    have gnuplot || { say "no gnuplot (Debian package gnuplot-nox): no picture" && return; }
    gnuplot <<G && printf '\n![schedules to the first failure](flat.png)\n'
set terminal pngcairo size 700,360 font "sans,10"
set output "$picture"
set grid
set logscale x
set xtics (${SIZES[*]/%/,} ${SIZES[-1]})
set xlabel "threads"; set ylabel "schedules to the first failure"; set xrange [2.5:120]; set yrange [0:*]
plot "reorder.data" with yerrorlines pt 7 lw 2 title "reorder", "twostage.data" with yerrorlines pt 5 lw 2 title "twostage"
G
}

# ---- cover ---------------------------------------------------------------------------------------------------------------

# cover_run PROGRAM STRATEGY SEED SCHEDULES -> covered, schedules, CPU seconds
cover_run()
{
    local times
    times=$(./loop 1 "$RADDLE" run --quiet --no-replay-first --out out --json cover.json --strategy "$2" --seed "$3" --runs "$4" \
        --coverage idiom --coverage-all -- "./$1.raddle" 2>loop.err </dev/null) || die "$1, $2: $(tail -n 1 loop.err)"
    echo "$(json_at cover.json coverage.families.idiom.covered) $(json_at cover.json schedules) ${times#* }"
}

# cover_program PROGRAM TURN: lines "PROGRAM STRATEGY TURN covered schedules CPU-seconds covered-in-as-many-schedules".
cover_program()
{
    local strategy own same number
    own=$(cover_run "$1" maple "$2" "$schedules")
    echo "$1 maple $2 $own ${own%% *}"
    for strategy in "${RANDOM_ONES[@]}"; do
        same=$(cover_run "$1" "$strategy" "$2" "$schedules")
        number=$(echo "$own $same" | awk '{ n = $6 > 0 ? $5 * $3 / $6 : $5; n = n < $5 / 8 ? $5 / 8 + 1 : (n > 8 * $5 ? 8 * $5 : n); printf "%d", n }')
        echo "$1 $strategy $2 $(cover_run "$1" "$strategy" "$2" "$number") ${same%% *}"
    done
}

# cover_table PROGRAM...: a row each.
cover_table()
{
    local program turn
    for program in "$@"; do build "$program"; done
    for ((turn = 1; turn <= ${turns:-1}; turn++)); do
        for program in "$@"; do
            say "cover: turn $turn of ${turns:-1}, $program"
            cover_program "$program" "$turn"
        done
    done >cover.data
    echo "| program | maple | ${RANDOM_ONES[0]} $(printf '| %s ' "${RANDOM_ONES[@]:1}")| maple : best random, in equal CPU time | in as many schedules |"
    echo "|---|---|$(printf -- '---|%.0s' "${RANDOM_ONES[@]}")---|---|"
    awk -v strategies="maple ${RANDOM_ONES[*]}" '
        { covered[$1, $2, $3] = $4; schedules[$1, $2, $3] = $5; same[$1, $2, $3] = $7; if ($3 > turns) turns = $3
          if (!($1 in seen)) { seen[$1]; order[++programs] = $1 } }
        function median(values, p, s,    i, j, swap, list) {
            for (i = 1; i <= turns; i++) list[i] = values[p, s, i]
            for (i = 2; i <= turns; i++)
                for (j = i; j > 1 && list[j - 1] > list[j]; j--) { swap = list[j]; list[j] = list[j - 1]; list[j - 1] = swap }
            return turns % 2 ? list[(turns + 1) / 2] : (list[turns / 2] + list[turns / 2 + 1]) / 2
        }
        END {
            count = split(strategies, name, " ")
            for (i = 1; i <= programs; i++) {
                p = order[i]; best = best_same = 0; line = "| " p " |"
                for (s = 1; s <= count; s++) {
                    value = median(covered, p, name[s]); other = median(same, p, name[s])
                    line = line sprintf(" %d (%d) |", value, median(schedules, p, name[s]))
                    if (s == 1) own = value; else { if (value > best) best = value; if (other > best_same) best_same = other }
                }
                ratio = best > 0 ? own / best : 0; ratio_same = best_same > 0 ? own / best_same : 0
                product += log(ratio > 0 ? ratio : 1); product_same += log(ratio_same > 0 ? ratio_same : 1)
                enough += ratio >= 1.15
                printf "%s %.2f | %.2f |\n", line, ratio, ratio_same
            }
            printf "\nGeometric mean of the ratios %.2f in equal CPU time, %.2f in as many schedules; at least 1.15 on %d of %d programs.\n",
                exp(product / programs), exp(product_same / programs), enough, programs
        }' cover.data
}

# cover_text SCHEDULES
cover_text()
{
    cat <<TEXT
Instances of idioms 1 to 6 that a campaign covered, on correct programs, by one strategy alone: $1 schedules of maple, and of
each other strategy as many as take the same CPU time (in brackets: schedules). Median of the turns (${turns:-1}). The paper: 1.15
times the second best, on seven real programs.

TEXT
    gcc -O2 "$ROOT/bench/loop.c" -o loop || die "cannot build bench/loop.c"
}

part_apps()
{
    local schedules=${schedules:-1000}
    cover_text "$schedules"
    cat <<TEXT
Programs in the shape of applications: threads with different tasks, work of their own between two visits to what is shared (ten thousand
operations and more in a run, some hundred of them at shared data), and paths that are taken once: start-up, a change of the
configuration, eviction, errors, shutdown. Eight shapes, written and chosen before anything was measured on them; all that were
written are here. Then the work that threads do by themselves (\`app.h\`) was changed once: it had been made of volatile accesses, each of
which is a scheduling point. What maple does after its first 64 turns was tuned on six of the eight (not on app_build and app_allocator), and how much it looks
for other orders of known runs on all eight.

TEXT
    cover_table "${APPS[@]}"
}

part_phases()
{
    local schedules=${schedules:-600}
    cover_text "$schedules"
    cat <<TEXT
Programs whose threads go through phases, each in code of its own, with shared state protected by locks that every phase uses; chosen by
that rule, one for each of eight common shapes, and not changed after they were first measured.

TEXT
    cover_table "${PHASES[@]}"
}

part_cover()
{
    local schedules=${schedules:-600}
    cover_text "$schedules"
    cat <<TEXT
An early set of programs, whose threads do the same few things in a loop. They were given rarer paths (\`cover.h\`) after a first form
of theirs, on which maple reached 0.76. All strategies come close to what is feasible there.

TEXT
    cover_table "${COVER[@]}"
}

# ---- memo ----------------------------------------------------------------------------------------------------------------

# One input a line: scripts of bench/programs/commands.c, separated by |.
INPUTS='=a5 +b2 ?a >ab|+a3 =b7 #
+b1 =a6 ?b >ab|=b4 +a2 #
=b3 ?a +b1 >ba|+a5 # =b2
+a4 ?b =a1 >ab|=b3 # +a1
=a8 >ab +a1 ?b|# +b6 =a2
?a =b7 +a3 >ba|+b2 =a6 #
=b9 +a3 >ba ?b|# =a1 +b5
+a7 =b3 >ab ?a|+a5 # =b6'

# memo_inputs PROGRAM SCHEDULES <INPUTS: a line per input, its arguments separated by |; a table row for each.
memo_inputs()
{
    local input arguments=() number=0 kind
    build "$1"
    rm -f memo.db*
    while read -r input; do
        IFS='|' read -r -a arguments <<<"$input"
        say "memo: $1, input $((++number)) of 8"
        run without --strategy maple --seed 1 --runs "$2" -- "./$1.raddle" "${arguments[@]}"
        run with --strategy maple --seed 1 --runs "$2" --memo memo.db -- "./$1.raddle" "${arguments[@]}"
        for kind in without with; do
            echo "$number $kind $(json_at $kind.json maple.attempts) $(json_at $kind.json schedules) $(json_at $kind.json seconds)" \
                "$(json_at $kind.json maple.profiles) $(json_at $kind.json maple.known)"
        done
    done >memo.data
    echo "| input | attempts without | with a memo | known from it | seconds of attempts without | with a memo | with : without |"
    echo "|---|---|---|---|---|---|---|"
    awk '{ attempts[$1, $2] = $3; time[$1, $2] = $4 > 0 ? $5 * $3 / $4 : 0; known[$1, $2] = $7; inputs = $1 }
        END {
            for (i = 1; i <= inputs; i++)
                printf "| %d | %d | %d | %d | %.2f | %.2f | %.0f %% |\n", i, attempts[i, "without"], attempts[i, "with"],
                    known[i, "with"], time[i, "without"], time[i, "with"],
                    attempts[i, "without"] ? 100 * attempts[i, "with"] / attempts[i, "without"] : 0
        }' memo.data
}

part_memo()
{
    cat <<TEXT
Eight inputs of one program in a row: attempts of \`maple\` at what the runs so far have not shown, until nothing is left to try or the
schedules are used up, and the time that they took; without a memo, and with one for all. In the paper memoization saves about 90 % of
the test time at the eighth input.

\`bench/programs/work_compress.c\` with 3 to 10 blocks, 250 schedules each: other amounts of data, the same code.

TEXT
    memo_inputs work_compress 250 <<<"$(seq 3 10)"
    cat <<TEXT

\`bench/programs/commands.c\`, $most schedules each: every input is a program of its own, the same five commands on the same two cells in
another order. Two earlier sets that were less alike left 65 % (each uses other commands) and 39 % (other cells) at the eighth.

TEXT
    memo_inputs commands "$most" <<<"$INPUTS"
}

# ---- overhead ------------------------------------------------------------------------------------------------------------

# sample PROGRAM TURN VARIANT COMMAND...
sample()
{
    local times
    times=$(./loop 1 "${@:4}" 2>loop.err) || die "$1, $3: $(tail -n 1 loop.err)"
    echo "$1 $2 $3 $times" >>samples
}

# first_directed PROGRAM: the first schedule of a campaign that is a directed one.
first_directed()
{
    local schedule
    for ((schedule = 2; schedule <= 12; schedule++)); do
        run overhead --strategy maple --seed 1 --runs "$schedule" -- "./$1.raddle"
        [ "$(json_at overhead.json maple.attempts)" -gt 0 ] && echo "$schedule" && return
    done
    die "$1: no directed run among the first 12"
}

part_overhead()
{
    local program turn directed command=("$RADDLE" run --quiet --no-replay-first --seed 1 --out out)
    gcc -O2 "$ROOT/bench/loop.c" -o loop || die "cannot build bench/loop.c"
    for program in "${WORK_PROGRAMS[@]}"; do
        build "$program"
        directed=$(first_directed "$program") || exit 1
        for ((turn = 1; turn <= ${turns:-3}; turn++)); do
            say "overhead: $program, turn $turn of ${turns:-3}"
            sample "$program" "$turn" native "./$program.native"
            sample "$program" "$turn" plain "${command[@]}" --strategy pctlarge --coverage none --runs 1 -- "./$program.raddle"
            sample "$program" "$turn" profile "${command[@]}" --strategy pctlarge --coverage idiom --runs 1 -- "./$program.raddle"
            sample "$program" "$turn" before "${command[@]}" --strategy maple --runs $((directed - 1)) -- "./$program.raddle"
            sample "$program" "$turn" after "${command[@]}" --strategy maple --runs "$directed" -- "./$program.raddle"
        done
    done
    cat <<'TEXT'
How much longer than the native program (-O2) one run takes: a run that is not observed (`--coverage none`), a profile run, which is
recorded, observed and predicted from (both from the start of the command to its end), and a directed run, which is observed too (what
one more schedule adds to a campaign). Median of the turns; in brackets the smallest and the largest. The paper: profiler 5 to 183
times, 50 in the mean; active scheduler 3 to 99 times, 30 in the mean.

TEXT
    awk "$STATISTICS"'
        { wall[$1, $3, $2] = $4; cpu[$1, $3, $2] = $5; if ($2 > turns) turns = $2; if (!($1 in seen)) { seen[$1]; order[++programs] = $1 } }
        function value(p, variant, t, clock) {
            if (variant == "directed") return value(p, "after", t, clock) - value(p, "before", t, clock)
            return clock ? wall[p, variant, t] : cpu[p, variant, t]
        }
        function ratio(p, variant, clock,    t, list) {
            for (t = 1; t <= turns; t++)
                list[t] = value(p, variant, t, clock) / value(p, "native", t, clock)
            return spread(list, turns, "%.1f")
        }
        function seconds(p, clock,    t, list) {
            for (t = 1; t <= turns; t++) list[t] = value(p, "native", t, clock)
            return spread(list, turns, "%.2f")
        }
        END {
            for (clock = 0; clock <= 1; clock++) {
                # By the clock a difference of two campaigns says nothing on a machine that others use.
                printf "| program, by %s | native, s | not observed : native | profile : native |%s\n",
                    clock ? "the clock" : "CPU time", clock ? "" : " directed : native |"
                print "|---|---|---|---|" (clock ? "" : "---|")
                for (i = 1; i <= programs; i++)
                    printf "| %s | %s | %s | %s |%s\n", order[i], seconds(order[i], clock), ratio(order[i], "plain", clock),
                        ratio(order[i], "profile", clock), clock ? "" : " " ratio(order[i], "directed", clock) " |"
                if (!clock) print ""
            }
        }' samples
}

for part in "${parts[@]}"; do
    "part_$part" >"$part.md" || exit 1
    record "$part" <"$part.md" || die "cannot write $RESULTS"
done
[ -n "$print" ] || say "written: $RESULTS"
