#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""story.py - whether the story of a failure has what the head of its program asks for, in text, JSON and HTML.

  story.py [--html] SOURCE OUT [SOURCE OUT]...       OUT: what `raddle run --out` wrote; its failure-1 is looked at.  $RADDLE is the command

The head says `// rows: LINES` (lines of the program that must have a row) and `// says: REGEX` (for the sentence about what went wrong).  Without these,
the places of one of its `// cause:` lines must have rows, all but at most one, which may have been still to come; and the sentence must name two of them.
With --html the report is rendered by a headless Chromium, one for all.  Prints a line for each program that does not have it; exit status 1 if there is one.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "browser"))
RADDLE = os.environ["RADDLE"]
PARTS = re.compile(r"   (block|race|locks|time|printed|cut|waits|cycle|stack|cause)\b")
PLACE = re.compile(r"(?<![\w.])(?:[\w./+-]*):(\d+)(?::\d+)?\b")
ROWS = "[...document.querySelectorAll('.row')].map((row) => row.innerText).join('\\n')"


def head(source):
    """What the head asks for: alternatives of (lines, how many of them are enough), and of sentences."""
    items = re.findall(r"^// (rows|says|cause): *(.*)$", pathlib.Path(source).read_text(), re.M)
    rows = [{int(word) for word in text.split()} for item, text in items if item == "rows"]
    says = [text for item, text in items if item == "says"]
    causes = [{int(line) for line in re.findall(r":(\d+)(?=[\s|]|$)", text)} for item, text in items if item == "cause"]
    return rows, says, causes


def lines_of(text):
    return {int(line) for line in PLACE.findall(text)}


def told(out):
    """Rows and sentence as `raddle explain` prints them."""
    run = subprocess.run([RADDLE, "explain", f"{out}/failure-1", "--width", "400"], capture_output=True, text=True, check=True)
    rows, rest = [], []
    for line in run.stdout.splitlines()[2:]:
        (rest if rest or PARTS.match(line) else rows).append(line)
    return lines_of("\n".join(rows)), " ".join(" ".join(rest).split())


def reported(out):
    """The same from `raddle report --json`."""
    subprocess.run([RADDLE, "report", out, "--json", f"{out}/story.json"], capture_output=True, check=True)
    report = json.loads(pathlib.Path(f"{out}/story.json").read_text())
    tale = report["programs"][0]["failures"][0]["tale"]
    rows = {tale["places"][event["place"]]["line"] for event in tale["events"] if event["place"] is not None and
            set(event["marks"]) & {"matters", "blocked", "failure"}}
    return rows, (tale["cause"] or {}).get("statement") or ""


def rendered(browser, out):
    """The same from the page, as a browser shows it."""
    subprocess.run([RADDLE, "report", out, "--html", f"{out}/story.html"], capture_output=True, check=True)
    page = browser.open(pathlib.Path(out, "story.html").resolve(), height=6000)
    return lines_of(page.evaluate(ROWS)), " ".join(page.evaluate("document.querySelector('main').innerText").split())


def complaint(source, where, rows, text, statement):
    """None: the story has all that is asked for."""
    wanted, says, causes = head(source)
    if not statement:
        return f"{where}: no sentence says what went wrong"
    if statement not in text:
        return f"{where}: the sentence is not there: {statement}"
    for lines in wanted:
        if not lines <= rows:
            return f"{where}: no row of line {sorted(lines - rows)}"
    for expression in says:
        if not re.search(expression, statement):
            return f"{where}: says {statement!r}, not {expression!r}"
    if not wanted and causes and not any(len(lines - rows) <= 1 for lines in causes):
        return f"{where}: rows of {sorted(rows)}, for none of {[sorted(lines) for lines in causes]} enough"
    named = lines_of(statement)
    if not says and causes and not any(len(named & lines) >= min(2, len(lines)) for lines in causes):
        return f"{where}: says {statement!r}, which names too little of {[sorted(lines) for lines in causes]}"
    return None


def check(source, out, browser):
    rows, statement = reported(out)
    views = [("JSON", rows, statement), ("text", *told(out))]
    if browser:
        views.append(("HTML", *rendered(browser, out)))
    for where, lines, text in views:
        problem = complaint(source, where, lines, text, statement)
        if problem:
            print(f"{pathlib.Path(source).name}, {out}: {problem}")
            return False
    return True


def main():
    arguments = sys.argv[1:]
    browser = None
    if arguments[0] == "--html":
        from browser import Browser

        browser = Browser()
        arguments = arguments[1:]
    good = True
    for source, out in zip(arguments[::2], arguments[1::2]):
        good = check(source, out, browser) and good
    if browser:
        browser.close()
    sys.exit(0 if good else 1)


main()
