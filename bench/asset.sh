#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# asset.sh - measures `--strategy asset` beside race, atom, and the monitor of serializability under random schedules, and writes what it
# measured into its sections of RESULTS.md, beside the numbers of the paper (Z. Lai, S. C. Cheung, W. K. Chan, "Detecting Atomic-Set
# Serializability Violations in Multithreaded Programs through Active Randomized Testing", table 2).
#
#   bench/asset.sh [OPTIONS] [violations] [thrashing] [overhead]       all by default
#
#     violations   different violations that happen in campaigns of as many runs; what was predicted and happened; runs that show one;
#                  calls with a bug that are a unit of one; the first run with a violation and with a failure; the correct twins
#     thrashing    attempts in which a suspended thread had to go on, with and without regard to the locks that it holds
#     overhead     CPU time of a run with the monitor, and of a run of asset, beside native
#
#     --strategies LIST   violations: which (asset,race,atom,random,all)
#     --programs LIST     violations, thrashing: only these
#     --work LIST         violations: how far the threads are apart that interrupt each other, in scheduling points (12,60,300,1000)
#     --seeds N           campaigns per program and strategy (5)
#     --runs N            schedules of a campaign (100; overhead: 5)
#     --turns N           overhead: how many turns (5)
#     --print             print, do not write RESULTS.md
#
#   B=DIR (build directory), KEEP=1 (keep the working directory), RESULTS=FILE
. "$(dirname "$0")/lib.sh"

# Program  subject of the paper  its real violations with monitoring and with AssetFuzzer  its share of runs with one, of each  its bugs
# with RaceFuzzer, AtomFuzzer, AssetFuzzer (table 2).
SUBJECTS='set_account.c example - - -
set_account_class.cc example - - -
set_string_buffer.c StringBuffer 1,1 0.20,0.98 0,1,1
set_array_list.c ArrayList 3,17 0.06,0.35 6,2,5
set_linked_list.c LinkedList 5,27 0.20,0.53 6,2,9
set_hash_set.c HashSet 11,83 0.29,0.35 6,3,7
set_tree_set.cc TreeSet 0,16 0.00,0.15 3,5,7
set_linked_hash_set.c LinkedHashSet 3,4 0.13,0.11 5,4,3
set_particles.c moldyn 3,25 1.00,1.00 0,0,0
set_scene.c raytracer 9,28 0.58,1.00 1,0,1
set_results.c montecarlo 4,80 1.00,0.99 0,0,0
set_cache.cc cache4j 1,56 0.10,0.93 2,0,2
set_search.c hedc 0,5 0.00,0.98 1,0,3
set_crawler.c weblech 4,16 0.09,0.26 3,0,4
set_connections.c jigsaw -,116 -,0.85 8,0,12
set_reply.c jigsaw - - -'

strategies=asset,race,atom,random,all programs='' work=12,60,300,1000 seeds=5 runs='' turns=5 print=''
parts=() options=()
usage() { sed -n '/^#   bench\/asset/,/^#   B=/s/^# \{0,3\}//p' "$0"; }

while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --seeds | --runs | --turns)
        is_number "${2:-}" || die "$1 needs a whole number above 0"
        printf -v "${1#--}" %s "$2"
        options+=("$1" "$2")
        shift
        ;;
    --strategies | --programs | --work)
        [ -n "${2:-}" ] || die "$1 needs a value; bench/asset.sh --help says which"
        printf -v "${1#--}" %s "$2"
        options+=("$1" "$2")
        shift
        ;;
    --print) print=yes ;;
    violations | thrashing | overhead) parts+=("$1") ;;
    *) die "there is no '$1' here; bench/asset.sh --help says what there is" ;;
    esac
    shift
done
[ ${#parts[@]} -gt 0 ] || parts=(violations thrashing overhead)

bench_begin
cd "$WORK" || exit 1

# The files of the subjects that are wanted, in the order of the table.
subjects_wanted()
{
    local name list=()
    [ -n "$programs" ] || {
        cut -d' ' -f1 <<<"$SUBJECTS"
        return
    }
    IFS=, read -ra list <<<"$programs"
    for name in "${list[@]}"; do
        grep -q "^set_$name\.cc* " <<<"$SUBJECTS" || die "there is no subject $name"
    done
    grep -E "^set_($(IFS='|' && echo "${list[*]}"))\.cc* " <<<"$SUBJECTS" | cut -d' ' -f1
}

# build FILE OUTPUT FLAGS...: by the same compiler at the same level, from the root, so that it is the same file wherever it is built.
build()
{
    local compile=(cc -std=gnu17)
    case $1 in *.cc) compile=(c++ -std=c++17) ;; esac
    (cd "$ROOT" && RADDLE_CC=gcc RADDLE_CXX=g++ "$RADDLE" "${compile[@]}" -O1 -g -pthread "${@:3}" "bench/programs/$1" -o "$WORK/$2") ||
        die "cannot build bench/programs/$1"
}

# campaign PROGRAM STRATEGY SEED OPTIONS...: in campaign.json and campaign.log.
campaign()
{
    "$RADDLE" run --quiet --no-replay-first --no-shrink --keep-going --strategy "$2" --seed "$3" --runs "${runs:-100}" --coverage asset \
        --coverage-all --fail-on serializability --out out --json campaign.json --log-runs campaign.log "${@:4}" -- "./$1" \
        >/dev/null 2>campaign.err </dev/null
    case $? in
    0 | 2) ;;
    *) die "$1, $2, seed $3: $(tail -n 1 campaign.err)" ;;
    esac
    rm -rf out
}

# told PROGRAM STRATEGY SEED DISTANCE BUGS: the campaign, as one line of JSON.
told() { python3 "$ROOT/bench/asset.py" campaign "$@" || die "cannot read what the campaign of $1 has written"; }

# Functions after a line that marks a bug.
bugs_of()
{
    awk '/^ *\/\/ BUG/ { marked = 1; next }
        marked { marked = 0; sub(/\(.*/, ""); sub(/.*[ *]/, ""); print }' "$ROOT/bench/programs/$1" | paste -sd, -
}

record()
{
    local command="bench/asset.sh ${options[*]:+${options[*]} }$1"
    if [ -n "$print" ]; then cat; else results_record "asset-$1" "$command"; fi
}

# ---- violations ----------------------------------------------------------------------------------------------------------

# What can happen at all: many random runs of threads that are close to each other.
reference_measure()
{
    local file name
    say "violations: reference"
    for file in "${files[@]}"; do
        name=${file%.*}
        name=${name#set_}
        build "$file" "$name" -DWORK=3
        campaign "$name" random,pct,pos 1 --runs "$((40 * ${runs:-100}))"
        told "$name" reference 1 3 ""
    done >reference.data
}

violations_measure()
{
    local file name strategy distance seed list=() distances=()
    IFS=, read -ra list <<<"$strategies"
    IFS=, read -ra distances <<<"$work"
    for distance in "${distances[@]}"; do
        say "violations: threads $distance apart"
        for file in "${files[@]}"; do
            name=${file%.*}
            name=${name#set_}
            build "$file" "$name" -DWORK="$distance"
            for strategy in "${list[@]}"; do
                for ((seed = 1; seed <= seeds; seed++)); do
                    campaign "$name" "$strategy" "$seed"
                    told "$name" "$strategy" "$seed" "$distance" "$(bugs_of "$file")"
                done
            done
        done
    done >violations.data
}

# The correct twins: violations and failures of all strategies, from two seeds.
twins_measure()
{
    local file name strategy seed list=()
    IFS=, read -ra list <<<"$strategies"
    say "violations: correct twins"
    for file in "${files[@]}"; do
        name=${file%.*}_correct
        name=${name#set_}
        build "$file" "$name" -DCORRECT
        for strategy in "${list[@]}"; do
            for seed in 1 2; do
                campaign "$name" "$strategy" "$seed"
                told "$name" "$strategy" "$seed" 12 ""
            done
        done
    done >twins.data
}

part_violations()
{
    violations_measure
    twins_measure
    reference_measure
    cat reference.data >>violations.data
    sed -E 's/^set_//; s/\.cc* / /' <<<"$SUBJECTS" >subjects
    cat <<TEXT
Campaigns of ${runs:-100} runs each on \`bench/programs/set_*\`, libraries in the shapes of the subjects of the paper (other code, other tests). Random is
the paper's monitoring: random schedules, and every run is looked at by the monitor, as under all strategies here. The reference is $((40 * ${runs:-100}))
runs of random, pct and pos with threads 3 points apart. Two violations are different if pattern,
kind of object, functions of the units, or lines are. Columns are strategies of \`raddle run\`.

TEXT
    python3 "$ROOT/bench/asset.py" tables "$strategies" || die "cannot read violations.data"
}

# ---- thrashing -----------------------------------------------------------------------------------------------------------

part_thrashing()
{
    local file name seed
    for file in "${files[@]}"; do
        name=${file%.*}
        name=${name#set_}
        build "$file" "$name"
        for ((seed = 1; seed <= seeds; seed++)); do
            campaign "$name" asset "$seed"
            python3 -c 'import json, sys; print(sys.argv[1], "with", *json.load(open("campaign.json"))["asset"].values())' "$name"
            campaign "$name" asset "$seed" --suspend-at-once
            python3 -c 'import json, sys; print(sys.argv[1], "without", *json.load(open("campaign.json"))["asset"].values())' "$name"
        done
    done >thrashing.data
    cat <<'TEXT'
Runs of --strategy asset that were for one violation, and the share of them in which a suspended thread had to go on because no other thread could
(thrashing). With: a thread goes on as long as it holds a lock that the other one needs, as the paper's vulnerable-window lockset says. Without
(`--suspend-at-once`): it is suspended as soon as it has done its step. Then attempts, and how many of the violations aimed at happened.

| program | runs | thrashing, with | without | attempts : targets : exposed, with | without |
|---|---|---|---|---|---|
TEXT
    awk '
        { if (!($1 in seen)) { seen[$1]; order[++n] = $1 }
          attempts[$1, $2] += $3; targets[$1, $2] += $4; exposed[$1, $2] += $5; runs[$1, $2] += $3 + $7; broken[$1, $2] += $8
          attempts["all", $2] += $3; targets["all", $2] += $4; exposed["all", $2] += $5; runs["all", $2] += $3 + $7; broken["all", $2] += $8 }
        function share(p, way) { return runs[p, way] ? sprintf("%.2f", broken[p, way] / runs[p, way]) : "–" }
        function what(p, way) { return attempts[p, way] " : " targets[p, way] " : " exposed[p, way] }
        END {
            order[++n] = "all"
            for (i = 1; i <= n; i++) {
                p = order[i]
                printf "| %s | %d, %d | %s | %s | %s | %s |\n", p, runs[p, "with"], runs[p, "without"], share(p, "with"), share(p, "without"),
                    what(p, "with"), what(p, "without")
            }
        }' thrashing.data
}

# ---- overhead ------------------------------------------------------------------------------------------------------------

WORKS=(work_blocks work_compress work_index)

# sample PROGRAM TURN VARIANT RUNS COMMAND...: CPU time per run.
sample()
{
    local times
    times=$(./loop 1 "${@:5}" 2>loop.err) || die "$1, $3: $(tail -n 1 loop.err)"
    echo "$1 $2 $3 $4 $times" >>overhead.data
}

part_overhead()
{
    local program turn n=${runs:-5}
    gcc -O2 "$ROOT/bench/loop.c" -o loop || die "cannot build bench/loop.c"
    for program in "${WORKS[@]}"; do
        gcc -O2 -g -pthread "$ROOT/bench/programs/$program.c" -o "$program.native" &&
            RADDLE_CC=gcc "$RADDLE" cc -O2 -g -pthread "$ROOT/bench/programs/$program.c" -o "$program" || die "cannot build $program"
    done
    : >overhead.data
    for ((turn = 1; turn <= turns; turn++)); do
        say "overhead: turn $turn of $turns"
        for program in "${WORKS[@]}"; do
            local run=("$RADDLE" run --quiet --no-replay-first --no-shrink --keep-going --seed "$turn" --runs "$n" --out out)
            sample "$program" "$turn" native 1 "./$program.native"
            sample "$program" "$turn" off "$n" "${run[@]}" --strategy random --coverage none --check race,heap,deadlock -- "./$program"
            sample "$program" "$turn" monitor "$n" "${run[@]}" --strategy random --coverage none -- "./$program"
            sample "$program" "$turn" asset "$n" "${run[@]}" --strategy asset --coverage asset -- "./$program"
        done
    done
    cat <<TEXT
CPU time of one run of \`bench/programs/work_*.c\` (campaigns of $n runs, from start to end), beside the native program (-O2): random schedules without
and with the monitor, and asset with its predictions. Median of the turns; in brackets the smallest and the largest. The paper, by the clock:
monitoring 1.8–150, asset 1.45–11.6.

| program | native, s | without the monitor | with it | asset | with : without |
|---|---|---|---|---|---|
TEXT
    awk "$STATISTICS"'
        { cpu[$1, $3, $2] = $6 / $4; if ($2 > turns) turns = $2; if (!($1 in seen)) { seen[$1]; order[++n] = $1 } }
        function ratio(p, a, b,    t, list) { for (t = 1; t <= turns; t++) list[t] = cpu[p, a, t] / cpu[p, b, t]; return spread(list, turns, "%.2f") }
        function seconds(p,    t, list) { for (t = 1; t <= turns; t++) list[t] = cpu[p, "native", t]; return spread(list, turns, "%.2f") }
        END {
            for (i = 1; i <= n; i++) {
                p = order[i]
                printf "| %s | %s | %s | %s | %s | %s |\n", p, seconds(p), ratio(p, "off", "native"), ratio(p, "monitor", "native"), ratio(p, "asset", "native"),
                    ratio(p, "monitor", "off")
            }
        }' overhead.data
}

mapfile -t files < <(subjects_wanted)
[ ${#files[@]} -gt 0 ] || exit 1
for part in "${parts[@]}"; do
    "part_$part" >"$part.md" || exit 1
    record "$part" <"$part.md" || die "cannot write $RESULTS"
done
[ -n "$print" ] || say "written: $RESULTS"
