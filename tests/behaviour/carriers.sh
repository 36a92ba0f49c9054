# SPDX-License-Identifier: MIT
#
# carriers.sh - the behaviour tests on all that can carry threads.  The model is one and the same: fibres get all schedules
# of a row, the others a fifth, each with a seed of its own.

CARRIERS="fibre slow-fibre kernel"
CARRIER=fibre

# for_carriers FUNCTION ARGUMENT...: once for each, with CARRIER set.
for_carriers()
{
    for CARRIER in $CARRIERS; do "$@"; done
}

# run_carried RUNS OPTION...: `raddle run` on $CARRIER; sets STATUS and OUTPUT.
run_carried()
{
    local runs=$1 seed=1
    [ "$CARRIER" = fibre ] || runs=$(((runs + 4) / 5)) seed=$((2 + ${#CARRIER}))
    RUN_SECONDS=120 run "$RADDLE" run --threads "$CARRIER" --runs "$runs" --seed "$seed" "${@:2}"
}

# carried_quietly PROGRAM RUNS: it asserts its rows itself.
carried_quietly()
{
    run_carried "$2" --out "$1.out" -- "./$1"
    if [ $STATUS -eq 0 ]; then pass "$1 on $CARRIER"; else fail "$1 on $CARRIER" "status $STATUS"; fi
}
