#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# before.sh - is raddle as fast as another build of it?  The same campaigns by both, in turn; the ratio of their CPU times.
#
#   BEFORE=FILE bench/before.sh [ROUNDS]        FILE is the other raddle; the least of ROUNDS (5) counts for each
#
# CPU time is that of the driver and of all processes that it has waited for; so it does not depend on what else the machine does as much as the
# time on the clock.  For a fixed seed both make the same schedules, unless the change is one of behaviour.
. "$(dirname "$0")/lib.sh"
rounds=${1:-5}
is_number "$rounds" || die "ROUNDS is a number, not '$rounds'"
[ -x "${BEFORE:-}" ] || die "BEFORE=FILE must name the other raddle"
before=$(realpath "$BEFORE")
bench_begin
cd "$WORK" || exit 1

# cpu_time COMMAND...: of the command, in milliseconds.
cpu_time()
{
    local TIMEFORMAT='%U %S'
    { time "$@" </dev/null >/dev/null 2>&1; } 2>&1 | awk '{ printf "%d\n", ($1 + $2) * 1000 }'
}

# Columns: program, options.
cases='app_store --strategy maple --runs 1200
app_broker --strategy maple --runs 1200
cover_cache --strategy all --runs 3000
app_store --strategy pos --coverage-all --runs 2000
condvar_queue --strategy random --coverage none --runs 40000
lock_counter --strategy random --coverage none --runs 40000
atomics --strategy random --coverage none --runs 40000'

table=$(
    echo '| program | options | before, ms CPU | now | ratio |'
    echo '|---|---|---|---|---|'
    while read -r program options; do
        for side in before now; do
            command=$RADDLE
            [ $side = now ] || command=$before
            "$command" cc -O1 -g -pthread "$ROOT/bench/programs/$program.c" -o "$side.$program" || die "cannot build $program"
        done
        least_before=999999999
        least_now=999999999
        for ((i = 0; i < rounds; i++)); do
            # shellcheck disable=SC2086 # words of options
            for side in before now; do
                command=$RADDLE
                [ $side = now ] || command=$before
                took=$(cpu_time "$command" run --quiet --no-replay-first --keep-going --no-shrink --seed 3 --out "out.$side" $options -- "./$side.$program")
                least=least_$side
                [ "$took" -ge "${!least}" ] || printf -v "$least" %d "$took"
            done
        done
        awk -v p="$program" -v o="$options" -v b="$least_before" -v n="$least_now" \
            'BEGIN { printf "| %s | `%s` | %d | %d | %.3f |\n", p, o, b, n, n / b }'
    done <<<"$cases"
)
echo "$table"
echo "$table" | results_record "Beside the build before" "BEFORE=FILE bench/before.sh $rounds"
