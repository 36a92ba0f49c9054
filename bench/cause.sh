#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# cause.sh - on how many programs of tests/programs/must-find the cause that raddle names is the one that the head of the program names
# (`// cause:`), written into the section `cause` of RESULTS.md.
#
#   bench/cause.sh [OPTIONS] [NAME...]
#
#     --seeds N    campaigns per program (3)
#     --print      print, do not write RESULTS.md
#
#   B=DIR (build directory), KEEP=1 (keep the working directory), RESULTS=FILE
. "$(dirname "$0")/lib.sh"
. "$ROOT/tests/programs/programs.sh"

seeds=3 print=''
names=() options=()
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        sed -n '/^#   bench\/cause/,/^#   B=/s/^# \{0,3\}//p' "$0"
        exit 0
        ;;
    --seeds)
        is_number "${2:-}" || die "$1 needs a whole number above 0"
        seeds=$2
        options+=("$1" "$2")
        shift
        ;;
    --print) print=yes ;;
    -*) die "there is no '$1' here; bench/cause.sh --help says what there is" ;;
    *) names+=("$1") ;;
    esac
    shift
done
[ ${#names[@]} -gt 0 ] ||
    mapfile -t names < <(program_causes)

bench_begin
cd "$WORK" || exit 1

# look NAME: lines "name seed verdict failing passing how named" in NAME.lines.
look()
{
    local source strategy runs seed named status counts
    source=$(program_source must-find "$1")
    [ -f "$source" ] || die "there is no program $1"
    read -r strategy runs < <(program_finds "$1" "$source" | tail -n 1)
    program_build must-find "$1" "$1" >build.log 2>&1 || die "cannot build $1"
    for seed in $(seq "$seeds"); do
        # shellcheck disable=SC2046
        "$RADDLE" run --quiet --strategy "$strategy" --runs "$runs" --seed "$seed" --out "$1.$seed" \
            $(program_says "$source" run) -- "./$1" >/dev/null 2>&1 </dev/null
        named=$(python3 "$ROOT/tests/programs/cause.py" "$source" "$1.$seed/failure-1/tale.json" 2>&1)
        status=$?
        counts=$(python3 -c '
import json, sys
cause = json.load(open(sys.argv[1]))["cause"]
print(cause["failing_with"] + cause["failing_without"], cause["passing_with"] + cause["passing_without"],
      "two" if cause["second"] else "one")' "$1.$seed/failure-1/tale.json" 2>/dev/null || echo '0 0 one')
        echo "$1 $seed $status $counts $named"
    done >"$1.lines"
}

for name in "${names[@]}"; do look "$name"; done

{
    cat <<TEXT
The head of each program says what its bug is, as a pattern; it was written by hand before the tool was run on it. Afterwards four heads
were put right (a line, the line as the compiler has it, the write of a `++` beside its read, `<` where a third thread may come between) and two
were taken out that were wrong: what they said is in passing runs too. One campaign per seed, as \`tests/programs/cause.test\` does it; the counts are different schedules that were compared, from the smallest to the largest of the
seeds. "Another" means that something else was named, "none" that nothing was.

| program | the head's | another | none | failing schedules | passing schedules |
|---|---|---|---|---|---|
TEXT
    for name in "${names[@]}"; do cat "$name.lines"; done | awk '
        function range(least, most) { return least == most ? least : least "–" most }
        !($1 in n) { order[++count] = $1; lf[$1] = lp[$1] = 1e9 }
        {
            n[$1]++
            same[$1] += $3 == 0; other[$1] += $3 == 1; none[$1] += $3 >= 2
            if ($4 < lf[$1]) lf[$1] = $4
            if ($4 > mf[$1]) mf[$1] = $4
            if ($5 < lp[$1]) lp[$1] = $5
            if ($5 > mp[$1]) mp[$1] = $5
        }
        END {
            for (i = 1; i <= count; i++) {
                p = order[i]
                printf "| %s | %d of %d | %s | %s | %s | %s |\n", p, same[p], n[p], other[p] ? other[p] : "", none[p] ? none[p] : "",
                    range(lf[p] + 0, mf[p] + 0), range(lp[p] + 0, mp[p] + 0)
                all += same[p] == n[p]; campaigns += n[p]; right += same[p]
            }
            printf "\nFrom every seed on %d of %d programs; in %d of %d campaigns.\n", all, count, right, campaigns
        }'
} >table
if [ -n "$print" ]; then
    cat table
else
    results_record cause "bench/cause.sh ${options[*]}" <table || die "cannot write $RESULTS"
fi
