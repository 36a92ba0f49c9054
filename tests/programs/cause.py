#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cause.py - whether the cause that a tale names is (one of) those that the head of the program names.

  cause.py SOURCE TALE.json

Prints the named cause.  Exit status: 0 it is, 1 it is another one, 2 none is named, 3 it cannot be told.

Threads and variables may be called anything; a file may have a path, a place may have more than a line (column, function).  As in the
language of patterns, R and W of the head stand for an atomic update too, and W for a free.
"""
import itertools
import json
import re
import sys

FITS = {"R": ("R", "U"), "W": ("W", "U", "free")}
STEP = re.compile(r"\s*([ab]):(\w+|\*)\(([^)]*)\)@(\S+)\s*$")
PLACE = re.compile(r"([^@/!]+):(\d+)(?::\d+)?(?:#\d+)?$")


def parse(text):
    """Groups of steps (thread, operation, variable, place), and the relations between them."""
    groups, relations = [], []
    for part in re.split(r"(<<|<)", text):
        if part in ("<", "<<"):
            relations.append(part)
            continue
        steps = []
        for word in part.split("|"):
            match = STEP.match(word)
            if not match:
                raise ValueError("no step: " + word)
            place = PLACE.search(match.group(4))
            steps.append(match.group(1, 2, 3) + ((place.group(1), place.group(2)) if place else (match.group(4), ""),))
        groups.append(steps)
    return groups, relations


def is_renaming(pairs):
    """Whether the pairs are a one-to-one renaming."""
    there, back = {}, {}
    return all(there.setdefault(a, b) == b and back.setdefault(b, a) == a for a, b in pairs)


def is_same(wanted, named):
    if wanted[1] != named[1] or [len(g) for g in wanted[0]] != [len(g) for g in named[0]]:
        return False
    steps = [s for group in wanted[0] for s in group]
    for order in itertools.product(*(itertools.permutations(group) for group in named[0])):
        others = [s for group in order for s in group]
        if (
            all(b[1] in FITS.get(a[1], (a[1],)) and a[3] == b[3] for a, b in zip(steps, others))
            and is_renaming([(a[0], b[0]) for a, b in zip(steps, others)])
            and is_renaming([(a[2], b[2]) for a, b in zip(steps, others)])
        ):
            return True
    return False


def main():
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            wanted = re.findall(r"^// cause: *(.*\S)", file.read(), re.M)
        with open(sys.argv[2], encoding="utf-8") as file:
            cause = json.load(file)["cause"]
        named = cause["pattern"]
        if named is None:
            print(cause["sentence"])
            return 2
        print(named)
        if cause["passing_with"] != 0 or cause["failing_without"] != 0:
            print("it is in passing runs, or not in all failing ones")
            return 1
        return 0 if any(is_same(parse(text), parse(named)) for text in wanted) else 1
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        print(error)
        return 3


if __name__ == "__main__":
    sys.exit(main())
