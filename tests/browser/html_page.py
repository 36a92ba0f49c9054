#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# html_page.py - the HTML report in a headless Chromium: stepping, pointing, zoom, filter, colours, names for screen readers, texts
# that would like to be HTML, and a hundred thousand events.
#
#   html_page.py DIRECTORY [PICTURES]      pages: bank locks hostile made-hostile large all (.html)
#
# Prints `ok NAME` or `not ok NAME: why` for each check.  1 if one failed, or if there is no browser that starts.
import json
import pathlib
import re
import sys

from browser import Browser, BrowserError

failed = 0
EVIL = "<script>alert(1)</script>"


def check(name, good, why=""):
    global failed
    failed += not good
    print(f"ok html: {name}" if good else f"not ok html: {name}: {str(why)[:300]}", flush=True)


def selected(page):
    """The number that the selected row has."""
    return page.evaluate("Number(document.querySelector('.row.selected').dataset.event)")


def rows(page):
    return page.evaluate("[...document.querySelectorAll('.row')].map((row) => Number(row.dataset.event)).sort((a, b) => a - b)")


def tale(page, number=0):
    return json.loads(page.evaluate(f"document.getElementById('tale-0-{number}').textContent"))


def switches_of(threads, events):
    return [b for a, b in zip(events, events[1:]) if threads[a] != threads[b]]


def luminance(colour):
    parts = [float(part) for part in re.findall(r"[\d.]+", colour)[:3]]
    if colour.startswith("color("):
        parts = [part * 255 for part in parts]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in parts)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


# ---- one failure ----------------------------------------------------------------------------------------------------------------

def test_head(page):
    check("the head says program and verdict", page.text("h1") == "bank" and "1 failure" in page.text(".verdict"), page.text(".title"))
    check("the headline is the failure", "balance == 150" in page.text(".failure h3"), page.text(".failure h3"))
    check("cause with its counts", "balance" in page.text(".cause-block .pattern") and page.count(".counts td.number") == 4,
          page.text(".cause-block"))
    check("campaign in numbers", "Schedules" in page.text(".facts") and "Seed" in page.text(".facts"), page.text(".facts"))
    check("how to replay it", "raddle replay" in page.text(".command code"))


def test_stepping(page):
    story = tale(page)
    threads = story["events"]["thread"]
    page.focus(".view")
    page.key("Home")
    shown = rows(page)
    expected = switches_of(threads, shown)
    met = []
    for _ in expected:
        page.key("ArrowRight")
        met.append(selected(page))
    check("the right arrow goes from switch to switch", len(expected) >= 3 and met == expected, f"{met}, not {expected}")
    page.key("ArrowRight")
    check("after the last switch it stays", selected(page) == expected[-1])
    page.key("k")
    check("k goes back", selected(page) == expected[-2], selected(page))
    page.key("j")
    check("j goes on", selected(page) == expected[-1], selected(page))
    page.key("End")
    last = selected(page)
    page.key("ArrowUp")
    check("End, and up by one event", last == shown[-1] and selected(page) == shown[-2], (last, shown))
    check("the position is told", re.fullmatch(rf"switch \d+ of {len(expected)}", page.text(".position")), page.text(".position"))
    active = page.evaluate("document.querySelector('.view').getAttribute('aria-activedescendant')")
    check("the active row is named to screen readers", page.evaluate(f"document.getElementById({json.dumps(active)}) !== null"), active)
    page.click("[data-do=first]")
    check("the buttons do the same", selected(page) == shown[0])
    page.focus(".view")
    page.key("c")
    check("c goes to the next step of the cause", selected(page) in story["cause"]["events"], selected(page))


def test_pointing(page):
    story = tale(page)
    event = story["cause"]["events"][0]
    page.hover(f".row[data-event='{event}'] .what")
    shown = page.text("#tip") if not page.evaluate("document.getElementById('tip').hidden") else ""
    place = story["places"][story["events"]["place"][event]]
    check("pointing at an event shows source and value", place["source"] in shown and "= 100" in shown and place["where"] in shown, shown)
    page.click(f".row[data-event='{event}'] .what")
    check("a click selects", selected(page) == event)
    check("its details: source, value", place["source"] in page.text(".details") and "= 100" in page.text(".details"),
          page.text(".details"))
    page.mouse("mouseMoved", 5, 5)
    page.settle()
    check("the bubble goes", page.evaluate("document.getElementById('tip').hidden"))
    check("steps of the cause are numbered and joined", page.count(".row.cause .step") == len(story["cause"]["events"]) >= 2 and
          page.count(".under path.chain") == len(story["cause"]["events"]) - 1, page.count(".under path.chain"))
    check("preemptions are marked", page.count(".under path.preempted") >= 1 and page.count(".badge.preemption") >= 1)


def row_height(page):
    return page.evaluate("document.querySelector('.row').getBoundingClientRect().height")


def test_zoom(page):
    before = row_height(page)
    page.focus(".view")
    page.key("-")
    smaller = row_height(page)
    page.key("+", 2)
    larger = row_height(page)
    page.key("0")
    check("zoom by key", smaller < before < larger and row_height(page) == before, (smaller, before, larger))
    page.click("[data-do=out]")
    check("zoom by button", row_height(page) == smaller and page.text(".level") != "100 %")
    x, y = page.box(".view")
    page.wheel(x, y, -120, control=True)
    check("zoom by wheel", row_height(page) == before, row_height(page))


def test_filter(page):
    story = tale(page)
    few = len(rows(page))
    page.click(".choice button[data-value=all]")
    everything = len(rows(page))
    check("all events, not only what matters", everything == len(story["events"]["thread"]) > few, (everything, few))
    page.focus("input[type=search]")
    page.type("balance")
    objects, texts = story["events"]["object"], story["texts"]
    expected = [i for i, text in enumerate(objects) if "balance" in texts[text]]
    check("the filter hides what does not fit", rows(page) == expected != [], (rows(page), expected))
    check("and says how many are left", page.text(".shown").startswith(f"{len(expected)} of {everything} "), page.text(".shown"))
    page.type("xyzzy")
    check("a filter that nothing fits", rows(page) == [] and "No event" in page.text(".details"))
    page.evaluate("""(() => { const input = document.querySelector('input[type=search]'); input.value = '';
        input.dispatchEvent(new Event('input')); })()""")
    page.settle()
    page.click(".choice button[data-value=matters]")
    check("without it everything is back", len(rows(page)) == few)
    page.click(".choice button[data-value=table]")
    check("the same as a table", page.count(".table-holder tbody tr") == few, page.count(".table-holder tbody tr"))
    page.click(".choice button[data-value=lanes]")


def test_colours(page):
    def look():
        return page.colour("body", "background-color"), page.colour("body")
    light = look()
    page.media(dark=True)
    page.settle()
    dark = look()
    check("dark where the system is dark", luminance(light[0]) > 0.8 and luminance(dark[0]) < 0.05, (light, dark))
    page.click(".theme")
    check("light if it is chosen", look() == light, look())
    page.click(".theme")
    page.media(dark=False)
    page.settle()
    check("dark if it is chosen", look() == dark, look())
    page.click(".theme")
    pairs = [(".note", "main"), (".row .line", ".viewer"), (".row .where", ".viewer"), (".number", ".viewer"), (".badge.preemption", None),
             (".cause-block h4", ".cause-block"), (".verdict", None), (".badge.cause", None), (".tick", "main"), (".state.seen", "main"),
             (".row.cause .line", ".row.cause .text"), (".row.failure .line", ".row.failure .text"), (".fact dt", "main")]
    ground = """(() => { let at = document.querySelector(%s); while (at) { const colour = getComputedStyle(at).backgroundColor;
        if (colour !== 'rgba(0, 0, 0, 0)') return colour; at = at.parentElement; } })()"""
    for dark_ in (False, True):
        page.media(dark=dark_)
        page.settle()
        poor = []
        for text, under in pairs:
            if not page.count(text):
                continue
            ratio = contrast(page.colour(text, "fill" if text == ".tick" else "color"), page.evaluate(ground % json.dumps(under or text)))
            if ratio < 4.5:
                poor.append((text, round(ratio, 2)))
        check(f"contrast of 4.5 in {'dark' if dark_ else 'light'}", not poor, poor)
    page.media(dark=False)


def test_names(page):
    nameless, roles = [], {}
    for node in page.tree():
        role = node.get("role", {}).get("value")
        name = node.get("name", {}).get("value", "")
        roles.setdefault(role, []).append(name)
        if role in ("button", "link", "checkbox", "searchbox", "textbox", "listbox", "option", "image", "img", "table", "combobox") and not name:
            nameless.append(role)
    check("everything that can be used has a name", not nameless, nameless)
    check("events are read out in full", any("reads" in name or "read balance" in name for name in roles.get("option", [])),
          roles.get("option"))
    check("there are headings and a main part", roles.get("main") and len(roles.get("heading", [])) >= 4, list(roles))
    page.evaluate("document.activeElement.blur(); document.body.focus(); scrollTo(0, 0)")
    met, outlined = set(), True
    for _ in range(60):
        page.key("Tab")
        what = page.evaluate("""(() => { const at = document.activeElement; const style = getComputedStyle(at);
            return [at.className && at.className.baseVal === undefined ? at.className : at.tagName, at.dataset.do || at.dataset.value || '',
                style.outlineStyle !== 'none']; })()""")
        met.add(what[0] + what[1])
        outlined = outlined and (what[2] or what[0] == "BODY" or what[0] == "skip" or what[0] == "BODYundefined")
    check("the keyboard reaches the picture and its buttons", {"view", "BUTTONnext", "BUTTONin", "BUTTONall", "source-button"} <= met, met)
    check("what has the focus is outlined", outlined)


def test_coverage(page):
    check("source lines with their coverage", page.count(".source-button") >= 4 and "int before = balance;" in page.text(".listing"),
          page.text(".listing"))
    page.evaluate("document.querySelector('.source-button[data-line=\"15\"]').click()")
    shown = page.text(".pairs")
    check("a line's pairs, in both orders", "bank.c:15" in shown and "line 23" in shown and "this one first" in shown and "seen in" in shown, shown)
    check("the other lines of its pairs are marked", page.count(".source-line.partner") >= 1)
    check("growth of coverage, with a description", "patterns of interleaving" in page.evaluate(
        "document.querySelector('svg.curve').getAttribute('aria-label')") and page.count("svg.curve text.axis") == 2)


def test_deadlock(page):
    check("which thread waits for which", page.count("svg.graph .node") >= 2 and page.count("svg.graph .wait") >= 2 and
          "waits for" in page.evaluate("document.querySelector('svg.graph').getAttribute('aria-label')"))
    page.click(".choice button[data-value=all]")
    locks = page.evaluate("[...document.querySelectorAll('.under .bar')].map((bar) => bar.dataset.lock)")
    check("bars for locks that are held", {"accounts", "journal"} <= set(locks), locks)
    check("arrows for what happens before what", page.count(".under path.order") >= 2, page.count(".under path.order"))
    page.evaluate("document.querySelector('[data-show=locks]').click()")
    page.settle()
    check("bars can be switched off", page.count(".under .bar") == 0)


def test_first(page, screen):
    check("a failing program is shown first", page.text("h1") == "b", page.text("h1"))
    check("a condition variable is a node of its own", page.count("svg.graph .node.object") == 1 and
          "spooler.arrived" in page.text("svg.graph .node.object"))
    page.screenshot(screen)
    check("a title has one line", page.evaluate("getComputedStyle(document.querySelector('.failure > h3')).whiteSpace") == "nowrap")
    check("all lanes are in sight", page.evaluate("[...document.querySelectorAll('.beside')].every((button) => button.hidden)"))
    words = page.evaluate("[...document.querySelectorAll('.row.failure .what')].map((row) => row.textContent)")
    check("what waits is said once", words and not any(word.count("waits") > 1 for word in words), words)


def test_phone(page):
    hidden = page.evaluate("[...document.querySelectorAll('.beside')].filter((button) => !button.hidden).map((button) => button.textContent)")
    check("a narrow window says that there are more lanes", hidden and any("lane" in text for text in hidden), hidden)
    page.evaluate("document.querySelector('.view').scrollLeft = 0")
    page.settle()
    check("which are at the other side then", page.evaluate("document.querySelector('.beside.before').hidden && "
          "!document.querySelector('.beside.after').hidden"))
    check("the headline is shown whole", "condition spooler.arrived" in page.text(".failure .headline") and
          page.evaluate("getComputedStyle(document.querySelector('.failure > .headline')).display") == "block")


def test_filtered(page):
    """The picture of a page that was just opened has the events, and long tables have a filter."""
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    rows = page.evaluate("document.querySelectorAll('.pairs .filtered tbody tr').length")
    check("long tables have a filter", rows > 0 and page.count(".pairs .filtered input") > 0, rows)
    page.evaluate("(() => { const field = document.querySelector('.pairs .filtered input'); field.value = 'open unlock'; "
                  "field.dispatchEvent(new Event('input')); })()")
    curves = page.evaluate("[...document.querySelectorAll('.share-curve')].map((curve) => curve.querySelectorAll('.part').length)")
    check("shares of the strategies over the campaign", len(curves) > 1 and len(set(curves)) == 1 and curves[0] > 10, curves)
    left = page.evaluate("[...document.querySelector('.pairs .filtered').querySelectorAll('tbody tr')].map((row) => row.textContent)")
    check("it leaves the rows with these words", 0 < len(left) and all("open" in row and "unlock" in row for row in left), left[:3])


# ---- others ---------------------------------------------------------------------------------------------------------------------

def test_hostile(page, name, title):
    body = page.evaluate("document.body.textContent")
    check(f"{name}: no script of the program runs", not page.dialogs and page.evaluate("window.broken === undefined") and
          page.evaluate("document.title") == title, (page.dialogs, page.evaluate("document.title")))
    visible = page.evaluate("document.querySelector('main').innerText")
    check(f"{name}: what it says is shown as it is", EVIL in visible or "</script><script>" in visible, visible[:300])
    check(f"{name}: no elements but ours", page.count("img, iframe, object, embed, link") == 0 and page.count("script:not([type])") == 1 and body)


def test_large(page):
    nodes = page.evaluate("document.querySelectorAll('*').length")
    page.click(".choice button[data-value=all]")
    total = page.evaluate("document.querySelector('.row').getAttribute('aria-setsize')")
    check("all of a hundred thousand events are there", int(total) == 100000, total)
    page.focus(".view")
    page.key("Home")
    met = []
    for _ in range(30):
        page.key("ArrowRight")
        met.append(selected(page))
    check("stepping through them", met == [4 * i for i in range(1, 31)], met)
    page.key("End")
    check("to the last one", selected(page) == 99999)
    most, longest = 0, 0
    for place in range(20):
        page.evaluate(f"document.querySelector('.view').scrollTop = {place} / 20 * document.querySelector('.view').scrollHeight")
        page.settle()
        most = max(most, page.count(".row"))
        longest = max(longest, page.evaluate("Math.max(...[...document.querySelectorAll('.under path, .under rect')].map((line) => "
                                             "line.getBBox().height))"))
    check("lines end where they go out of sight", 0 < longest < 5000, longest)
    page.key("-", 6)
    dense = page.count(".row")
    after = page.evaluate("document.querySelectorAll('*').length")
    check("few elements, however many events", 0 < most < 150 and dense < 700 and after < nodes + 6000, (most, dense, nodes, after))
    page.key("0")
    x, y = page.box(".view")
    before = page.evaluate("document.querySelector('.view').scrollTop")
    page.drag((x, y), (x, y + 120))
    check("dragging moves the picture", page.evaluate("document.querySelector('.view').scrollTop") == before - 120)
    page.focus("input[type=search]")
    page.type("T3 write")
    check("the filter is quick with all of them", page.evaluate("Number(document.querySelector('.row').getAttribute('aria-setsize'))") == 3125)


def quiet(page, name):
    check(f"{name}: no errors, nothing asked of the network", not page.problems and all(url.startswith(("file:", "data:")) for url in page.requests),
          (page.problems, page.requests))
    page.close()


def main():
    directory = pathlib.Path(sys.argv[1])
    with Browser() as browser:
        print(f"# {browser.version}")
        page = browser.open(directory / "bank.html")
        for test in (test_head, test_stepping, test_pointing, test_zoom, test_filter, test_coverage, test_names, test_colours):
            test(page)
        quiet(page, "a lost update")
        page = browser.open(directory / "locks.html")
        test_deadlock(page)
        quiet(page, "a deadlock")
        for name in ("hostile", "made-hostile"):
            page = browser.open(directory / f"{name}.html")
            title = page.evaluate("document.title")
            check(f"{name}: the title is only text", "<" in title, title)
            test_hostile(page, name, title)
            quiet(page, name)
        page = browser.open(directory / "large.html")
        test_large(page)
        quiet(page, "a hundred thousand events")
        page = browser.open(directory / "all.html")
        check("several programs, and how each stands", page.count(".programs tbody tr") == 3, page.text(".programs"))
        page.evaluate("[...document.querySelectorAll('.programs button')].find((button) => button.textContent === 'locks').click()")
        page.settle()
        check("one of them at a time", page.text("h1") == "locks" and "deadlock" in page.text(".failure h3"), page.text("h1"))
        quiet(page, "several programs")
        page = browser.open(directory / "first.html")
        test_first(page, directory / "first.png")
        page.evaluate("[...document.querySelectorAll('.programs button')].find((button) => button.textContent === 'a').click()")
        page.settle()
        test_filtered(page)
        quiet(page, "a program that passes beside one that fails")
        page = browser.open(directory / "first.html", width=390, height=800)
        test_phone(page)
        page = browser.open(directory / "bank.html", width=420, height=800)
        wide = page.evaluate("document.documentElement.scrollWidth")
        check("a narrow window needs no sideways scrolling", wide <= 420, wide)
        quiet(page, "a narrow window")


if __name__ == "__main__":
    try:
        main()
    except BrowserError as error:
        print(f"not ok html: the browser: {error}")
        sys.exit(1)
    sys.exit(failed > 0)
