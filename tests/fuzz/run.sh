#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# run.sh SECONDS [NAME...] - fuzzes the readers of schedule files, failures, configuration files, exported memos, tales, campaigns, assembler text, kept lists
# of variables and shared memory with libFuzzer, SECONDS in all, divided among them.  Prints `ok NAME` or `not ok NAME: why` for each.
#
#   B=DIR   build directory (build); the programs and what they found are kept in DIR/fuzz
#
# Without clang it says `skip`.
set -u
seconds=${1:-60}
[ $# -eq 0 ] || shift
cd "$(dirname "$0")/../.." || exit 1
out=${B:-build}/fuzz
mkdir -p "$out"

# shellcheck disable=SC2034 # used by name
sources_schedule="src/trace/schedule.c"
# shellcheck disable=SC2034
sources_failure="src/trace/failure.c src/trace/schedule.c src/util/json.c"
# shellcheck disable=SC2034
sources_options="src/campaign/options.c"
# shellcheck disable=SC2034
sources_wire="src/wire/wire_check.c"
# shellcheck disable=SC2034
sources_memo="src/memo/database.c src/memo/database_sqlite.c src/memo/export.c src/memo/import.c src/memo/merge.c src/memo/open.c src/memo/prune.c src/memo/read.c src/memo/rows.c src/memo/schema.c src/memo/sql.c src/memo/store.c src/memo/text.c
    src/trace/access.c src/wire/wire_ops.c src/pattern/family.c src/pattern/instance.c src/pattern/parse.c src/pattern/pattern.c src/pattern/site.c
    src/pattern/site_text.c src/trace/events_names.c src/util/table.c"
# shellcheck disable=SC2034
sources_tale="src/tale/tale.c src/tale/pool.c src/tale/json.c src/tale/parse.c src/tale/slice.c src/tale/slice_begin.c src/tale/slice_context.c src/tale/text.c src/tale/print.c src/tale/columns.c src/tale/lock_query.c src/tale/rows.c
    src/trace/events_names.c src/util/table.c src/wire/wire_ops.c"
# shellcheck disable=SC2034
sources_campaign="src/report/campaign.c src/trace/campaign_counters.c"
# shellcheck disable=SC2034
sources_asm="src/asm/filter.c src/asm/instruction.c src/asm/statement.c"
# shellcheck disable=SC2034
sources_variables="" # it includes its own
util="src/util/memory.c src/util/buffer.c src/util/error.c src/util/file.c src/util/hash.c src/util/log.c src/util/stop.c"
names=("$@")
[ $# -gt 0 ] || names=(schedule failure options wire memo tale campaign asm variables)

if ! command -v clang >/dev/null || ! echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n){return !d&&n;}' |
    clang -x c - -fsanitize=fuzzer,address -o "$out/probe" 2>/dev/null; then
    for name in "${names[@]}"; do echo "skip fuzz $name: there is no clang with libFuzzer"; done
    exit 0
fi

seeds()
{
    local dir=$out/corpus-$1
    mkdir -p "$dir"
    case $1 in
    schedule)
        printf 'raddle schedule 1\n# comment\nflags races heap spurious\nmax-steps 100\nseed 7\nearly-timeouts 655\nrun 0 17 preempted\nchoose 1 9 0\nrun 1 end\nsteps 3\n' >"$dir/whole"
        printf 'raddle schedule 2\nsteps 0\n' >"$dir/version"
        ;;
    failure)
        printf '{"format": 1, "version": "0.1", "kind": "assert", "site": "a.c:1", "text": "x", "key": "k", "confirmed": true, "status": "open", "strategy": "pct", "seed": 4711, "schedule": 3, "preemptions": 1, "threads": 2, "command": ["./a", "b"], "directory": "/", "preload": false, "check": "all", "fail_on": null, "expect_exit": 0, "expect_output": null, "oracle": null}' >"$dir/whole"
        ;;
    options)
        printf '# comment\ntime = 3s\nstrategy = "pct,pos"\nkeep-going = yes\nmax-output = 64k\nearly-timeouts = 5%%\nseed = 0x10\n' >"$dir/whole"
        ;;
    memo)
        printf '{"format": "raddle memo", "version": 1, "origin": "0123456789abcdef", "merged": ["00000000000000aa"], "programs": []}' >"$dir/empty"
        printf '{"format": "raddle memo", "version": 1, "origin": "0123456789abcdef", "merged": [], "programs": [{"name": "p", "builds": [{"name": "b", "first_seen": 1, "last_seen": 2}], "sites": [{"text": "p!f@a.c:1#1", "hint": "00000000000000ff", "first_build": "b", "last_build": "b"}], "instances": [{"family": "race", "text": "race a:W(x)@p!f@a.c:1#1 << b:R(x)@p!f@a.c:2#1", "covered": 1, "exposed": 0, "attempts": 0, "failed": 0, "predicted": true, "verdict": {"hex": "ff"}, "build": "b", "seen": 1}], "cores": [{"key": "00000000000000aa", "family": "idiom.2", "text": "a.c:1 needs m", "build": "b", "seen": 1}], "runs": [{"id": "0000000000000001", "build": "b", "input": "./p", "input_hash": "0000000000000001", "began": 1, "seed": "7", "schedules": 1, "newly_covered": 1, "seconds": 0.5}], "failures": [{"key": "k", "kind": "assert", "site": "a.c:1", "path": null, "build": "b", "first_seen": 1, "last_seen": 1, "times": 1}]}]}' >"$dir/whole"
        ;;
    campaign)
        printf '%s' '{"version": "0.1", "command": ["./a"], "seed": 7, "strategy": "all", "began": 5, "exit_code": 2, "error": null, "interrupted": false, "schedules": 37, "schedules_to_first_failure": 3, "seconds_to_first_failure": 0.5, "schedules_unfinished": 1, "schedules_exhausted": 0, "shares": [{"strategy": "pct", "schedules": 37, "observed": 30, "newly_covered": 4}], "maple": {"profiles": 1, "attempts": 2, "again": 3, "targets": 4, "exposed": 5, "given_up": 6, "known": 7}, "seconds": 1.5, "threads": 3, "locks": 1, "points": 100, "operations": 200, "uncontrolled": [{"name": "select", "count": 2}], "coverage": {"distinct_schedules": 30, "shared_sites": 5, "shared_locations": 2, "families": {"idiom": {"covered": 4, "predicted": 6, "open": 2, "chance_of_new": 0.1, "members": {"idiom.1": {"covered": 4, "predicted": 6, "open": 2}}}}, "observed_schedules": 30, "profiled_schedules": 8, "chance_of_new": 0.1, "saturated": false, "curve": [[1, 2], [9, 4]]}, "limits": ["preload"], "failures": [{"key": "k", "count": 5}], "warnings": [{"kind": "race", "site": null, "text": "t", "schedule": 1, "count": 2}], "fixed": 0}' >"$dir/whole"
        printf '%s' '{"began":5,"seconds":0.5,"version":"0.1","strategy":"all","seed":1,"schedules":3,"failures":1,"fixed":0,"warnings":1,"covered":11,"open":2,"exit_code":2,"interrupted":false}' >"$dir/line"
        ;;
    tale)
        printf '{"format": "raddle tale", "version": 1, "kind": "assert", "site": "a.c:3", "text": "assertion failed", "key": "assert a.c:3", "failing_thread": 1, "place": 1, "preemptions": 1, "preemptions_found": 2, "dropped": 0, "head": 0, "strings": ["add", "a.c", "a.c:2", "x = now + 1;", "main", "read", "write", "x", "0", "1", "-", "", "lock", "m", "wait", "a.c:3"], "places": [[0, 1, 2, 5, 2, 3, 1], [0, 1, 3, 1, 15, -1, 1]], "threads": [[4, -1, -1, 9], [0, 0, 0, 5], [0, 0, 0, 5]], "events": [[1, 12, 0, 0, 0, 0, 1, 13, 11], [1, 5, 4, 0, 4, 0, 2, 7, 8], [2, 5, 4, 3, 4, 0, 2, 7, 8], [2, 6, 4, 0, 4, 0, 3, 7, 9], [1, 6, 4, 273, 4, 0, 3, 7, 9], [2, 12, 0, 32, 0, 0, 4, 13, 11]], "arrows": [[0, 3]], "bars": [[1, 0, -1, 0, 13]], "stacks": [[1, [1, 0]]], "waits": [[2, 12, 1, 0, 13]], "notes": [3], "cause": {"pattern": "a:R(x)@a.c:2 << b:W(x)@a.c:2 << a:W(x)@a.c:2", "second": null, "family": "map.7", "sentence": "every one failed", "failing_with": 2, "failing_without": 0, "passing_with": 0, "passing_without": 3, "events": [1, 3, 4]}}' >"$dir/whole"
        ;;
    asm)
        printf '\t.file 1 "d/a.c"\n\t.type\tf, @function\nf:\n\t.cfi_startproc\n\t.loc 1 7 3\n#APP\n# 5 "a.c" 1\n\tlock; cmpxchgl %%ecx, 8(%%rsp); sete %%al\n1:\trep; nop\n\tjne 1b\n# 0 "" 2\n#NO_APP\n\t.cfi_endproc\n\t.size\tf, .-f\n' >"$dir/compiled"
        printf '# 1 "a.S"\nf:\n\tlock\n\tbtsl $0, (%%rdi) # x\n\tret\n.pushsection .x\n.long 1b - .\n.popsection\n' >"$dir/written"
        ;;
    variables)
        head -c 113 /dev/zero | tr '\0' '\3' >"$dir/empty"
        { printf '\3'; head -c 500 /dev/zero; } >"$dir/some"
        ;;
    wire)
        printf '\1\2\0\1\0\0\0\2\0\0\1\0\0\0' >"$dir/finding"
        printf '\1\3\0\2\0\0\0\5\0\0\1\0\1\0' >"$dir/step"
        ;;
    esac
    echo "$dir"
}

failed=0
each=$(((seconds + ${#names[@]} - 1) / ${#names[@]}))
for name in "${names[@]}"; do
    sources=sources_$name
    # shellcheck disable=SC2086,SC2046
    if ! clang -std=gnu17 -D_GNU_SOURCE -Isrc -Iinclude -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
        "tests/fuzz/${name}_fuzz.c" ${!sources} $util $(pkg-config --cflags --libs jansson sqlite3) -lm -o "$out/$name" \
        2>"$out/$name.build"; then
        echo "not ok fuzz $name: does not compile"
        sed 's/^/#   /' "$out/$name.build" | head -n 20
        failed=1
        continue
    fi
    if ASAN_OPTIONS=detect_leaks=1 timeout -k 5 $((each + 60)) "$out/$name" -max_total_time="$each" -max_len=4096 -timeout=10 -rss_limit_mb=4096 \
        -artifact_prefix="$out/$name-" "$(seeds "$name")" >"$out/$name.log" 2>&1; then
        echo "ok fuzz $name: $(grep -o 'stat::number_of_executed_units: *[0-9]*\|Done [0-9]* runs' "$out/$name.log" | tail -n 1)"
    else
        echo "not ok fuzz $name: see $out/$name.log"
        tail -n 15 "$out/$name.log" | cut -c 1-200 | sed 's/^/#   /'
        failed=1
    fi
done
exit $failed
