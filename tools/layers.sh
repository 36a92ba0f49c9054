#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# layers.sh - prints which folder of src/ includes which others and how often, and each include against the order in tools/layers.txt.
# Exit status 1 if there is one.
#
#   tools/layers.sh [--quiet]     --quiet prints only the includes against the order
set -u
cd "$(dirname "$0")/.." || exit 1

# One line for each include: the file, the number of the line, the included file.
includes()
{
    find src -name '*.[ch]' | LC_ALL=C sort | xargs grep -Hn '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' |
        sed 's|^src/\([^:]*\):\([0-9]*\):[^"]*"\([^"]*\)".*|\1 \2 \3|'
}

includes | awk -v quiet="${1:-}" '
    # The layer of a file has the name of its folder, or folder/*.h and folder/*.c where these are two layers.
    function layer_of(file,    folder, half)
    {
        folder = file
        if (!sub("/[^/]*$", "", folder))
            return ""
        half = folder "/*." substr(file, length(file))
        return half in known ? half : folder
    }

    # In one of the two programs `to` is in a line above `from`.
    function is_below(to, from,    program)
    {
        for (program in programs)
            if ((program, to) in level && (program, from) in level && level[program, to] < level[program, from])
                return 1
        return 0
    }

    FILENAME == "tools/layers.txt" {
        if (/^#/ || NF == 0)
            next
        if (/^\[/) {
            program = $1
            programs[program]
            next
        }
        height++
        for (i = 1; i <= NF; i++) {
            level[program, $i] = height
            if (!($i in known))
                names[++name_count] = $i
            known[$i]
        }
        next
    }

    {
        from = layer_of($1)
        to = layer_of($3)
        if (to == "" || to == from)
            next
        edges[from, to]++
        if (is_below(to, from))
            next
        against[from, to]
        wrong[++wrong_count] = "src/" $1 ":" $2 ": includes " $3 ", but " to " is not below " from " in tools/layers.txt"
    }

    function print_edges(from,    k, line)
    {
        for (k = name_count; k >= 1; k--)
            if ((from, names[k]) in edges)
                line = line "  " names[k] " " edges[from, names[k]] ((from, names[k]) in against ? " (against the order)" : "")
        printf "%-17s ->%s\n", from, line == "" ? "  nothing" : line
    }

    END {
        for (i = name_count; i >= 1 && quiet == ""; i--)
            print_edges(names[i])
        for (i = 1; i <= wrong_count; i++)
            print wrong[i]
        if (quiet == "")
            print "includes against the order: " wrong_count + 0
        exit wrong_count > 0
    }' tools/layers.txt -
