#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# run.sh - runs the unit tests (build/unit/*) and the test scripts (tests/*/*.test), two at a time, prints what they say in
# order, and ends with one line `N passed, N failed`.
#
#   tests/run.sh [WORD...]     only those whose path contains one of the words
#
# B=DIR       build directory (build)          JOBS=N   how many at a time (2)
# SOAK=1      tests do more, and may take 20 times as long
#
# A test is a line `ok ...` or `not ok ...`.  A script that ends with another status than 0 without having said `not ok`, that
# says nothing, or that runs longer than its time (a line `# timeout: SECONDS` in it; else 300 s) is one failed test.
set -u
cd "$(dirname "$0")/.." || exit 1
export B=${B:-build}
export CMOCKA_MESSAGE_OUTPUT=TAP

# run.sh --one FILE RESULT: one of the jobs.
if [ "${1:-}" = --one ]; then
    file=$2 result=$3
    command=("$file")
    limit=
    case $file in *.test)
        command=(bash "$file")
        limit=$(sed -n 's/^# timeout: *\([0-9][0-9]*\).*/\1/p' "$file" | head -n 1)
        ;;
    esac
    limit=$((${limit:-300} * ${SOAK:+20 *} 1))
    start=$SECONDS
    # What takes hours says that it has begun.
    [ -z "${SOAK:-}" ] || echo "# $(date +%T) $file, at most $((limit / 60)) minutes" >&2
    timeout -k 10 "$limit" "${command[@]}" >"$result" 2>&1 </dev/null
    status=$?
    if [ $status -eq 124 ] || [ $status -eq 137 ]; then
        echo "not ok $file: not finished after $((SECONDS - start)) seconds" >>"$result"
    elif [ $status -ne 0 ] && ! grep -q '^not ok' "$result"; then
        echo "not ok $file: ended with status $status" >>"$result"
    elif ! grep -Eq '^(ok|not ok|skip) ' "$result"; then
        echo "not ok $file: tested nothing" >>"$result"
    fi
    echo "# $((SECONDS - start)) s" >>"$result"
    mv "$result" "$result.done"
    exit 0
fi

files=()
for file in "$B"/unit/* tests/*/*.test; do
    case $file in *.d | *.o) continue ;; esac
    [ -f "$file" ] || continue
    wanted=$([ $# -eq 0 ] && echo yes)
    for word; do
        case $file in *"$word"*) wanted=yes ;; esac
    done
    [ -n "$wanted" ] && files+=("$file")
done
if [ ${#files[@]} -eq 0 ]; then
    echo "no tests there"
    echo "0 passed, 1 failed"
    exit 1
fi

results=$(mktemp -d "${TMPDIR:-/tmp}/raddle-check-XXXXXX") || exit 1
trap 'rm -rf "$results"' EXIT
for i in "${!files[@]}"; do printf '%s\0%s\0' "${files[$i]}" "$results/$i"; done |
    xargs -0 -n 2 -P "${JOBS:-2}" bash tests/run.sh --one &
pool=$!
trap 'kill $pool 2>/dev/null; rm -rf "$results"; exit 130' INT TERM

for i in "${!files[@]}"; do
    until [ -f "$results/$i.done" ]; do
        kill -0 $pool 2>/dev/null || [ -f "$results/$i.done" ] || break
        sleep 0.1
    done
    [ -f "$results/$i.done" ] || echo "not ok ${files[$i]}: was not run" >"$results/$i.done"
    echo "== ${files[$i]}"
    cat "$results/$i.done"
done
wait $pool

# cmocka marks a skipped test `ok N # SKIP`.
passed=$(cat "$results"/*.done | grep '^ok ' | grep -vc '# SKIP')
failed=$(cat "$results"/*.done | grep -c '^not ok ')
echo
if [ "$failed" -gt 0 ]; then
    cat "$results"/*.done | grep '^not ok '
fi
skipped=$(cat "$results"/*.done | grep -Ec '^skip |^ok .*# SKIP')
[ "$skipped" -gt 0 ] && echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
