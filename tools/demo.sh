#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# demo.sh - the README's example: a program that works a thousand times, its bug, and the replay of the bug.
set -eu
cd "$(dirname "$0")/.."
raddle=$PWD/${B:-build}/raddle
case ${B:-build} in /*) raddle=$B/raddle ;; esac
work=$(mktemp -d "${TMPDIR:-/tmp}/raddle-demo-XXXXXX")
trap 'rm -rf "$work"' EXIT
cp examples/bank.c "$work"
cd "$work"
PATH=$(dirname "$raddle"):$PATH

say() { printf '\n$ %s\n' "$*"; }

say gcc bank.c -o bank '&&' for i in '{1..1000}; do ./bank || break; done'
gcc bank.c -o bank
failed=0
for _ in {1..1000}; do ./bank 2>/dev/null || failed=$((failed + 1)); done
echo "($failed of 1000 runs failed)"

say raddle cc bank.c -o bank
raddle cc bank.c -o bank

say raddle run --seed "${SEED:-1}" -- ./bank
found=0
raddle run --seed "${SEED:-1}" -- ./bank 2>&1 || found=$?
echo "(exit status $found)"

say raddle replay raddle.out/bank/failure-1
replayed=0
raddle replay raddle.out/bank/failure-1 2>&1 || replayed=$?
echo "(exit status $replayed)"

echo
if [ $found -eq 2 ] && [ $replayed -eq 2 ]; then
    echo "The bug was found and replayed."
else
    echo "The demo failed: both exit statuses should have been 2 (a bug was found)." >&2
    exit 1
fi
