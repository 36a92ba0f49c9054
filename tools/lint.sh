#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lint.sh - clang-format, clang-tidy (.clang-tidy), cppcheck and the order of includes (layers.txt) over the whole tree; silent and 0
# when all is clean.
#
#   tools/lint.sh [--fix] [FILE...]     --fix formats in place; with FILEs only those
set -u
cd "$(dirname "$0")/.." || exit 1

missing=()
for tool in clang-format clang-tidy cppcheck; do
    command -v $tool >/dev/null 2>&1 || missing+=("$tool")
done
if [ ${#missing[@]} -gt 0 ]; then
    sudo=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! sudo -n true 2>/dev/null; then
            echo "raddle: for linting these Debian packages are missing: ${missing[*]}" >&2
            echo "raddle: run as root:  apt-get install ${missing[*]}" >&2
            exit 77
        fi
        sudo=(sudo -n)
    fi
    "${sudo[@]}" apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 || exit 77
fi

status=0
fix=
if [ "${1:-}" = --fix ]; then
    fix=yes
    shift
fi
if [ $# -gt 0 ]; then
    files=("$@")
else
    tools/layers.sh --quiet || status=1
    mapfile -t files < <(find src include examples tests bench -name '*.[ch]' 2>/dev/null | sort)
fi
sources=()
for file in "${files[@]}"; do
    case $file in src/*.c) sources+=("$file") ;; esac
done

if [ -n "$fix" ]; then
    clang-format -i "${files[@]}" || status=1
else
    clang-format --dry-run -Werror "${files[@]}" || status=1
fi

flags=(-std=gnu17 -D_GNU_SOURCE -Isrc -Iinclude '-DRADDLE_VERSION="0"')
llvm=$(command -v llvm-config llvm-config-14 2>/dev/null | head -1)
[ -z "$llvm" ] || flags+=(-isystem "$($llvm --includedir)")
libclang=$(ls -d /usr/lib/llvm-*/include/clang-c 2>/dev/null | sort -V | tail -1)
[ -z "$libclang" ] || flags+=(-isystem "${libclang%/clang-c}")
if [ ${#sources[@]} -gt 0 ]; then
    printf '%s\0' "${sources[@]}" |
        xargs -0 -n 4 -P "$(nproc)" sh -c '
            out=$(clang-tidy --quiet "$@" -- '"$(printf "'%s' " "${flags[@]}")"' 2>&1) && exit 0
            printf "%s\n" "$out" | grep -Ev "warnings? (generated|treated)|^Suppressed|^Use -header-filter|^[0-9]+ warning"
            exit 1' lint || status=1
    # What it does not see is suppressed by place: system calls by inline assembler that fill in a variable, sets that are never empty, a
    # pointer to a member of a local set, the linker's begin and end of a section.
    # Unused functions and members are the compiler's matter; what cppcheck cannot know (libc, the hooks' callers) is not said.
    cppcheck --quiet --error-exitcode=1 --inline-suppr -j "$(nproc)" --std=c11 --enable=warning,portability -Isrc -Iinclude \
        -D_GNU_SOURCE -D__x86_64__ -D__linux__ '-DRADDLE_VERSION="0"' --suppress=missingIncludeSystem \
        --suppress=unknownMacro --suppress='uninitvar:src/runtime/*' --suppress='legacyUninitvar:src/runtime/*' \
        --suppress='nullPointerRedundantCheck:src/runtime/*' --suppress='nullPointerRedundantCheck:src/harness/*' --suppress='zerodiv:src/runtime/strategy/*' \
        --suppress='returnDanglingLifetime:src/runtime/sched/*' --suppress='comparePointers:src/runtime/real.c' \
        --suppress='allocaCalled:src/runtime/hooks/exec.c' --suppress='CastIntegerToAddressAtReturn:src/runtime/model/keys.c' \
        --suppress='CastIntegerToAddressAtReturn:src/runtime/hooks/pointer.c' \
        "${sources[@]}" || status=1
fi
exit $status
