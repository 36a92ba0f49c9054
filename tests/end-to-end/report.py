# SPDX-License-Identifier: MIT
"""report.py FORMAT FILE - checks what `raddle report` wrote against the rules of its format.  Prints each rule that is broken; 0: none.

    report.py json FILE SCHEMA     docs/report.schema.json, taken strictly, and every index
    report.py sarif FILE           the rules below
    report.py trace FILE           Chrome trace events: fields, nesting of slices, pairs of async events and flows
    report.py junit FILE           the elements and attributes that readers of JUnit XML agree on, and the sums

Rules of SARIF 2.1.0 that apply to what raddle writes (sections of the standard):
    3.6, 3.7   only properties that an object has by the standard; arrays that must have unique elements have
    3.10       URIs: characters of RFC 3986, percent-encoded in upper case, no "." and no ".." after a name
    3.11       messages have a text; braces are doubled; no embedded link
    3.13       version, $schema; 3.14 tool, language, columnKind with results; 3.17 automationDetails.id hierarchical
    3.4        artifactLocation: uri or index; the index is that of the same uri; uriBaseId with relative references only, and known
    3.14.14    originalUriBaseIds: no uri, or one that ends with "/"
    3.19, 3.49 driver's name; rules with unique ids; level of the configuration
    3.20       executionSuccessful; times in UTC, in order; a notification of level error only if it was not successful
    3.27       message; ruleIndex is the index of ruleId; level none exactly if kind is not fail; occurrenceCount from 1;
               names of fingerprints are versioned; ids of locations are unique in a result
    3.29, 3.30 physicalLocation has an artifactLocation; lines from 1
    3.36-3.38  at least one threadFlow, at least one location; ids of threadFlows unique; executionOrder from 0, unique in a
               threadFlow, ascending; kinds unique; importance; nestingLevel from 0; state
    3.44       stacks have frames
"""
import bisect
import json
import re
import sys
import xml.etree.ElementTree as tree

problems = []


def rule(holds, *what):
    if not holds:
        problems.append(" ".join(str(word) for word in what))
    return holds


def read(path):
    def unique(pairs):
        rule(len({name for name, _ in pairs}) == len(pairs), "an object has a name twice:", [name for name, _ in pairs])
        return dict(pairs)

    with open(path, encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=unique, parse_constant=lambda word: rule(False, "no JSON:", word))


# ---- JSON ---------------------------------------------------------------------------------------------------------------------


def strict(schema):
    """Names that the schema does not have are allowed to readers, not to us."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            schema["additionalProperties"] = False
        for part in schema.values():
            strict(part)
    elif isinstance(schema, list):
        for part in schema:
            strict(part)
    return schema


def check_tale(tale):
    def index(value, of, what):
        rule(value is None or 0 <= value < len(tale[of]), what, value, "is no index of", of)

    for event in tale["events"]:
        index(event["thread"], "threads", "thread")
        index(event["place"], "places", "place")
    for first, second in tale["arrows"]:
        rule(first < second < len(tale["events"]), "arrow", first, second)
        rule(tale["events"][first]["thread"] != tale["events"][second]["thread"], "arrow within a thread", first, second)
    for bar in tale["bars"]:
        index(bar["from"], "events", "bar")
        index(bar["until"], "events", "bar")
    for stack in tale["stacks"]:
        for place in stack["places"]:
            index(place, "places", "frame")
    for event in (tale["cause"] or {"events": []})["events"]:
        index(event, "events", "cause")


def check_json(path, schema):
    import jsonschema

    report = read(path)
    with open(schema, encoding="utf-8") as file:
        rules = json.load(file)
    jsonschema.Draft202012Validator.check_schema(rules)
    for error in jsonschema.Draft202012Validator(strict(rules)).iter_errors(report):
        rule(False, "/".join(map(str, error.path)), error.message[:200])
    for program in report["programs"]:
        for failure in program["failures"]:
            if failure["tale"]:
                check_tale(failure["tale"])


# ---- SARIF --------------------------------------------------------------------------------------------------------------------

# What each object may have (those properties that raddle uses), and what it must have.
OBJECTS = {
    "log": ("$schema version runs", "version runs $schema"),
    "run": ("tool automationDetails invocations originalUriBaseIds columnKind language results artifacts", "tool results"),
    "tool": ("driver", "driver"),
    "driver": ("name version shortDescription rules", "name"),
    "rule": ("id name shortDescription fullDescription help defaultConfiguration properties", "id"),
    "configuration": ("level", ""),
    "automation": ("id", ""),
    "invocation": ("executionSuccessful exitCode exitCodeDescription startTimeUtc endTimeUtc toolExecutionNotifications properties",
                   "executionSuccessful"),
    "notification": ("level message", "message"),
    "message": ("text", "text"),
    "artifact": ("location roles sourceLanguage", ""),
    "artifactLocation": ("uri uriBaseId index description", ""),
    "result": ("ruleId ruleIndex kind level message locations relatedLocations codeFlows stacks partialFingerprints occurrenceCount "
               "properties", "message ruleId"),
    "location": ("id physicalLocation logicalLocations message", ""),
    "physicalLocation": ("artifactLocation region", "artifactLocation"),
    "region": ("startLine snippet", "startLine"),
    "snippet": ("text", "text"),
    "logicalLocation": ("name kind", ""),
    "codeFlow": ("message threadFlows", "threadFlows"),
    "threadFlow": ("id message locations", "locations"),
    "threadFlowLocation": ("location kinds state nestingLevel executionOrder importance", ""),
    "stack": ("message frames", "frames"),
    "frame": ("location threadId", ""),
}
LEVELS = ("none", "note", "warning", "error")
ROLES = ("analysisTarget", "attachment", "responseFile", "resultFile", "standardStream", "tracedFile")


def shape(what, value):
    if not rule(isinstance(value, dict), what, "is no object:", value):
        return False
    allowed, wanted = (set(words.split()) for words in OBJECTS[what])
    rule(set(value) <= allowed, what, "has", set(value) - allowed)
    return rule(wanted <= set(value), what, "lacks", wanted - set(value))


def whole(value, least):
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def unique(what, values):
    texts = [json.dumps(value, sort_keys=True) for value in values]
    rule(len(set(texts)) == len(texts), what, "must be unique")


def message(value):
    if shape("message", value) and rule(isinstance(value["text"], str) and value["text"], "a message without text"):
        text = value["text"].replace("{{", "").replace("}}", "")
        rule("{" not in text and "}" not in text, "a brace that is not doubled:", value["text"])
        rule("](" not in text, "an embedded link:", value["text"])


class Sarif:
    def __init__(self, log):
        if not shape("log", log):
            return
        rule(log["version"] == "2.1.0", "version", log["version"])
        rule(re.match(r"https://.*sarif-schema-2\.1\.0\.json$", log["$schema"]), "$schema", log["$schema"])
        for run in log["runs"]:
            self.run(run)

    def run(self, run):
        if not shape("run", run):
            return
        self.artifacts = run.get("artifacts", [])
        self.bases = run.get("originalUriBaseIds", {})
        self.rules = []
        if shape("tool", run["tool"]):
            self.driver(run["tool"]["driver"])
        rule(re.fullmatch(r"[a-z]{2}(-[A-Z]{2})?", run.get("language", "en")), "language")
        rule(run.get("columnKind") in ("utf16CodeUnits", "unicodeCodePoints"), "columnKind")
        if shape("automation", run.get("automationDetails", {})):
            rule(re.fullmatch(r"[^/]+(/[^/]*)+", run.get("automationDetails", {}).get("id", "a/")), "automationDetails.id")
        for name, base in self.bases.items():
            if shape("artifactLocation", base):
                rule("uri" not in base or base["uri"].endswith("/"), "base", name, "must end with /")
        for invocation in run.get("invocations", []):
            self.invocation(invocation)
        for number, artifact in enumerate(self.artifacts):
            if shape("artifact", artifact):
                self.artifact_location(artifact["location"])
                rule(artifact["location"].get("index") == number, "artifact", number, "has another index")
                rule(set(artifact.get("roles", [])) <= set(ROLES), "roles", artifact.get("roles"))
        unique("artifacts", self.artifacts)
        for result in run["results"]:
            self.result(result)

    def driver(self, driver):
        if not shape("driver", driver):
            return
        rule(isinstance(driver["name"], str) and driver["name"], "driver without a name")
        self.rules = [entry.get("id") for entry in driver.get("rules", [])]
        rule(len(set(self.rules)) == len(self.rules), "rules with the same id")
        for entry in driver.get("rules", []):
            if shape("rule", entry):
                for name in ("shortDescription", "fullDescription", "help"):
                    message(entry[name])
                shape("configuration", entry["defaultConfiguration"])
                rule(entry["defaultConfiguration"]["level"] in LEVELS, "level of rule", entry["id"])
                rule(re.fullmatch(r"[A-Z][A-Za-z]*", entry["name"]), "rule name", entry["name"])

    def invocation(self, invocation):
        if not shape("invocation", invocation):
            return
        rule(isinstance(invocation["executionSuccessful"], bool), "executionSuccessful")
        rule(whole(invocation["exitCode"], 0), "exitCode")
        times = [invocation[name] for name in ("startTimeUtc", "endTimeUtc") if name in invocation]
        for time in times:
            rule(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", time), "time", time)
        rule(times == sorted(times), "it ended before it began")
        for notification in invocation.get("toolExecutionNotifications", []):
            if shape("notification", notification):
                message(notification["message"])
                rule(notification["level"] in LEVELS, "level of a notification")
                rule(notification["level"] != "error" or not invocation["executionSuccessful"], "an error, but successful")

    def artifact_location(self, location):
        if not shape("artifactLocation", location):
            return
        uri, index = location.get("uri"), location.get("index", -1)
        rule(uri is not None or index >= 0, "artifactLocation without uri and index")
        if index >= 0 and rule(index < len(self.artifacts), "index", index, "of", len(self.artifacts)):
            other = self.artifacts[index]["location"]
            rule((uri, location.get("uriBaseId")) == (other.get("uri"), other.get("uriBaseId")), "index", index, "is not", uri)
        if uri is None:
            return
        rule(uri and re.fullmatch(r"(?:[A-Za-z0-9\-._~:/?#@!$&'()*+,;=]|%[0-9A-F]{2})*", uri), "URI", uri)
        absolute = re.match(r"[a-z][a-z0-9+.-]*:", uri)
        rule(absolute or ":" not in uri.split("/")[0], "a relative reference with a colon:", uri)
        rule(not re.search(r"(^|/)\.(/|$)", uri) and not re.search(r"[^/.][^/]*/\.\.(/|$)", uri), "not normalised:", uri)
        if absolute:
            rule("uriBaseId" not in location, "an absolute URI with uriBaseId")
        else:
            rule(location.get("uriBaseId") in self.bases, "uriBaseId", location.get("uriBaseId"), "of", uri)

    def location(self, location):
        if not shape("location", location):
            return
        rule("id" not in location or whole(location["id"], 0), "id of a location")
        if "message" in location:
            message(location["message"])
        for logical in location.get("logicalLocations", []):
            shape("logicalLocation", logical)
        physical = location.get("physicalLocation")
        if physical is not None and shape("physicalLocation", physical):
            self.artifact_location(physical["artifactLocation"])
            region = physical.get("region")
            if region is not None and shape("region", region):
                rule(whole(region["startLine"], 1), "startLine", region["startLine"])
                if "snippet" in region and shape("snippet", region["snippet"]):
                    rule(isinstance(region["snippet"]["text"], str), "snippet")

    def result(self, result):
        if not shape("result", result):
            return
        message(result["message"])
        index = result.get("ruleIndex", -1)
        rule(whole(index, 0) and index < len(self.rules) and self.rules[index] == result["ruleId"], "ruleIndex", index)
        rule(result.get("level", "warning") in LEVELS, "level", result.get("level"))
        rule((result.get("kind", "fail") == "fail") == (result.get("level") != "none"), "level of a kind that is not fail")
        rule("occurrenceCount" not in result or whole(result["occurrenceCount"], 1), "occurrenceCount")
        for name, text in result.get("partialFingerprints", {}).items():
            rule(re.fullmatch(r".+/v\d+", name) and isinstance(text, str), "fingerprint", name)
        ids = [location["id"] for location in result.get("relatedLocations", []) if "id" in location]
        rule(len(set(ids)) == len(ids), "locations with the same id")
        unique("relatedLocations", result.get("relatedLocations", []))
        for location in result.get("locations", []) + result.get("relatedLocations", []):
            self.location(location)
        for flow in result.get("codeFlows", []):
            self.flow(flow)
        unique("stacks", result.get("stacks", []))
        for stack in result.get("stacks", []):
            if shape("stack", stack):
                message(stack["message"])
                for frame in stack["frames"]:
                    if shape("frame", frame):
                        self.location(frame["location"])
                        rule(whole(frame["threadId"], 0), "threadId")

    def flow(self, flow):
        if not shape("codeFlow", flow) or not rule(flow["threadFlows"], "a codeFlow without threadFlows"):
            return
        message(flow["message"])
        names = [thread.get("id") for thread in flow["threadFlows"]]
        rule(len(set(names)) == len(names), "threadFlows with the same id")
        orders = []
        for thread in flow["threadFlows"]:
            if not shape("threadFlow", thread) or not rule(thread["locations"], "a threadFlow without locations"):
                continue
            message(thread["message"])
            mine = [step.get("executionOrder") for step in thread["locations"]]
            rule(all(whole(order, 0) for order in mine), "executionOrder", mine)
            rule(mine == sorted(set(mine)), "executionOrder must be unique and ascending:", mine)
            orders += mine
            for step in thread["locations"]:
                self.step(step)
        rule(len(set(orders)) == len(orders), "two threads at once")  # one thread runs at a time

    def step(self, step):
        if not shape("threadFlowLocation", step):
            return
        self.location(step["location"])
        rule(step["kinds"] and all(isinstance(kind, str) for kind in step["kinds"]), "kinds")
        unique("kinds", step["kinds"])
        rule(step["importance"] in ("important", "essential", "unimportant"), "importance", step["importance"])
        rule(whole(step["nestingLevel"], 0), "nestingLevel")
        for value in step.get("state", {}).values():
            message(value)


# ---- Chrome trace events ------------------------------------------------------------------------------------------------------


def check_nesting(track, slices):
    """Returns those that are in no other one, by their beginnings."""
    open_until, outer = [], []
    for begin, end in sorted(slices, key=lambda times: (times[0], -times[1])):
        while open_until and open_until[-1] <= begin:
            open_until.pop()
        rule(not open_until or end <= open_until[-1], "slices of", track, "overlap at", begin)
        if not open_until:
            outer.append((begin, end))
        open_until.append(end)
    return outer


def covers(outer, time):
    at = bisect.bisect_right(outer, (time, float("inf"))) - 1
    return at >= 0 and outer[at][0] <= time < outer[at][1]


def check_trace(path):
    trace = read(path)
    names, tracks, slices, bars, flows = set(), set(), {}, {}, {}
    for event in trace["traceEvents"]:
        track, phase = (event["pid"], event["tid"]), event["ph"]
        rule(isinstance(event["name"], str) and event["name"], "an event without a name")
        if phase == "M":
            names.add((event["name"], event["pid"], event["tid"]))
            continue
        tracks.add(track)
        rule(event["ts"] >= 0, "ts")
        if phase == "X":
            rule(event["dur"] > 0, "dur")
            slices.setdefault(track, []).append((event["ts"], event["ts"] + event["dur"]))
        elif phase == "i":
            rule(event["s"] in ("t", "p", "g"), "scope of an instant")
        elif phase in ("b", "e"):
            bars.setdefault((event["cat"], event["id"], event["name"]), []).append((phase, event["ts"]))
        elif phase in ("s", "f"):
            rule(phase == "s" or event["bp"] == "e", "bp")
            flows.setdefault((event["cat"], event["id"], event["name"]), []).append((phase, event["ts"], track))
        else:
            rule(False, "phase", phase)
    for track in tracks:
        rule(("thread_name", *track) in names, "no name for thread", track)
        rule(any(name == "process_name" and pid == track[0] for name, pid, _ in names), "no name for process", track[0])
    outer = {track: check_nesting(track, list_) for track, list_ in slices.items()}
    for bar, ends in bars.items():
        rule([phase for phase, _ in ends] == ["b", "e"] and ends[0][1] < ends[1][1], "bar", bar, ends)
    for flow, ends in flows.items():
        rule([phase for phase, *_ in ends] == ["s", "f"] and ends[0][1] < ends[1][1], "flow", flow, ends)
        for _, time, track in ends:
            rule(covers(outer.get(track, []), time), "flow", flow, "ends in no slice")
    print(len(slices), "threads,", sum(map(len, slices.values())), "slices,", len(bars), "bars,", len(flows), "flows")


# ---- JUnit --------------------------------------------------------------------------------------------------------------------

JUNIT = {
    "testsuites": ("name tests failures errors time", "testsuite"),
    "testsuite": ("name tests failures errors skipped time timestamp", "properties testcase"),
    "properties": ("", "property"),
    "property": ("name value", ""),
    "testcase": ("classname name time", "failure error skipped system-out system-err"),
    "failure": ("type message", ""),
    "error": ("type message", ""),
    "skipped": ("message", ""),
    "system-out": ("", ""),
    "system-err": ("", ""),
}


def check_element(element):
    attributes, children = (words.split() for words in JUNIT[element.tag])
    rule(set(element.attrib) <= set(attributes), element.tag, "has", set(element.attrib) - set(attributes))
    order = [children.index(child.tag) if rule(child.tag in children, child.tag, "in", element.tag) else 0 for child in element]
    rule(order == sorted(order), "the parts of", element.tag, "are not in order")
    for child in element:
        check_element(child)
    for attribute in ("tests", "failures", "errors", "skipped"):
        if attribute in element.attrib and element.tag.startswith("testsuite"):
            wanted = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}[attribute]
            rule(int(element.get(attribute)) == len(list(element.iter(wanted))), element.tag, attribute, element.get(attribute))


def check_junit(path):
    root = tree.parse(path).getroot()
    rule(root.tag == "testsuites", "root", root.tag)
    check_element(root)
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    rule(len(set(names)) == len(names), "two testcases have one name:", names)


CHECKS = {"json": check_json, "sarif": lambda path: Sarif(read(path)), "trace": check_trace, "junit": check_junit}
CHECKS[sys.argv[1]](*sys.argv[2:])
for line in problems[:50]:
    print(line.encode("ascii", "backslashreplace").decode())
sys.exit(1 if problems else 0)
