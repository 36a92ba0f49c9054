# SPDX-License-Identifier: MIT
"""asset.py - for asset.sh: what a campaign has shown, as one line, and the tables of many such lines.

    asset.py campaign PROGRAM STRATEGY SEED DISTANCE BUGS    reads campaign.json and campaign.log
    asset.py tables STRATEGIES                               reads subjects, violations.data, twins.data
"""
import json
import sys


def campaign(program, strategy, seed, distance, bugs):
    with open("campaign.json", encoding="utf-8") as file:
        result = json.load(file)
    with open("campaign.log", encoding="utf-8") as file:
        runs = [line.rstrip("\n").split("\t") for line in file][1:]
    family = result["coverage"]["families"]["asset"]
    violations = [v for v in result["violations"] if not v["benign"]]
    names = {unit.split("::")[-1] for v in violations for unit in v["units"]}
    seeded = set(bugs.split(",")) - {""}
    bad = [int(run[0]) for run in runs if run[3] not in ("good", "unfinished", "lost", "serializability")]
    print(json.dumps({
        "program": program, "strategy": strategy, "seed": int(seed), "distance": int(distance),
        "violations": sorted({json.dumps([v["pattern"], v["set"], v["units"], v["sites"]]) for v in violations}),
        "covered": family["covered"], "open": family["open"], "impossible": family["impossible"],
        "bugs": sorted(seeded & names), "seeded": sorted(seeded),
        "first": min((v["schedule"] for v in violations), default=0), "failure": min(bad, default=0),
        "showing": sum(run[3] == "serializability" for run in runs), "failing": len(bad), "runs": len(runs)}))


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def row(cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def head(cells):
    row(cells)
    print("|" + "---|" * len(cells))


def first(values):
    hits = [value for value in values if value]
    return (f"{mean(hits):.1f}, " if hits else "") + f"{len(hits)} of {len(values)}"


class Tables:
    def __init__(self, strategies):
        def lines(name):
            with open(name, encoding="utf-8") as file:
                return [json.loads(line) for line in file]
        self.strategies = strategies
        self.data = lines("violations.data")
        self.twins = lines("twins.data")
        with open("subjects", encoding="utf-8") as file:
            subjects = [line.split() for line in file]
        self.subjects = [s for s in subjects if any(d["program"] == s[0] for d in self.data)]
        self.distances = sorted({d["distance"] for d in self.data if d["strategy"] != "reference"})
        self.seeds = max(d["seed"] for d in self.data)
        self.far = self.distances[len(self.distances) // 2]

    def of(self, program, strategy, distance=None):
        return [d for d in self.data if program in (None, d["program"]) and strategy in (None, d["strategy"]) and
                distance in (None, d["distance"])]

    def known(self, program):
        """All that have happened, in any campaign."""
        return {v for d in self.of(program, None) for v in d["violations"]}

    def violations(self, distance):
        print(f"Threads {distance} scheduling points apart. Different violations that happened in a campaign, mean of {self.seeds} seeds. Known: that happened in "
              "any campaign, also in the reference.\n")
        head(["program", "subject", "paper: monitoring, asset", "known"] + self.strategies)
        total = dict.fromkeys(self.strategies, 0.0)
        for name, subject, paper, _, _ in self.subjects:
            cells = [mean(len(d["violations"]) for d in self.of(name, s, distance)) for s in self.strategies]
            for strategy, cell in zip(self.strategies, cells):
                total[strategy] += cell
            row([name, subject, paper.replace(",", ", "), len(self.known(name))] + [f"{cell:.1f}" for cell in cells])
        known = sum(len(self.known(s[0])) for s in self.subjects)
        row(["all", "", "44, 358; 474 with jigsaw", known] + [f"{total[s]:.1f}" for s in self.strategies])
        if "asset" in total:
            asset = total["asset"]
            row(["asset : this", "", "8.1; 10.8", f"{asset / max(known, 1):.2f}"] +
                [f"{asset / total[s]:.1f}" if total[s] else "∞" for s in self.strategies])
        print()

    def rates(self):
        far, sums = self.far, [0.0, 0.0]
        print(f"Threads {far} apart: candidates that --strategy asset predicted, and how many of them happened (candidates differ by pattern and lines only); of all "
              "runs, the share that shows a violation, which the paper calls the detection rate.\n")
        head(["program", "candidates", "happened", "paper: monitoring, asset"] + [f"runs, {s}" for s in self.strategies])
        for name, _, _, rate, _ in self.subjects:
            asset = self.of(name, "asset", far)
            candidates, covered = mean(d["covered"] + d["open"] for d in asset), mean(d["covered"] for d in asset)
            sums = [sums[0] + candidates, sums[1] + covered]
            row([name, f"{candidates:.1f}", f"{covered:.1f}", rate.replace(",", ", ")] +
                [f"{mean(d['showing'] / d['runs'] for d in self.of(name, s, far)):.2f}" for s in self.strategies])
        row(["all", f"{sums[0]:.1f}", f"{sums[1]:.1f}, {100 * sums[1] / max(sums[0], 1):.0f}%", "0.30, 0.65"] +
            [f"{mean(d['showing'] / d['runs'] for d in self.of(None, s, far)):.2f}" for s in self.strategies])
        print()

    def bugs(self):
        far, seeded, found = self.far, 0, dict.fromkeys(self.strategies, 0)
        print(f"Threads {far} apart: calls that are marked as wrong in the source and are a unit of a violation, in campaigns from all seeds together; the first run "
              "with a violation, mean over the seeds that had one, and how many had; then the same for another failure (an assertion), if there was any.\n")
        head(["program", "paper: bugs of race, atom, asset"] + self.strategies)
        for name, _, _, _, bugs in self.subjects:
            cells, fails = [], any(d["failure"] for d in self.of(name, None, far))
            for strategy in self.strategies:
                runs = self.of(name, strategy, far)
                all_bugs = {bug for d in runs for bug in d["bugs"]}
                found[strategy] += len(all_bugs)
                cells.append(f"{len(all_bugs)} of {len(runs[0]['seeded'])}; {first([d['first'] for d in runs])}" +
                             (f"; {first([d['failure'] for d in runs])}" if fails else ""))
            seeded += len(self.of(name, self.strategies[0], far)[0]["seeded"])
            row([name, bugs.replace(",", ", ")] + cells)
        row(["all", "35, 17, 53"] + [f"{found[s]} of {seeded}" for s in self.strategies])
        print()

    def correct(self):
        noise = sum(len(d["violations"]) + d["failing"] for d in self.twins)
        programs = len({d["program"] for d in self.twins})
        print(f"The correct twins (-DCORRECT) of {programs} of the {len(self.subjects)} programs, all strategies: {sum(d['runs'] for d in self.twins)} runs, "
              f"{noise} violations and failures.")


def tables(strategies):
    told = Tables(strategies.split(","))
    for distance in told.distances:
        told.violations(distance)
    told.rates()
    told.bugs()
    told.correct()


{"campaign": campaign, "tables": tables}[sys.argv[1]](*sys.argv[2:])
