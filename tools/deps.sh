#!/usr/bin/env bash
# Installs the Debian packages that building and testing need, if any are missing.  Silent when nothing is.
set -eu
packages=(gcc g++ clang make binutils pkg-config libdw-dev libelf-dev libjansson-dev libcmocka-dev libc6-dev)
missing=()
for p in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
done
[ ${#missing[@]} -eq 0 ] && exit 0
sudo=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1 || ! sudo -n true 2>/dev/null; then
        echo "raddle: these Debian packages are missing and this user may not install them: ${missing[*]}" >&2
        echo "raddle: run as root:  apt-get install ${missing[*]}" >&2
        exit 77
    fi
    sudo=(sudo -n)
fi
echo "raddle: installing ${missing[*]}" >&2
"${sudo[@]}" apt-get update -qq >&2
DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
