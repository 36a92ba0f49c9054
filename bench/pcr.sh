#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# pcr.sh - measures `--strategy pcr` and `mcr` beside others, and writes what it measured into its sections of RESULTS.md, beside the numbers
# of the paper (Y. Zhao, Z. Wang, S. Liu, J. Sun, J. Chen, X. Chen, "Achieving High MAP-Coverage through Pattern Constraint Reduction",
# tables 4 to 6).
#
#   bench/pcr.sh [OPTIONS] [subjects] [time] [chains]       all by default
#
#     subjects   schedules to the first failure on small modules in the shapes of the paper's twenty classes
#     time       different failing schedules that campaigns of equal time find on them
#     chains     schedules to the first failure as the number of steps and of bystanders of bench/programs/chain.c grows
#
#     --strategies LIST   which (pcr,mcr,maptest,maple,all,random); those that this raddle does not know are left out
#     --programs LIST     subjects, time: only these: names, or tuned, or aside
#     --seeds N           campaigns per program and strategy (20; time: 5)
#     --runs N            subjects, chains: schedules at most per campaign (2000)
#     --limit TIME        subjects, chains: time at most per campaign (60s)
#     --budget TIME       time: of each campaign (2s)
#     --jobs N            subjects, chains: campaigns at a time (1)
#     --print             print, do not write RESULTS.md
#
#   B=DIR (build directory), KEEP=1 (keep the working directory), RESULTS=FILE
. "$(dirname "$0")/lib.sh"

# Program  class of the paper  its schedules to the first failure with pcr, mcr, maptest (tables 4 and 6)  its buggy runs in equal time with
# pcr, maptest (table 5).  Nothing is tuned on those that are held aside: every second one, in the order of the paper, of those whose
# bug is a data race, and every second one of those whose bug is under locks.  When the lists were made, random, maple, maptest and all
# had been measured from three seeds (and five subjects had been made harder), pcr and mcr had not.
SUBJECTS='user_pool PerUserPoolDataSource 5.0 3.0 15.2 4.0 2.3
shared_pool SharedPoolDataSource 6.4 3.0 411.6 5.0 0.5
input_buffer InputBuffer 5.0 11.6 35.1 3.0 1.4
request Request 9.5 4.3 10.0 13.0 20.1
input_stream BufferedInputStream 2.0 5.0 4.8 6.6 4.4
segmented_map ConcurrentHashMap 2.8 6.8 1.0 2.6 11.5
hash_table HashTable 2.0 21.3 31.4 11.6 5.8
logger Logger 5.0 4.7 9.0 4.2 1.4
string_buffer StringBuffer 1.0 1.0 6.3 34.4 2.1
vector_find Vector_1.1 2.0 3.0 14.0 4.0 1.3
vector_copy Vector_1.4 3.0 4.0 44.9 5.0 0.4
axis_range NumberAxis 11.0 7.0 149.0 3.0 0.5
period_axis PeriodAxis 6.8 5.8 22.0 1.6 0.0
time_series TimeSeries 2.0 2.0 1.0 3.0 2.0
plot XYPlot 3.0 3.0 24.6 7.0 2.9
xy_series XYSeries 4.9 3.1 17.0 2.0 1.7
appenders AppenderAttachableImpl 2.0 8.2 86.2 20.7 0.0
file_appender FileAppender 3.0 2.8 21.7 11.0 3.3
filters NullAppender 2.0 3.3 20.4 4.8 2.0
codec XStream 3.0 3.0 670.3 1.0 0.1'
tuned=(user_pool shared_pool request segmented_map string_buffer vector_copy period_axis time_series appenders file_appender)
aside=(input_buffer input_stream hash_table logger vector_find axis_range plot xy_series filters codec)
STEPS=(2 3 4 5)
BYSTANDERS=(0 4 8)

strategies=pcr,mcr,maptest,maple,all,random programs='' seeds='' runs=2000 limit=60s budget=2s jobs=1 print=''
parts=() options=()
usage() { sed -n '/^#   bench\/pcr/,/^#   B=/s/^# \{0,3\}//p' "$0"; }

while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --seeds | --runs | --jobs)
        is_number "${2:-}" || die "$1 needs a whole number above 0"
        printf -v "${1#--}" %s "$2"
        [ "$1" = --jobs ] || options+=("$1" "$2")
        shift
        ;;
    --strategies | --programs | --limit | --budget)
        [ -n "${2:-}" ] || die "$1 needs a value; bench/pcr.sh --help says which"
        printf -v "${1#--}" %s "$2"
        options+=("$1" "$2")
        shift
        ;;
    --print) print=yes ;;
    subjects | time | chains) parts+=("$1") ;;
    *) die "there is no '$1' here; bench/pcr.sh --help says what there is" ;;
    esac
    shift
done
[ ${#parts[@]} -gt 0 ] || parts=(subjects time chains)

bench_begin
cd "$WORK" || exit 1

# The strategies that this raddle has: it says what is wrong with an option before it says that there is no such program.
strategies_known()
{
    local strategy said list=() known=()
    IFS=, read -ra list <<<"$strategies"
    for strategy in "${list[@]}"; do
        said=$("$RADDLE" run --strategy "$strategy" --runs 1 -- "$WORK/none" 2>&1)
        case $said in
        *"there is no program"*) known+=("$strategy") ;;
        *) say "left out: this raddle has no strategy $strategy" ;;
        esac
    done
    [ ${#known[@]} -gt 0 ] || die "this raddle has none of the strategies $strategies"
    strategies=$(IFS=, && echo "${known[*]}")
}

# The names of the subjects that are wanted, in the order of the paper.
subjects_wanted()
{
    local name list=()
    case $programs in
    '') list=("${tuned[@]}" "${aside[@]}") ;;
    tuned) list=("${tuned[@]}") ;;
    aside) list=("${aside[@]}") ;;
    *) IFS=, read -ra list <<<"$programs" ;;
    esac
    for name in "${list[@]}"; do
        grep -q "^$name " <<<"$SUBJECTS" || die "there is no subject $name"
    done
    cut -d' ' -f1 <<<"$SUBJECTS" | grep -Fx -e "$(printf '%s\n' "${list[@]}")"
}

# build NAME SOURCE FLAGS...: by the same compiler at the same level, from the root, so that it is the same file wherever it is built.
build()
{
    (cd "$ROOT" && RADDLE_CC=gcc "$RADDLE" cc -std=gnu17 -O1 -g -pthread "${@:3}" "bench/programs/$2.c" -o "$WORK/$1") ||
        die "cannot build bench/programs/$2.c"
}

# first_failures NAME...: NAME.csv as bench/compare writes it, over all campaigns of the programs.
first_failures()
{
    local output=$1.csv
    "$ROOT/bench/compare" --strategies "$strategies" --seeds "${seeds:-20}" --runs "$runs" --time "$limit" -j "$jobs" --out "$output" \
        "${@:2}" >/dev/null || die "bench/compare did not come to its end"
}

record()
{
    local command="bench/pcr.sh ${options[*]:+${options[*]} }$1"
    if [ -n "$print" ]; then cat; else results_record "pcr-$1" "$command"; fi
}

# Titles of the columns of the strategies.
titles() { echo "${strategies//,/ | }"; }
rules() { tr -cd ',' <<<"$strategies," | sed 's/,/---|/g'; }

# awk over the CSV of bench/compare: schedules and seconds to the first failure by program and strategy.
FOUND='
    function read_campaign(    p, k) {
        p = $1; sub(/^\.\//, "", p); k = p SUBSEP $2
        n[k]++; seconds[k] += $9; points[p] += $12; campaigns[p]++
        if ($7 != "") { found[k]++; sum[k] += $7 }
        cost[k] += $7 != "" ? $7 : $8
    }
    function cell(k) {
        if (!(k in n)) return "–"
        return (found[k] ? sprintf("%.1f, ", sum[k] / found[k]) : "") (found[k] + 0) " of " n[k]
    }'

# ---- subjects ------------------------------------------------------------------------------------------------------------

part_subjects()
{
    local names=() name
    mapfile -t names < <(subjects_wanted)
    [ ${#names[@]} -gt 0 ] || exit 1
    for name in "${names[@]}"; do build "$name" "subject_$name"; done
    first_failures subjects "${names[@]/#/./}"
    cat <<TEXT
Schedules to the first failure on \`bench/programs/subject_*.c\`, modules in the shapes of the classes of the paper (other code, other tests): mean
over the seeds that found it within $runs schedules and $limit, and how many did. The paper: schedules to the first bug, in Java, on tests that
were generated. In the last rows a campaign that found nothing counts with all its schedules (then with ≥).

| program | | class of the paper | paper: pcr, mcr, maptest | points per run | $(titles) |
|---|---|---|---|---|$(rules)
TEXT
    awk -F'[ ,]' -v strategies="$strategies" -v aside=" ${aside[*]} " "$FOUND"'
        NR == FNR { order[++count] = $1; class[$1] = $2; paper[$1] = $3 ", " $4 ", " $5; next }
        FNR > 1 { read_campaign() }
        function mean_row(title, which,    i, j, k, line, schedules, all, missed, time) {
            if (which != "" && !(which in rows)) return
            line = "| " title " | | | | |"
            for (j = 1; j <= ns; j++) {
                schedules = all = missed = time = 0
                for (i = 1; i <= count; i++) {
                    k = order[i] SUBSEP strategy[j]
                    if (!(k in n) || (which != "" && which != part(order[i]))) continue
                    schedules += cost[k]; all += n[k]; missed += n[k] - found[k]; time += seconds[k]
                }
                line = line (all ? sprintf(" %s%.1f, %d of %d, %.2f s |", missed ? "≥ " : "", schedules / all, all - missed, all, time / all) : " |")
            }
            print line
        }
        function part(p) { return index(aside, " " p " ") ? "aside" : "tuned" }
        END {
            ns = split(strategies, strategy, ",")
            for (i = 1; i <= count; i++) {
                p = order[i]
                if (!(p in campaigns)) continue
                gsub(/_/, " ", class[p])
                line = sprintf("| %s | %s | %s | %s | %d |", p, part(p), class[p], paper[p], points[p] / campaigns[p])
                for (j = 1; j <= ns; j++) line = line " " cell(p SUBSEP strategy[j]) " |"
                print line
                rows[part(p)]
            }
            mean_row("mean, tuned", "tuned")
            mean_row("mean, aside", "aside")
            mean_row("mean", "")
        }' <(echo "$SUBJECTS") subjects.csv
    echo
    echo 'The paper, mean over its twenty classes: pcr 4.1, mcr 5.3, maptest 79.8.'
}

# ---- time ----------------------------------------------------------------------------------------------------------------

# failing_schedules PROGRAM STRATEGY SEED -> "schedules  failing ones  different failing ones" of a campaign.
failing_schedules()
{
    "$RADDLE" run --quiet --no-replay-first --no-shrink --keep-going --strategy "$2" --seed "$3" --time "$budget" --out out --log-runs log \
        --json time.json -- "./$1" >/dev/null 2>time.err </dev/null
    case $? in
    0 | 2) ;;
    *) die "$1, $2, seed $3: $(tail -n 1 time.err)" ;;
    esac
    awk -F'\t' 'NR > 1 { n++ } NR > 1 && $4 != "good" && $4 != "unfinished" && $4 != "lost" { failing++; if (!seen[$10]++) different++ }
        END { print n + 0, failing + 0, different + 0 }' log
    rm -rf out log
}

part_time()
{
    local names=() list=() name seed strategy
    mapfile -t names < <(subjects_wanted)
    [ ${#names[@]} -gt 0 ] || exit 1
    IFS=, read -ra list <<<"$strategies"
    for name in "${names[@]}"; do build "$name" "subject_$name"; done
    for ((seed = 1; seed <= ${seeds:-5}; seed++)); do
        say "time: turn $seed of ${seeds:-5}"
        for name in "${names[@]}"; do
            for strategy in "${list[@]}"; do
                echo "$name $strategy $(failing_schedules "$name" "$strategy" "$seed")"
            done
        done
    done >time.data
    cat <<TEXT
Different failing schedules that a campaign of $budget finds (in brackets: of how many schedules); mean of ${seeds:-5} campaigns. The paper: runs with a
bug in 10 s, in Java.

| program | | paper: pcr, maptest | $(titles) |
|---|---|---|$(rules)
TEXT
    awk -v strategies="$strategies" -v aside=" ${aside[*]} " '
        NR == FNR { order[++count] = $1; paper[$1] = $6 ", " $7; next }
        { k = $1 SUBSEP $2; n[k]++; schedules[k] += $3; different[k] += $5; seen[$1] }
        END {
            ns = split(strategies, strategy, ",")
            for (i = 1; i <= count; i++) {
                p = order[i]
                if (!(p in seen)) continue
                line = sprintf("| %s | %s | %s |", p, index(aside, " " p " ") ? "aside" : "tuned", paper[p])
                most = -1
                for (j = 1; j <= ns; j++) {
                    k = p SUBSEP strategy[j]
                    line = line sprintf(" %.1f (%d) |", different[k] / n[k], schedules[k] / n[k])
                    if (different[k] > most) most = different[k]
                    total[j] += different[k] / n[k]
                }
                print line
                for (j = 1; j <= ns; j++) best[j] += most > 0 && different[p SUBSEP strategy[j]] == most
                rows++
            }
            line = "| mean | | |"; last = "| most on | | |"
            for (j = 1; j <= ns; j++) { line = line sprintf(" %.1f |", total[j] / rows); last = last sprintf(" %d of %d |", best[j], rows) }
            print line; print last
        }' <(echo "$SUBJECTS") time.data
}

# ---- chains --------------------------------------------------------------------------------------------------------------

part_chains()
{
    local names=() steps bystanders
    for steps in "${STEPS[@]}"; do
        for bystanders in "${BYSTANDERS[@]}"; do
            names+=("chain_${steps}_$bystanders")
            build "${names[-1]}" chain -DSTEPS="$steps" -DBYSTANDERS="$bystanders"
        done
    done
    first_failures chains "${names[@]/#/./}"
    cat <<TEXT
Schedules to the first failure of \`bench/programs/chain.c\`, which takes so many steps in order, each of which depends on a value, among
bystanders: threads that work under a lock on data of their own. Mean over the seeds that found it within $runs schedules and $limit, and how
many did.

| steps | bystanders | points per run | $(titles) |
|---|---|---|$(rules)
TEXT
    printf '%s\n' "${names[@]}" | awk -F'[ ,]' -v strategies="$strategies" "$FOUND"'
        NR == FNR { order[++count] = $1; next }
        FNR > 1 { read_campaign() }
        END {
            ns = split(strategies, strategy, ",")
            for (i = 1; i <= count; i++) {
                split(order[i], size, "_")
                line = sprintf("| %d | %d | %d |", size[2], size[3], points[order[i]] / campaigns[order[i]])
                for (j = 1; j <= ns; j++) line = line " " cell(order[i] SUBSEP strategy[j]) " |"
                print line
            }
        }' - chains.csv
}

strategies_known
for part in "${parts[@]}"; do
    "part_$part" >"$part.md" || exit 1
    record "$part" <"$part.md" || die "cannot write $RESULTS"
done
[ -n "$print" ] || say "written: $RESULTS"
