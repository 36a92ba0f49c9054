#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# gen.sh - what `raddle gen` finds in the modules of tests/generate, beside the baseline of random sequences (--random), and that it finds
# nothing in their correct twins.
#
#   bench/gen.sh [OPTIONS] [MODULE...]       all modules by default
#
#     --seeds N     campaigns per module, seeds 1 to N (3)
#     --time TIME   for each (30s)
#     --twin TIME   for each correct twin (10s)
#     --print       print, do not write RESULTS.md
#
#   B=DIR (build directory), KEEP=1 (keep the working directory), RESULTS=FILE
. "$(dirname "$0")/lib.sh"
seeds=3 time=30s twin=10s print='' command="$SCRIPT${*:+ $*}"
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        sed -n '/^#   bench\/gen/,/^#   B=/s/^# \{0,3\}//p' "$0"
        exit 0
        ;;
    --seeds)
        is_number "${2:-}" || die "$1 needs a whole number above 0"
        seeds=$2
        shift
        ;;
    --time) time=$2 && shift ;;
    --twin) twin=$2 && shift ;;
    --print) print=yes ;;
    -*) die "there is no option $1" ;;
    *) break ;;
    esac
    shift
done
bench_begin
cd "$WORK" || exit 1
MODULES=$ROOT/tests/generate
modules=("$@")
[ $# -gt 0 ] || mapfile -t modules < <(cd "$MODULES" && printf '%s\n' *.c | sed 's/\.c$//')

# measure MODULE WAY OPTIONS...: one line per seed: found, tests, schedules, seconds until the first fault, seconds of CPU time of all.
measure()
{
    local module=$1 way=$2 seed
    shift 2
    for ((seed = 1; seed <= seeds; seed++)); do
        TIMEFORMAT='%U %S'
        { time "$RADDLE" gen --quiet --seed "$seed" --time "$time" --faults 1 --out out "$@" --json "$module-$way-$seed.json" \
            "$MODULES/$module.h" "$MODULES/$module.c" >/dev/null 2>&1 </dev/null; } 2>"cpu"
        python3 - "$module-$way-$seed.json" "$(cat cpu)" <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
cpu = sum(float(x) for x in sys.argv[2].split())
f = r["faults"][0] if r["faults"] else None
print(*((1, f["tests"], f["schedules"], f["seconds"], cpu) if f else (0, r["tests"], r["schedules"], r["seconds"], cpu)))
END
    done
}

# summary FILE: found of all, and medians.
summary()
{
    python3 - "$1" <<'END'
import statistics, sys
rows = [[float(x) for x in line.split()] for line in open(sys.argv[1])]
found = [r for r in rows if r[0]]
print(f"{len(found)} of {len(rows)} |", f"{statistics.median(r[1] for r in found):.0f} | {statistics.median(r[2] for r in found):.0f} | "
      f"{statistics.median(r[3] for r in found):.1f} | {statistics.median(r[4] for r in found):.1f}" if found else "- | - | - | -")
END
}

table()
{
    echo "| module | found | tests | schedules | seconds | CPU seconds | --random: found | tests | schedules | seconds | CPU seconds | correct twin |"
    echo "|---|---|---|---|---|---|---|---|---|---|---|---|"
    for module in "${modules[@]}"; do
        measure "$module" directed >directed
        measure "$module" random --random >random
        "$RADDLE" gen --quiet --time "$twin" --out out "$MODULES/$module.h" "$MODULES/$module.c" -- -DCORRECT >/dev/null 2>&1 </dev/null
        case $? in 0) silent=silent ;; 2) silent='A FAULT' ;; *) silent="exit status $?" ;; esac
        echo "| $module | $(summary directed) | $(summary random) | $silent |"
        say "$module"
    done
}

table >table
if [ -n "$print" ]; then
    cat table
    exit 0
fi
results_record "gen" "$command" <<END
Modules of \`tests/generate\`, each with one fault, $time for each of $seeds seeds; numbers are medians of those that found it, until the first fault: tests, schedules, seconds
(building the module is part of them), and seconds of CPU time of the whole command, which also reduces the fault and writes the test. Correct twins: $twin each.

$(cat table)
END
