/* SPDX-License-Identifier: MIT
 *
 * page_coverage.js - the source with its coverage: which pairs of lines have been seen in which order, which orders are
 * predicted and still open, which were tried and given up, which cannot happen.
 */

const states = {
    seen: { sign: "●", words: "seen" },
    open: { sign: "○", words: "open" },
    given: { sign: "⊘", words: "given up" },
    never: { sign: "✕", words: "impossible" },
};

class Coverage {
    constructor(raw) {
        Object.assign(this, raw);
        this.lines = new Map(); /* "file:line" → {file, line, seen, open, given, never, pairs, larger} */
        const reasons = new Map(raw.reasons || []);
        for (const [index, [family, sites, kinds, seen, predicted, attempts, given, never]] of raw.instances.entries()) {
            const state = seen > 0 ? "seen" : never ? "never" : given ? "given" : "open";
            const entry = { family: raw.families[family], steps: sites.map((site, i) => ({ site: raw.sites[site], kind: kinds[i] })),
                seen, predicted, attempts, state, reason: reasons.get(index) };
            this.add(entry);
        }
    }

    key(site) { return `${site.file}:${site.line}`; }

    lineOf(site) {
        const key = this.key(site);
        if (!this.lines.has(key))
            this.lines.set(key, { file: site.file, line: site.line, seen: 0, open: 0, given: 0, never: 0, pairs: new Map(), larger: [] });
        return this.lines.get(key);
    }

    add(entry) {
        const touched = new Set(entry.steps.map((step) => step.site).filter((site) => site.line > 0).map((site) => this.lineOf(site)));
        for (const line of touched) {
            line[entry.state]++;
            if (entry.steps.length > 2)
                line.larger.push(entry);
        }
        if (entry.steps.length === 2) {
            const [first, second] = entry.steps, oneLine = this.key(first.site) === this.key(second.site);
            if (oneLine && second.kind < first.kind)
                this.addPair(second, first, entry, false);
            else
                this.addPair(first, second, entry, true);
            if (!oneLine)
                this.addPair(second, first, entry, false);
        }
    }

    /* Of a line: what it does, the other line and what that does; the two orders. */
    addPair(mine, other, entry, before) {
        if (mine.site.line === 0)
            return;
        const pairs = this.lineOf(mine.site).pairs, key = [mine.kind, other.site.where, other.kind, other.site.function].join(" ");
        if (!pairs.has(key))
            pairs.set(key, { mine, other, before: [], after: [] });
        pairs.get(key)[before ? "before" : "after"].push(entry);
    }
}

/* Why it is impossible. */
const reasonOf = (entries) => entries.map((entry) => entry.reason).filter(Boolean).map((reason) => `: ${reason}`)[0] || "";

function stateElement(entries) {
    if (entries.length === 0)
        return h("span.state.none", null, h("span", { "aria-hidden": "true" }, "–"), " not predicted");
    const state = ["seen", "open", "given", "never"].find((name) => entries.some((entry) => entry.state === name));
    const most = Math.max(...entries.map((entry) => entry.seen)), tried = Math.max(...entries.map((entry) => entry.attempts));
    const more_ = { seen: ` in ${count(most, "schedule")}`, open: tried ? `, tried ${number(tried)} times` : "",
        given: ` after ${count(tried, "attempt")}`, never: reasonOf(entries) }[state];
    return h(`span.state.${state}`, null, h("span", { "aria-hidden": "true" }, states[state].sign), ` ${states[state].words}${more_}`);
}

const kindNames = { R: "read", W: "write", U: "update" };
const kindName = (kind) => kindNames[kind] || kind;

/* A place, relative to a line: the file name is left out if it is the same. */
const nearby = (site, line) => (site.file === line.file && site.line > 0 ? `in line ${site.line}` : `at ${site.where}`);
/* "a:*(x) << b:*(x)": the threads of the steps. */
const threadsOf = (shape) => shape.match(/\b[ab](?=:)/g) || [];

/* The same access in both threads: there is only one order. */
const isItself = (pair) => pair.mine.kind === pair.other.kind && pair.mine.site.where === pair.other.site.where;

function pairsTable(line, most) {
    const weight = (pair) => (pair.before.concat(pair.after).some((entry) => entry.state === "open") ? 0 : 1);
    const pairs = [...line.pairs.values()].sort((a, b) => weight(a) - weight(b));
    if (pairs.length === 0)
        return null;
    return filteredTable("Orders of two lines", [`Line ${line.line}, and another`, "this one first", "the other first"],
        pairs.map((pair) => [`${kindName(pair.mine.kind)}, and ${kindName(pair.other.kind)} ${nearby(pair.other.site, line)}`,
            stateElement(pair.before), stateElement(isItself(pair) ? pair.before : pair.after)]), most);
}

function largerList(line, most) {
    const order = { open: 0, given: 1, seen: 2, never: 3 };
    const list = [...line.larger].sort((a, b) => order[a.state] - order[b.state]);
    if (list.length === 0)
        return null;
    const element = more(`In ${count(list.length, "larger pattern")}`, filteredTable("Larger patterns", ["Family", "Steps", "State"],
        list.map((entry) => [h("span.family", { title: entry.family.shape }, entry.family.name),
            entry.steps.map((step, i) => [i > 0 ? " → " : "", h("b", null, threadsOf(entry.family.shape)[i] || ""),
                ` ${kindName(step.kind)} ${nearby(step.site, line)}`]), stateElement([entry])]), most));
    element.open = list[0].state === "open";
    return element;
}

function tally(line) {
    const total = Math.max(1, line.seen + line.open + line.given + line.never);
    const part = (name) => {
        const element = h(`span.${name}`);
        element.style.width = `${line[name] / total * 100}%`;
        return element;
    };
    return h("span.tally", { "aria-hidden": "true" }, part("seen"), part("open"), part("given"), part("never"));
}

const tallyWords = (line) => [`${number(line.seen)} seen`, line.open && `${number(line.open)} open`, line.given &&
    `${number(line.given)} given up`, line.never && `${number(line.never)} impossible`].filter(Boolean).join(", ");

function sourceListing(coverage, file, panel) {
    const rows = [], buttons = new Map();
    let last = 0;
    const known = new Map(file.lines), numbers = new Set(known.keys());
    for (const line of coverage.lines.values())
        if (line.file === file.name)
            numbers.add(line.line);
    function choose(line) {
        for (const [number_, button] of buttons) {
            const other = [...line.pairs.values()].find((pair) => pair.other.site.file === file.name && pair.other.site.line === number_);
            button.setAttribute("aria-pressed", String(number_ === line.line));
            button.parentElement.classList.toggle("partner", Boolean(other) && number_ !== line.line);
        }
        panel.replaceChildren(h("h4", null, `${file.name}:${line.line}`), known.get(line.line) ? h("code.source", null,
            known.get(line.line).trim()) : "", h("p.note", null, tallyWords(line)), ...[pairsTable(line, 40), largerList(line, 30)]
            .flat().filter(Boolean));
    }
    for (const number_ of [...numbers].sort((a, b) => a - b)) {
        const line = coverage.lines.get(`${file.name}:${number_}`), text = known.get(number_);
        if (last > 0 && number_ > last + 1)
            rows.push(h("div.source-gap", { "aria-hidden": "true" }, "⋯"));
        last = number_;
        const code = h("code", null, text === undefined ? "(source not kept)" : text);
        if (!line) {
            rows.push(h("div.source-line", null, h("span.source-number", null, number_), h("span"), code));
            continue;
        }
        const button = h("button.source-button", { type: "button", "aria-pressed": "false", "data-line": number_,
            "aria-label": `Line ${number_}: ${(text || "").trim()}; ${tallyWords(line)}`, onclick: () => choose(line) },
        h("span.source-number", null, number_), h("span.marks", null, tally(line), h("span.tally-words", null,
            line.open ? `${number(line.open)} open` : "")), code);
        buttons.set(number_, button);
        rows.push(h("div.source-line.covered", null, button));
    }
    const worst = [...coverage.lines.values()].filter((line) => line.file === file.name).sort((a, b) => b.open - a.open)[0];
    if (worst)
        choose(worst);
    return h("div.listing", { role: "group", "aria-label": `Source of ${file.name}` }, rows);
}

function fileTally(coverage, name) {
    const sum = { seen: 0, open: 0, given: 0, never: 0 };
    for (const line of coverage.lines.values())
        if (line.file === name)
            for (const state of Object.keys(sum))
                sum[state] += line[state];
    return sum;
}

function coverageSection(program, number_) {
    const raw = program.coverage ? data("coverage", number_, 0) : null;
    if (!raw || raw.instances.length === 0)
        return null;
    const coverage = new Coverage(raw), panel = h("div.pairs", { "aria-live": "polite" }), holder = h("div.listing-holder");
    for (const line of coverage.lines.values()) /* files whose source was not found */
        if (line.file && !coverage.files.some((file) => file.name === line.file))
            coverage.files.push({ name: line.file, lines: [] });
    const files = coverage.files.map((file) => ({ ...file, tally: fileTally(coverage, file.name) })).filter((file) => file.name)
        .sort((a, b) => b.tally.open + b.tally.seen - a.tally.open - a.tally.seen);
    const buttons = files.map((file, i) => h("button.pick", { type: "button", "aria-pressed": "false", onclick: () => show(i) },
        h("span.pick-name", null, file.name), tally(file.tally), h("span.pick-text", null, tallyWords(file.tally))));
    function show(i) {
        buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(k === i)));
        holder.replaceChildren(sourceListing(coverage, files[i], panel));
    }
    if (files.length === 0)
        return null;
    show(0);
    return section("coverage", "Coverage in the source",
        h("p", null, "For each line that accesses shared memory: which other lines have come before it and after it, in another ",
            "thread and immediately. ", ["seen", "open", "given", "never"].map((state) => [h(`span.state.${state}`, null, states[state].sign,
                { seen: " seen", open: " possible, not yet seen", given: " tried in vain", never: " impossible" }[state]), " "])),
        raw.total > raw.instances.length && h("p.note", null, `Of ${number(raw.total)} patterns ${number(raw.instances.length)} are shown.`),
        files.length > 1 && h("div.picks", { role: "group", "aria-label": "Files" }, buttons),
        h("div.coverage", null, holder, panel));
}
