# SPDX-License-Identifier: MIT
#
# lib.sh - what every test script starts with:  . "$(dirname "$0")/../lib.sh"
#
# A script prints one line per check, `ok NAME` or `not ok NAME: why` (then what the command said, indented), or
# `skip NAME: why`.  It works in an own temporary directory, which is removed at the end unless KEEP is set.
#
#   ROOT     the source tree            RADDLE   the command that was built        WORK     the temporary directory
#   OUTPUT   file with what the last command of a check printed, both streams       STATUS   its exit status
# (a check on OUTPUT itself works on a copy: every check writes it again)

set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${B:-build}
case $BUILD in /*) ;; *) BUILD=$ROOT/$BUILD ;; esac
RADDLE=${RADDLE:-$BUILD/raddle}
SCRIPT=$(basename "$0" .test)
export LC_ALL=C
unset RADDLE_CC RADDLE_CXX RADDLE_DEBUG NO_COLOR CFLAGS CXXFLAGS LDFLAGS CC CXX MAKEFLAGS MFLAGS DESTDIR PREFIX

WORK=$(mktemp -d "${TMPDIR:-/tmp}/raddle-test-XXXXXX") || exit 1
OUTPUT=$WORK/.output
STATUS=0
failed_checks=0

finish()
{
    local status=$?
    cd /
    [ -n "${KEEP:-}" ] && echo "# kept $WORK" || rm -rf "$WORK"
    [ "$failed_checks" -eq 0 ] || exit 1
    exit $status
}
trap finish EXIT
cd "$WORK" || exit 1
export RADDLE_CACHE=$WORK/.cache

pass() { echo "ok $SCRIPT: $1"; }
skip() { echo "skip $SCRIPT: $1: $2"; }

# fail NAME WHY: also shows the end of what the last command said.
fail()
{
    echo "not ok $SCRIPT: $1: $2"
    [ -f "$OUTPUT" ] && tail -n 30 "$OUTPUT" | cut -c 1-300 | sed 's/^/#   /'
    failed_checks=$((failed_checks + 1))
    return 1
}

# run COMMAND...: sets OUTPUT and STATUS. No check.  Ends after a minute at the latest (RUN_SECONDS).
run()
{
    STATUS=0
    timeout -k 5 "${RUN_SECONDS:-60}" "$@" >"$OUTPUT" 2>&1 </dev/null || STATUS=$?
}

# check NAME COMMAND...: must exit 0.
check()
{
    check_status "$1" 0 "${@:2}"
}

# check_status NAME STATUS COMMAND...: must exit with that status.
check_status()
{
    run "${@:3}"
    if [ "$STATUS" -eq "$2" ]; then pass "$1"; else fail "$1" "exit status $STATUS, not $2, of: ${*:3}"; fi
}

# check_says NAME STATUS PATTERN COMMAND...: must exit with that status, and a line must match the extended pattern.
check_says()
{
    run "${@:4}"
    if [ "$STATUS" -ne "$2" ]; then
        fail "$1" "exit status $STATUS, not $2, of: ${*:4}"
    elif ! grep -Eq -e "$3" "$OUTPUT"; then
        fail "$1" "no line matches '$3' in the output of: ${*:4}"
    else
        pass "$1"
    fi
}

# check_silent NAME COMMAND...: must exit 0 and print nothing.
check_silent()
{
    run "${@:2}"
    if [ "$STATUS" -ne 0 ]; then
        fail "$1" "exit status $STATUS of: ${*:2}"
    elif [ -s "$OUTPUT" ]; then
        fail "$1" "printed something: ${*:2}"
    else
        pass "$1"
    fi
}

# have PROGRAM...: all of them are installed.
have()
{
    local program
    for program; do command -v "$program" >/dev/null 2>&1 || return 1; done
}

# cxx_of gcc -> g++, clang -> clang++
cxx_of()
{
    case $1 in *clang*) echo "${1/clang/clang++}" ;; *) echo "${1/gcc/g++}" ;; esac
}

[ -x "$RADDLE" ] || { fail "built" "there is no $RADDLE: run make first"; exit 1; }
