#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""patterns.py - for patterns.test: which instances campaigns have covered, of those that can happen.

patterns.py NUMBER ALL PCR MAPLE   the directories of three campaigns on program NUMBER, ALL of which tried all schedules: a line "can FAMILY
                                   NUMBER COUNT" per family; "lost NUMBER pcr|maple INSTANCE" for each that can happen and was not covered ("unknown" if maple did not
                                   predict it);
                                   "false NUMBER INSTANCE" for each that maple calls impossible and that can happen
patterns.py --sum <LINES           what the lines of many programs say; lines that begin with "wrong" say what must not be
"""
import collections
import json
import sys

LEAST = 0.98  # of each family, for maple, in each file; of many files it has 99.7 %
FEW = 2       # so many may be missing of few
PCR_LEAST = 0.98  # of map, for pcr without rules: it does not ask for two calls that fail in one run


def read(directory, least=1):
    """The instances of a campaign as text: covered ones, by so many runs at least, and those that are called impossible."""
    data = json.load(open(directory + "/coverage.json", encoding="utf-8"))
    covered, impossible, known = set(), set(), set()
    for row, sites, kinds, seen, *rest in data["instances"]:
        steps = " ".join(f"{kind}@{data['sites'][site]['where'].split('#')[0]}" for kind, site in zip(kinds, sites))
        name = data["families"][row]["name"] + " " + steps
        known.add(name)
        if seen >= least:
            covered.add(name)
        elif seen == 0 and rest[-1] > 0:
            impossible.add(name)
    return covered, impossible, known


def family(instance):
    return instance.split(" ")[0].split(".")[0]


def compare(number, everything, pcr, maple):
    can = read(everything, 3)[0]  # the very first runs do not know yet which memory is shared, and leave accesses out
    covered = read(pcr)[0]
    by_maple, impossible, known = read(maple)
    for name, count in sorted(collections.Counter(map(family, can)).items()):
        print("can", name, number, count)
    for instance in sorted(can - covered):
        if family(instance) == "map":
            print("lost", number, "pcr", instance)
    for instance in sorted(can - by_maple):
        print("lost" if instance in known else "unknown", number, "maple", instance)
    for instance in sorted(can & impossible):
        print("false", number, instance)


def summarise():
    can, lost, still, unknown = (collections.Counter() for i in range(4))
    programs = set()
    wrong = []
    for line in sys.stdin:
        words = line.split()
        if words[0] == "can":
            can[words[1]] += int(words[3])
            programs.add(words[2])
        elif words[0] == "lost":
            lost[words[2], family(" ".join(words[3:]))] += 1
            if words[2] == "pcr":
                lost["pcr", "all"] += 1
        elif words[0] == "unknown":
            unknown[family(" ".join(words[3:]))] += 1
        elif words[0] == "still":
            still[words[2]] += 1
        else:
            wrong.append("called impossible: " + line.strip())
    print(f"{len(programs)} programs; can happen:", ", ".join(f"{name} {count}" for name, count in sorted(can.items())))
    print("pcr lacks", lost["pcr", "all"], "of map;", "without one rule:", ", ".join(f"{rule} {count}" for rule, count in sorted(still.items())))
    for name, count in sorted(can.items()):
        missing, count = lost["maple", name], count - unknown[name]
        print(f"maple has {count - missing} of {count} {name} that it predicts; it does not predict {unknown[name]}")
        if missing > max(FEW, (1 - LEAST) * count):
            wrong.append(f"maple covers {count - missing} of {count} of {name} only")
    if still["none"] > max(FEW, (1 - PCR_LEAST) * can["map"]):
        wrong.append(f"pcr without rules covers {can['map'] - still['none']} of {can['map']} of map only")
    for line in wrong:
        print("wrong", line)


if sys.argv[1] == "--sum":
    summarise()
else:
    compare(*sys.argv[1:])
