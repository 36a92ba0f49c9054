#!/usr/bin/env bash
# Real programs under control: fetches Debian source packages, builds each with its own build system and raddle's wrappers, lets it do its
# real job in one controlled run, and checks the result.  Prints ok / not ok per program, then what was not controlled in each.
#
# Needs the network (the package registry that apt is set up for) and a few minutes; nothing of it is kept in the tree.
set -u
cd "$(dirname "$0")/../.."
top=$PWD
build=${B:-build}
case $build in /*) ;; *) build=$top/$build ;; esac
export PATH="$build:$PATH"
. tests/real/jobs.sh

work=$(mktemp -d "${TMPDIR:-/tmp}/raddle-real.XXXXXX")
trap 'kill $(jobs -p) 2>/dev/null; [ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT

sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo -n)
need=(dpkg-dev autoconf automake libtool bzip2 xz-utils netcat-openbsd libbz2-dev libevent-dev liblzma-dev libarchive-dev)
missing=()
for p in "${need[@]}"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "raddle: installing ${missing[*]}" >&2
    "${sudo[@]}" apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
fi

# The same archives as the machine's, but for sources; in a private place.
sources() {
    mkdir -p "$work/apt/parts" "$work/apt/lists/partial"
    sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/*.sources >"$work/apt/parts/raddle.sources" 2>/dev/null
    sed -n 's/^deb /deb-src /p' /etc/apt/sources.list /etc/apt/sources.list.d/*.list >"$work/apt/parts/raddle.list" 2>/dev/null
    apt=(apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/apt/parts"
         -o "Dir::State::lists=$work/apt/lists" -o APT::Sandbox::User=root)
    "${apt[@]}" update >"$work/apt/log" 2>&1
}

# fetch PACKAGE: unpacks its original source into $work/PACKAGE, patched as Debian does where the patches can be had.
fetch() {
    mkdir -p "$work/$1" && cd "$work/$1" || return 1
    "${apt[@]}" source --download-only "$1" >fetch.log 2>&1
    local archive
    archive=$(ls ./*.orig.tar.* 2>/dev/null | grep -v '\.asc$' | head -1)
    [ -n "$archive" ] || return 1
    mkdir -p src && tar xf "$archive" -C src --strip-components=1 && cd src
}

passed=0 failed=0
sources || { echo "raddle: cannot fetch source packages: $(tail -1 "$work/apt/log")" >&2; exit 77; }
head -c 2000000 /dev/urandom | base64 >"$work/input"
for package in "${PACKAGES[@]}"; do
    log="$work/$package.log"
    if (fetch "$package" && "build_$package") >"$log" 2>&1 && (cd "$work/$package/src" && "job_$package") >>"$log" 2>&1; then
        echo "ok real $package"
        passed=$((passed + 1))
    else
        echo "not ok real $package: $(tail -1 "$log")"
        failed=$((failed + 1))
    fi
    grep -h -E 'threads, .* under control|not under control|schedule' "$log" | sed "s/^/    /" | head -8
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
