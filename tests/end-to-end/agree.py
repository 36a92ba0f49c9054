# SPDX-License-Identifier: MIT
#
# agree.py - for agree.test: all forms in which a campaign's failures are told say the same about each of them.
#
#   agree.py SAID RESULT DIRECTORY    what `raddle run` said, its --json, and a directory with summary.txt, report.json, report.html,
#                                     report.sarif, report.xml, report.tap, and explain-N.txt for failure-N
#
# Compared are: how many failures there are, their numbers, kinds, places and headlines, strategy and schedule, preemptions (also before
# the schedule was shrunk), the sentence, pattern and counts of the cause, and the names of variables in headline, pattern and rows.
import json
import re
import sys
import xml.etree.ElementTree as tree

problems = []


def text(name):
    return open(f"{directory}/{name}", encoding="utf-8").read()


def squeezed(lines):
    """Without the line breaks and blanks of a picture."""
    return re.sub(r"\s+", " ", lines)


def same(what, expected, got):
    if expected != got:
        problems.append(f"{what}: {got!r}, not {expected!r}")


def has(what, whole, part):
    if part and squeezed(part) not in squeezed(whole):
        problems.append(f"{what}: no {part!r}")


def number(failure):
    return int(failure["name"].rpartition("-")[2])


def page_data(page, name):
    found = re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.DOTALL)
    return json.loads(found.group(1))


def said_failures(said):
    pattern = (r"^raddle: FAILURE (\d+): (.*?)   \(schedule (\d+), ([a-z]+), [\d.]+ s; (?:shrunk from (\d+) to )?"
               r"(\d+) preemptions?\)$\n(.*?)^raddle: replay it with: (.*?)$")
    for found in re.finditer(pattern, said, re.MULTILINE | re.DOTALL):
        yield int(found[1]), {"text": found[2], "schedule": int(found[3]), "strategy": found[4], "preemptions": int(found[6]),
                              "preemptions_found": int(found[5] or found[6]), "story": found[7], "replay": found[8]}


def cause_parts(cause):
    return [part for part in (cause["statement"], cause["pattern"], cause["second"], cause["sentence"]) if part]


said_file, result_file, directory = sys.argv[1:]
said = dict(said_failures(open(said_file, encoding="utf-8").read()))
result = {int(f["path"].rpartition("-")[2]): f for f in json.load(open(result_file, encoding="utf-8"))["failures"]}
report = {number(f): f for f in json.loads(text("report.json"))["programs"][0]["failures"]}
page = text("report.html")
pages = {number(f): (f, page_data(page, f"tale-0-{i}")) for i, f in enumerate(page_data(page, "report-0-0")["programs"][0]["failures"])}
sarif = {int(r["properties"]["failure"].rpartition("-")[2]): r
         for r in json.loads(text("report.sarif"))["runs"][0]["results"] if r["level"] == "error"}
suite = tree.fromstring(text("report.xml")).find("testsuite")
cases = [case for case in suite.findall("testcase") if case.find("failure") is not None]
tap = {int(m[1]): m[0] for m in re.finditer(r"^not ok \d+ - .*?: failure-(\d+): .*?^  \.\.\.$", text("report.tap"), re.MULTILINE | re.DOTALL)}
summary = {int(m[1]): m[0] for m in re.finditer(r"^  failure-(\d+) .*?^ +raddle replay .*?$", text("summary.txt"), re.MULTILINE | re.DOTALL)}

numbers = sorted(result)
for form, failures in (("run", said), ("report.json", report), ("page", pages), ("SARIF", sarif), ("TAP", tap), ("summary", summary)):
    same(f"{form}: failures", numbers, sorted(failures))
same("JUnit: failures", len(numbers), len(cases))
same("JUnit: the sum", str(len(numbers)), suite.get("failures"))
same("TAP: the sum", len(numbers), len(re.findall("^not ok", text("report.tap"), re.MULTILINE)))
has("summary: the sum", text("summary.txt"), f"{len(numbers)} failure{'s' if len(numbers) != 1 else ''} in ")

for n in numbers:
    if problems:
        break
    one, told, known = result[n], said[n], report[n]
    tale, (shown, page_tale) = known["tale"], pages[n]
    explained = text(f"explain-{n}.txt")
    case = next(c for c in cases if f"failure-{n}" in c.find("failure").text.splitlines()[-1])
    story = case.find("failure").text
    for key in ("text", "strategy", "schedule", "preemptions", "preemptions_found"):
        same(f"{n}: run and --json: {key}", one[key], told[key])
        same(f"{n}: report.json: {key}", one[key], known[key])
    for key in ("kind", "site", "key"):
        same(f"{n}: report.json: {key}", one[key], known[key])
    for key in ("kind", "site", "strategy", "schedule", "preemptions"):
        same(f"{n}: page: {key}", one[key], shown[key])
    same(f"{n}: page: headline", one["text"], shown["headline"])
    same(f"{n}: page: found", one["preemptions_found"], page_tale["found"])
    same(f"{n}: SARIF: preemptions", one["preemptions"], sarif[n]["properties"]["preemptions"])
    same(f"{n}: SARIF: strategy", one["strategy"], sarif[n]["properties"]["strategy"])
    same(f"{n}: SARIF: kind", one["kind"], sarif[n]["ruleId"])
    same(f"{n}: JUnit: kind", one["kind"], case.find("failure").get("type"))
    same(f"{n}: JUnit: headline", one["text"], case.find("failure").get("message"))
    same(f"{n}: report.json: preemptions of the tale", one["preemptions"], tale["preemptions"])
    count = f"{one['preemptions']} preemption{'s' if one['preemptions'] != 1 else ''}"
    has(f"{n}: explain", explained, f"{one['text']} ({count}")
    has(f"{n}: explain: found", explained, f"in schedule {one['schedule']} by {one['strategy']}")
    has(f"{n}: summary: preemptions", summary[n], count)
    has(f"{n}: summary: strategy", summary[n], f"found in schedule {one['schedule']} by {one['strategy']}")
    has(f"{n}: SARIF: preemptions", sarif[n]["message"]["text"], f"with {count}.")
    has(f"{n}: TAP: preemptions", tap[n], f"preemptions: {one['preemptions']}")
    has(f"{n}: TAP: strategy", tap[n], f'strategy: "{one["strategy"]}"')
    for form, whole in (("summary", summary[n]), ("SARIF", sarif[n]["message"]["text"]), ("TAP", tap[n])):
        has(f"{n}: {form}: headline", whole.replace("\\", ""), one["text"])
    # one command runs it again, and a shell can read it
    for form, whole in (("run", told["replay"]), ("summary", summary[n]), ("SARIF", sarif[n]["message"]["text"]), ("JUnit", story),
                        ("explain", explained), ("page", shown["replay"])):
        has(f"{n}: {form}: replay", whole, f"raddle replay '{one['path']}'" if " " in one["path"] else f"raddle replay {one['path']}")
    # the cause, and how it is written
    cause = tale["cause"]
    for key in ("statement", "pattern", "second", "family", "sentence"):
        same(f"{n}: page: {key} of the cause", cause[key], page_tale["cause"][key] if page_tale["cause"] else None)
    for part in cause_parts(cause):
        # a line of TAP begins with a bar, and SARIF begins a sentence with a capital
        for form, whole in (("run", told["story"]), ("explain", explained), ("JUnit", story), ("summary", summary[n]),
                            ("TAP", tap[n].replace("    | ", ""))):
            has(f"{n}: {form}: cause", whole, part)
        has(f"{n}: SARIF: cause", sarif[n]["message"]["text"].lower(), part.lower())
    # what the cause names is named so in the rows, too
    objects = {event["object"] for event in tale["events"]}
    for name in re.findall(r"\(([^()]+)\)@", cause["pattern"] or ""):
        if not any(o == name or o.startswith(name) or name.startswith(o) for o in objects if o):
            problems.append(f"{n}: no row has {name!r} of the pattern")
    for form, whole in (("run", told["story"]), ("explain", explained), ("JUnit", story)):
        if re.search(r"\bmem#", whole):
            problems.append(f"{n}: {form}: something has no name")
    # as many preemptions are marked in the tale as are counted
    marked = sum(1 for event in tale["events"] if "preemption" in event["marks"])
    if tale["dropped"] == 0:
        same(f"{n}: preemptions that are marked", one["preemptions"], marked)

for problem in problems[:20]:
    print(problem)
sys.exit(1 if problems else 0)
