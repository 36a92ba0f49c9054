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
#     --work LIST         violations: how far the threads are apart that interrupt each other, in scheduling points (12,60,300)
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

strategies=asset,race,atom,random,all programs='' work=12,60,300 seeds=5 runs='' turns=5 print=''
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
        grep -q "^$name\.cc* " <<<"$SUBJECTS" || die "there is no subject $name"
    done
    grep -E "^($(IFS='|' && echo "${list[*]}"))\.cc* " <<<"$SUBJECTS" | cut -d' ' -f1
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

# One line of JSON per campaign: what of it the tables need.
CAMPAIGN='
import json, sys
program, strategy, seed, distance, bugs = sys.argv[1:]
result = json.load(open("campaign.json"))
family = result["coverage"]["families"]["asset"]
violations = [v for v in result["violations"] if not v["benign"]]
runs = [line.rstrip("\n").split("\t") for line in open("campaign.log")][1:]
bad = [int(run[0]) for run in runs if run[3] not in ("good", "unfinished", "lost", "serializability")]
names = {unit.split("::")[-1] for v in violations for unit in v["units"]}
print(json.dumps({
    "program": program, "strategy": strategy, "seed": int(seed), "distance": int(distance),
    "violations": sorted({json.dumps([v["pattern"], v["set"], v["units"], v["sites"]]) for v in violations}),
    "covered": family["covered"], "candidates": family["covered"] + family["open"], "impossible": family["impossible"],
    "bugs": sorted(set(bugs.split(",")) & names), "seeded": sorted(set(bugs.split(",")) - {""}),
    "first": min((v["schedule"] for v in violations), default=0), "failure": min(bad, default=0),
    "showing": sum(run[3] == "serializability" for run in runs), "failing": len(bad), "runs": len(runs)}))
'

violations_measure()
{
    local file name strategy distance seed list=() distances=()
    IFS=, read -ra list <<<"$strategies"
    IFS=, read -ra distances <<<"$work"
    for distance in "${distances[@]}"; do
        say "violations: threads $distance apart"
        for file in $(subjects_wanted); do
            name=${file%.*}
            name=${name#set_}
            build "$file" "$name" -DWORK="$distance"
            for strategy in "${list[@]}"; do
                for ((seed = 1; seed <= seeds; seed++)); do
                    campaign "$name" "$strategy" "$seed"
                    python3 -c "$CAMPAIGN" "$name" "$strategy" "$seed" "$distance" "$(bugs_of "$file")" || die "cannot read campaign.json"
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
    for file in $(subjects_wanted); do
        name=${file%.*}_correct
        name=${name#set_}
        build "$file" "$name" -DCORRECT
        for strategy in "${list[@]}"; do
            for seed in 1 2; do
                campaign "$name" "$strategy" "$seed"
                python3 -c "$CAMPAIGN" "$name" "$strategy" "$seed" 12 "" || die "cannot read campaign.json"
            done
        done
    done >twins.data
}

VIOLATIONS='
import json, sys
strategies = sys.argv[1].split(",")
subjects = [line.split() for line in open("subjects")]
data = [json.loads(line) for line in open("violations.data")]
twins = [json.loads(line) for line in open("twins.data")]
distances = sorted({d["distance"] for d in data})
seeds = max(d["seed"] for d in data)
order = [s for s in subjects if any(d["program"] == s[0] for d in data)]

def of(program, strategy, distance):
    return [d for d in data if (program is None or d["program"] == program) and d["strategy"] == strategy and d["distance"] == distance]
def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0
def row(cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")
def head(cells):
    row(cells)
    print("|" + "---|" * len(cells))

for distance in distances:
    print(f"Threads {distance} scheduling points apart. Different violations that happened in a campaign (mean of {seeds} seeds):\n")
    head(["program", "subject", "paper: monitoring, asset"] + strategies)
    total = {s: 0.0 for s in strategies}
    for name, subject, paper, rate, bugs in order:
        cells = [mean(len(d["violations"]) for d in of(name, s, distance)) for s in strategies]
        for s, cell in zip(strategies, cells):
            total[s] += cell
        row([name, subject, paper.replace(",", ", ")] + [f"{cell:.1f}" for cell in cells])
    row(["all", "", "44, 358; 474 with jigsaw"] + [f"{total[s]:.1f}" for s in strategies])
    if "asset" in total:
        row(["asset : this", "", "8.1; 10.8"] + [f"{total['asset'] / total[s]:.1f}" if total[s] else "∞" for s in strategies])
    print()

far = distances[len(distances) // 2]
print(f"Threads {far} apart: predicted candidates (of --strategy asset), and how many of them happened; of all runs, the share that shows a violation "
      "(the detection rate of the paper):\n")
head(["program", "candidates", "happened", "impossible, it was shown", "paper: monitoring, asset"] + [f"runs, {s}" for s in strategies])
sums = [0.0, 0.0]
for name, subject, paper, rate, bugs in order:
    asset = of(name, "asset", far)
    candidates, covered = mean(d["candidates"] for d in asset), mean(d["covered"] for d in asset)
    sums[0] += candidates
    sums[1] += covered
    row([name, f"{candidates:.1f}", f"{covered:.1f}", f"{mean(d['impossible'] for d in asset):.1f}", rate.replace(",", ", ")] +
        [f"{mean(d['showing'] / d['runs'] for d in of(name, s, far)):.2f}" for s in strategies])
row(["all", f"{sums[0]:.1f}", f"{sums[1]:.1f} ({100 * sums[1] / max(sums[0], 1):.0f}%)", "", "0.30, 0.65"] +
    [f"{mean(d['showing'] / d['runs'] for d in of(None, s, far)):.2f}" for s in strategies])
print()

print(f"Threads {far} apart: calls with a bug that are a unit of a violation, of those that are marked in the source, in campaigns from all seeds together; then "
      "the first run with a violation, mean over the seeds that had one, and how many had; then the same for another failure (an assertion):\n")
head(["program", "paper: bugs of race, atom, asset"] + strategies)
found = {s: 0 for s in strategies}
seeded = 0
def first(values):
    hits = [v for v in values if v]
    return (f"{mean(hits):.1f}, " if hits else "") + f"{len(hits)} of {len(values)}"
for name, subject, paper, rate, bugs in order:
    cells = []
    for s in strategies:
        runs = of(name, s, far)
        all_bugs = {bug for d in runs for bug in d["bugs"]}
        found[s] += len(all_bugs)
        cell = f"{len(all_bugs)} of {len(runs[0]['seeded'])}; {first([d['first'] for d in runs])}"
        if any(d["failure"] for x in strategies for d in of(name, x, far)):
            cell += f"; {first([d['failure'] for d in runs])}"
        cells.append(cell)
    seeded += len(runs[0]["seeded"])
    row([name, bugs.replace(",", ", ")] + cells)
row(["all", "35, 17, 53"] + [f"{found[s]} of {seeded}" for s in strategies])
print()
noise = sum(len(d["violations"]) + d["failing"] for d in twins)
print(f"The correct twins (-DCORRECT) of the {len(order)} programs, all strategies, two seeds: {sum(d['runs'] for d in twins)} runs, {noise} violations and failures.")
'

part_violations()
{
    violations_measure
    twins_measure
    sed -E 's/^set_//; s/\.cc* / /' <<<"$SUBJECTS" >subjects
    cat <<TEXT
Campaigns of ${runs:-100} runs each on \`bench/programs/set_*\`, libraries in the shapes of the subjects of the paper (other code, other tests). Random is
the paper's monitoring: random schedules, and every run is looked at by the monitor, as under all strategies here. Two violations are different if pattern,
kind of object, functions of the units, or lines are. Columns are strategies of \`raddle run\`.

TEXT
    python3 -c "$VIOLATIONS" "$strategies" || die "cannot read violations.data"
}

# ---- thrashing -----------------------------------------------------------------------------------------------------------

part_thrashing()
{
    local file name seed
    for file in $(subjects_wanted); do
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

for part in "${parts[@]}"; do
    "part_$part" >"$part.md" || exit 1
    record "$part" <"$part.md" || die "cannot write $RESULTS"
done
[ -n "$print" ] || say "written: $RESULTS"
