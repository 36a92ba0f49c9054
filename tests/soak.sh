#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# soak.sh - the long tests (make soak): all that make check does, with SOAK set, so that every test does more of it:
#
#   must-find         each failure of each seed is shrunk, and replayed 100 times
#   must-not-report   2,000 schedules of every strategy
#   cause             from three seeds
#   restart           2,000 schedules of every program, in a process used again and in new ones
#   generated         5,000 random programs, 400 schedules of each on every carrier of threads
#   brute             every strategy from four seeds: none reaches a state that the model does not
#   fuzz              ten minutes
#   memo_file         300 campaigns are killed while they write
#   arch              the context switch of arm64 too, under an emulator
#
#   tests/soak.sh [WORD...]     only the tests whose path contains one of the words; or:  make soak ONLY="WORD..."
#
# B=DIR   build directory (build)          JOBS=N   how many at a time (as many as there are processors)
#
# Takes hours; each test may take 20 times as long as in make check.  Says on standard error when a test begins, prints what the tests say in
# order, and ends with one line `N passed, N failed`.
set -u
cd "$(dirname "$0")/.." || exit 1
case ${1:-} in -h | --help)
    sed -n '/^# soak.sh/,/^[^#]/s/^# \{0,1\}//p' tests/soak.sh
    exit 0
    ;;
esac
export B=${B:-build} SOAK=1
tools/deps.sh check || exit
make --no-print-directory -j"${JOBS:-$(nproc)}" B="$B" ONLY="$*" compile unit || exit
exec tests/run.sh "$@"
