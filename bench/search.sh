#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# search.sh - the searches beside the techniques that sample: runs to the first failure, and runs until all is known.  The programs have the
# shapes of the kernels and benchmarks of J. Chen's thesis (two stages, wrong lock, producer and consumer, reorder, deadlocks, lost notify,
# nested monitor, bounded buffer, account, linked list and others).
#
#   bench/search.sh [first] [complete] [--programs LIST] [--runs N] [--seeds N]
#
#     first     the median over the seeds of the first schedule that fails, for each technique
#     complete  runs of dpor until all behaviours are known, and schedules of dfs until all have been tried; > N: not within N runs
#
# Prints tables in Markdown.
set -u
ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$ROOT/tests/lib.sh"
. "$ROOT/tests/programs/programs.sh"

programs=(lost_update_sections lost_update_wrong_lock check_then_act_queue barrier_reuse order_publish_before_fill deadlock_abba deadlock_cycle3
    dining lostwake_signal_before_wait lostwake_if deadlock_nested_monitor circular_buffer check_then_act_overdraft account_transfer
    maple_circular_list deadlock_join_locked lost_update_plain)
techniques=(dpor chess maple pcr random dfs)
parts=() runs=10000 seeds=3
while [ $# -gt 0 ]; do
    case $1 in
    --programs) IFS=, read -ra programs <<<"$2"; shift ;;
    --runs) runs=$2; shift ;;
    --seeds) seeds=$2; shift ;;
    *) parts+=("$1") ;;
    esac
    shift
done
[ ${#parts[@]} -gt 0 ] || parts=(first complete)

# campaign TECHNIQUE SEED [OPTION...]: of ./program, into result.json.
campaign()
{
    rm -rf out result.json
    timeout 120 "$RADDLE" run --quiet --no-shrink --no-replay-first --strategy "$1" --seed "$2" --runs "$runs" --out out --json result.json "${@:3}" \
        -- ./program >/dev/null 2>&1
}

median() { sort -n | sed -n "$(((seeds + 1) / 2))p"; }

first_failure()
{
    local seed count=$seeds
    case $1 in dpor | chess | dfs) count=1 ;; esac # the seed does not matter
    for ((seed = 1; seed <= count; seed++)); do
        campaign "$1" "$seed"
        local n
        n=$(json_field result.json schedules_to_first_failure)
        [[ "$n" =~ ^[0-9]+$ ]] && echo "$n" || echo "$((runs + 1))"
    done | if [ "$count" -eq 1 ]; then cat; else median; fi | sed "s/^$((runs + 1))\$/> $runs/"
}

search_field() { sed -n "/^  \"search\"/,/^  }/s/^ *\"$1\": *\([^,]*\),*\$/\1/p" result.json; }

complete()
{
    local executions schedules
    campaign dpor 1 --keep-going --coverage none
    executions=$(search_field executions)
    [ "$(search_field ended)" = true ] || executions="> $runs"
    campaign dfs 1 --keep-going --coverage none
    schedules=$(json_field result.json schedules_exhausted)
    [ "${schedules:-0}" != 0 ] || schedules="> $runs"
    echo "| $1 | $executions | $schedules |"
}

for part in "${parts[@]}"; do
    case $part in
    first)
        printf '| program | %s |\n' "$(IFS='|' && echo "${techniques[*]}")"
        printf '|---%.0s' program "${techniques[@]}" && echo '|'
        ;;
    complete) printf '| program | dpor | dfs |\n|---|---|---|\n' ;;
    esac
    for name in "${programs[@]}"; do
        program_build must-find "$name" program >/dev/null 2>&1 || { echo "| $name | does not build |"; continue; }
        case $part in
        first)
            row="| $name |"
            for technique in "${techniques[@]}"; do row+=" $(first_failure "$technique") |"; done
            echo "$row"
            ;;
        complete) complete "$name" ;;
        esac
    done
done
