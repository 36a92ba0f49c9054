#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# embed.sh - the page of the HTML report as C: page.html, page.css and the page*.js in their order, as strings, with the hashes
# by which the page's content security policy knows style and script.
#
#   tools/embed.sh FILE... >page.c
set -eu
export LC_ALL=C

# string NAME: what comes in, as the text of a C constant.
string()
{
    printf 'const char %s[] =\n' "$1"
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/.*/    "&\\n"/'
    printf '    "";\n'
}

# hash: of what comes in, as a policy wants it.
hash()
{
    local hex
    hex=$(sha256sum)
    # shellcheck disable=SC2059 # the format is the bytes
    printf "$(printf '%s' "${hex%% *}" | sed 's/../\\x&/g')" | base64 -w 0
}

# collect SUFFIX FILE...: those with the suffix, in the order given.  The script is one function: it adds no global names.
collect()
{
    local suffix=$1 file
    shift
    [ "$suffix" = js ] && printf '(() => {\n"use strict";\n'
    for file; do
        case $file in *."$suffix") cat "$file" ;; esac
    done
    [ "$suffix" = js ] && printf '})();\n'
    return 0
}

echo '/* Made by tools/embed.sh. */'
for part in html css js; do
    echo "extern const char page_${part}[];"
    collect $part "$@" | string page_$part
done
for part in css js; do
    echo "extern const char page_${part}_hash[];"
    printf 'const char page_%s_hash[] = "sha256-%s";\n' $part "$(collect $part "$@" | hash)"
done
