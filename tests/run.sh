#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# run.sh - runs the unit tests (tests/unit/*.c) and the test scripts (tests/*/*.test), several at a time, prints what they say in
# order, and ends with one line `N passed, N failed`.
#
#   tests/run.sh [WORD...]          only those whose path contains one of the words
#   tests/run.sh --list [WORD...]   runs nothing, prints their paths
#
# B=DIR       build directory (build)          JOBS=N   how many at a time (as many as there are processors)
# CASE=NAME   only the cases of unit tests with this name, which may contain * and ?
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
    command=("$file" ${CASE:+"$CASE"})
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
    TIMEFORMAT='# %0R s, CPU: %0U s of its own, %0S s of the system'
    { time timeout -k 10 "$limit" "${command[@]}" >"$result" 2>&1 </dev/null; } 2>"$result.time"
    status=$?
    if [ $status -eq 124 ] || [ $status -eq 137 ]; then
        echo "not ok $file: not finished after $((SECONDS - start)) seconds" >>"$result"
    elif [ $status -ne 0 ] && ! grep -q '^not ok' "$result"; then
        echo "not ok $file: ended with status $status" >>"$result"
    elif ! grep -Eq '^(ok|not ok|skip) ' "$result"; then
        echo "not ok $file: tested nothing" >>"$result"
    fi
    cat "$result.time" >>"$result"
    mv "$result" "$result.done"
    exit 0
fi

# refuse SENTENCE: nothing is run.
refuse()
{
    echo "$1" >&2
    echo "0 passed, 1 failed" >&2
    exit 1
}

# has_case FILE: it is a unit test with a case that CASE names.
has_case()
{
    local name
    while read -r name; do
        # shellcheck disable=SC2053 # CASE is a pattern
        [[ $name == $CASE ]] && return 0
    done < <("$1" --list 2>/dev/null)
    return 1
}

list=
if [ "${1:-}" = --list ]; then
    list=yes
    shift
fi

all=()
for file in tests/unit/*.c; do
    name=${file##*/}
    all+=("$B/unit/${name%.c}")
done
all+=(tests/*/*.test)

files=("${all[@]}")
if [ $# -gt 0 ]; then
    files=()
    for word; do
        case "${all[*]}" in *"$word"*) ;; *) refuse "There is no test whose path contains '$word'; tests/run.sh --list prints all paths." ;; esac
    done
    for file in "${all[@]}"; do
        for word; do
            case $file in *"$word"*)
                files+=("$file")
                break
                ;;
            esac
        done
    done
fi
if [ -n "$list" ]; then
    printf '%s\n' "${files[@]}"
    exit 0
fi
if [ -n "${CASE:-}" ]; then
    with_case=()
    for file in "${files[@]}"; do has_case "$file" && with_case+=("$file"); done
    [ ${#with_case[@]} -gt 0 ] || refuse "None of these unit tests has a case '$CASE'; build/unit/NAME --list prints the cases of one."
    files=("${with_case[@]}")
fi

results=$(mktemp -d "${TMPDIR:-/tmp}/raddle-check-XXXXXX") || exit 1
trap 'rm -rf "$results"' EXIT
for i in "${!files[@]}"; do printf '%s\0%s\0' "${files[$i]}" "$results/$i"; done |
    xargs -0 -n 2 -P "${JOBS:-$(nproc)}" bash tests/run.sh --one &
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
