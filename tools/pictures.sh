#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# pictures.sh - makes docs/pictures/*.png, the pictures in the README, from real runs: programs are compiled, tested and reported,
# and their pages photographed by a headless Chromium.  pngquant makes them smaller if it is installed.
#
#   tools/pictures.sh          B=DIR: build directory (build)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${B:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
[ -x "$build/raddle" ] || { echo "raddle: there is no $build/raddle: run make first" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/raddle-pictures-XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$root/docs/pictures"
cd "$work"

# page SOURCE [OPTIONS of raddle run...]: compiles, tests, reports; the page is NAME.html.
page()
{
    local source=$1 name
    shift
    name=$(basename "${source%.c}")
    cp "$root/$source" .
    "$build/raddle" cc -g "$name.c" -o "$name"
    "$build/raddle" run --quiet --seed 1 "$@" -- "./$name" >/dev/null 2>&1 || [ $? -eq 2 ]
    "$build/raddle" report "raddle.out/$name" --html "$name.html" >/dev/null
}

# picture NAME PAGE SIZE [OPTIONS of picture.py...]
picture()
{
    local file=$root/docs/pictures/$1.png
    PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/browser/picture.py" "$2.html" "$file" "${@:3}"
    if command -v pngquant >/dev/null 2>&1; then pngquant --force --skip-if-larger --output "$file" 64 "$file" || true; fi
    echo "docs/pictures/$1.png $(stat -c %s "$file") bytes"
}

page examples/bank.c --runs 1000 --keep-going
picture report bank 1180x1000
page tests/programs/must-find/lostwake_if.c --runs 1000
picture dark lostwake_if 1180x1000 dark
page tests/programs/must-find/dining.c --runs 1000
picture deadlock dining 1180x1000
page tests/programs/must-find/maple_string_buffer.c --runs 3000 --keep-going
picture coverage maple_string_buffer 1180x760 at=#coverage
