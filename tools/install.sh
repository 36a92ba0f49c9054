#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# install.sh - what `make install` does:  install.sh DESTINATION PREFIX VERSION
#
# DESTINATION is where the files go (DESTDIR + PREFIX), PREFIX where they will be found.
set -eu
if [ $# -ne 3 ]; then
    echo "usage: tools/install.sh DESTINATION PREFIX VERSION" >&2
    exit 1
fi
destination=$1 prefix=$2 version=$3
cd "$(dirname "$0")/.."
build=${B:-build}

put() # put MODE FILE DIRECTORY [NAME]
{
    install -d "$destination/$3"
    install -m "$1" "$2" "$destination/$3/${4:-$(basename "$2")}"
}
fill() # fill TEMPLATE DIRECTORY NAME: with the version and prefix in it
{
    install -d "$destination/$2"
    sed -e "s|@VERSION@|$version|g" -e "s|@PREFIX@|$prefix|g" "$1" >"$destination/$2/$3"
    chmod 644 "$destination/$2/$3"
}

put 755 "$build/raddle" bin
ln -sf raddle "$destination/bin/raddle-cc"
ln -sf raddle "$destination/bin/raddle-c++"
install -d "$destination/lib/raddle/as"
ln -sf ../../../bin/raddle "$destination/lib/raddle/as/as"
put 644 "$build/lib/raddle_rt.o" lib/raddle
put 644 "$build/lib/raddle.syms" lib/raddle
put 644 "$build/lib/raddle.specs" lib/raddle
put 644 "$build/lib/raddle_gdb.py" lib/raddle
[ ! -f "$build/lib/raddle_llvm.so" ] || put 755 "$build/lib/raddle_llvm.so" lib/raddle
[ ! -f "$build/lib/raddle_clang.so" ] || put 755 "$build/lib/raddle_clang.so" lib/raddle
for part in "$build"/lib/raddle_gen_*.o; do put 644 "$part" lib/raddle; done
put 755 "$build/lib/libraddle_preload.so" lib/raddle
put 644 include/raddle.h include
for page in docs/man/*.[1-9]; do
    name=$(basename "$page") section=${page##*.}
    fill "$page" "share/man/man$section" "$name"
    command=${name#raddle-} command=${command%.*}
    "$build/raddle" --manual-options "$command" >"$destination/share/man/options.tmp"
    sed -i -e "/^@OPTIONS@\$/{r $destination/share/man/options.tmp" -e 'd}' "$destination/share/man/man$section/$name"
    rm "$destination/share/man/options.tmp"
done
ln -sf raddle-cc.1 "$destination/share/man/man1/raddle-c++.1"
fill tools/share/raddle.pc.in lib/pkgconfig raddle.pc
fill tools/share/RaddleConfig.cmake.in lib/cmake/Raddle RaddleConfig.cmake
fill tools/share/RaddleConfigVersion.cmake.in lib/cmake/Raddle RaddleConfigVersion.cmake
put 644 docs/report.schema.json share/raddle
put 644 tools/share/raddle.bash share/bash-completion/completions raddle
echo "raddle $version is installed in $destination"
