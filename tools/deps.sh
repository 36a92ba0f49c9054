#!/usr/bin/env bash
# Installs the Debian packages that building needs, if any are missing; `deps.sh check` also those that only tests need.  Silent
# when nothing is missing.  Without libz3-dev raddle is built without a solver, without llvm-dev without static analysis, without
# libclang-dev without `raddle gen`; they are installed if that is possible.
set -eu
packages=(gcc g++ make binutils pkg-config libdw-dev libelf-dev libjansson-dev libsqlite3-dev libc6-dev)
[ "${1:-}" = check ] && packages+=(clang libclang-rt-dev libomp-dev libcmocka-dev cmake meson ninja-build procps python3 gdb chromium
    libxml2-utils perl python3-jsonschema)
is_missing() { ! dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }
missing=()
for p in "${packages[@]}"; do is_missing "$p" && missing+=("$p"); done
optional=()
is_missing libz3-dev && optional+=(libz3-dev)
command -v llvm-config llvm-config-14 >/dev/null 2>&1 || optional+=(llvm-dev)
ls -d /usr/lib/llvm-*/include/clang-c /usr/include/clang-c >/dev/null 2>&1 || optional+=(libclang-dev)
[ ${#missing[@]} -eq 0 ] && [ ${#optional[@]} -eq 0 ] && exit 0
sudo=()
if [ "$(id -u)" -ne 0 ]; then
    if [ ${#missing[@]} -eq 0 ] && { ! command -v sudo >/dev/null 2>&1 || ! sudo -n true 2>/dev/null; }; then
        exit 0
    fi
    if ! command -v sudo >/dev/null 2>&1 || ! sudo -n true 2>/dev/null; then
        echo "raddle: these Debian packages are missing and this user may not install them: ${missing[*]}" >&2
        echo "raddle: run as root:  apt-get install ${missing[*]}" >&2
        exit 77
    fi
    sudo=(sudo -n)
fi
echo "raddle: installing ${missing[*]} ${optional[*]}" >&2
"${sudo[@]}" apt-get update -qq >&2
install() { DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "$@" >&2; }
[ ${#missing[@]} -eq 0 ] || install "${missing[@]}"
[ ${#optional[@]} -eq 0 ] || install "${optional[@]}" || echo "raddle: without ${optional[*]}: built without what needs them" >&2
