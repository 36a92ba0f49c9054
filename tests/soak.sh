#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# soak.sh - the long tests (make soak): all that make check does, with SOAK set, so that every test does more of it:
#
#   must-find         each failure of each seed is replayed 100 times
#   must-not-report   2,000 schedules of every strategy
#   restart           2,000 schedules of every program, in a process used again and in new ones
#   generated         5,000 random programs, 400 schedules of each on every carrier of threads
#   fuzz              ten minutes
#   arch              the context switch of arm64 too, under an emulator
#
#   tests/soak.sh [WORD...]     only the tests whose path contains one of the words
#
# B=DIR   build directory (build)          JOBS=N   how many at a time (2)
#
# Takes hours.  Each test may take 20 times as long as in make check.
set -u
cd "$(dirname "$0")/.." || exit 1
export B=${B:-build} SOAK=1
tools/deps.sh check || exit
make --no-print-directory -j2 B="$B" compile unit || exit
exec tests/run.sh "$@"
