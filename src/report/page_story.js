/* SPDX-License-Identifier: MIT
 *
 * page_story.js - a failure: what it was, its cause, the picture with what belongs to it, stacks, waits and output.
 */

/* ---- cause ---------------------------------------------------------------------------------------------------------------- */

function countsTable(cause) {
    const row = (name, fails, passes) => h("tr", null, h("th", { scope: "row" }, name),
        h("td.number", { class: `number ${fails ? "bad-count" : ""}` }, number(fails)), h("td.number", null, number(passes)));
    return h("table.counts", null, h("caption", null, "Runs that it rests on"),
        h("thead", null, h("tr", null, h("td"), h("th.number", { scope: "col" }, "failed"), h("th.number", { scope: "col" }, "passed"))),
        h("tbody", null, row("with the pattern", cause.failing_with, cause.passing_with),
            row("without it", cause.failing_without, cause.passing_without)));
}

function causeBlock(cause) {
    if (!cause)
        return null;
    const meaning = cause.family && report.meanings[cause.family];
    const known = cause.failing_with + cause.failing_without + cause.passing_with + cause.passing_without > 0;
    return h(cause.pattern ? "div.cause-block" : "div.cause-block.unknown", null, h("h4", null, "Cause",
        cause.family && h("span.family", null, cause.family, meaning ? `: ${meaning}` : "")),
    cause.statement && h("p.statement", null, cause.statement),
    [cause.pattern, cause.second].filter(Boolean).map((pattern, i) => [i > 0 && h("p.note", null, cause.either ? "or" : "and"),
        h("pre.pattern", null, pattern)]),
    cause.sentence && h("p", null, cause.sentence), known && cause.pattern && countsTable(cause));
}

/* ---- the picture and its controls ------------------------------------------------------------------------------------------ */

const shortcuts = [["← →", "or j k: the switch before, the next switch"], ["↑ ↓", "the event before, the next event"],
    ["Home End", "the first, the last event"], ["Page ↑ ↓", "a screenful"], ["c", "the next step of the cause"],
    ["+ − 0", "zoom (or Ctrl and the wheel); 0: as it was"], ["Shift ← → ↑ ↓", "move the picture (or drag it)"]];

class Viewer {
    constructor(tale, id) {
        this.tale = tale;
        this.id = id;
        this.details = h("aside.details", { "aria-label": "The selected event" });
        this.shown = h("span.shown", { id: `${id}-shown`, role: "status" });
        this.position = h("span.position");
        this.level = h("span.level", { "aria-label": "zoom" });
        this.lanes = new Lanes(tale, id, (event) => this.selected(event));
        this.page = 0;
        this.tableHolder = h("div.table-holder", { hidden: true });
        this.element = h("div.viewer", null, this.toolbar(), h("div.stage", null, this.lanes.element, this.details),
            this.tableHolder, this.legend());
        this.filtered();
        this.begin();
    }

    /* The event to show first: the first step of the cause, or the failure. */
    begin() {
        const { lanes, tale } = this;
        let at = Math.min(...tale.steps.keys());
        if (!Number.isFinite(at))
            at = lanes.rows.find((event) => tale.marks[event] & (MARK.FAILURE | MARK.BLOCKED) && tale.thread[event] === tale.failing) ??
                lanes.rows[0];
        if (lanes.rows.length > 60)
            lanes.level = 5;
        requestAnimationFrame(() => {
            lanes.layout();
            if (at !== undefined) {
                lanes.select(at);
                lanes.reveal(lanes.rowOf(at), true);
            }
            lanes.later();
        });
    }

    toolbar() {
        const lanes = this.lanes, button = (text, title, act, name) =>
            h("button", { type: "button", title, "aria-label": title, onclick: act, "data-do": name }, text);
        this.mode = choice("Which events", [["matters", "What matters", "the cause, switches, locks, and what led to the failure"],
            ["all", "All", "every event that was recorded"]], "matters", (value) => { lanes.mode = value; this.refilter(); });
        this.kind = choice("How", [["lanes", "Lanes"], ["table", "Table"]], "lanes", (value) => this.present(value));
        const input = h("input", { type: "search", placeholder: "Filter: variable, file, thread …", "aria-label":
            "Filter by variable, file, function, thread or operation", spellcheck: "false" });
        input.addEventListener("input", () => { lanes.text = input.value; this.refilter(); });
        const toggle = (name, text) => h("label.check", null, h("input", { type: "checkbox", checked: true, "data-show": name,
            onchange: (event) => { lanes.show[name] = event.target.checked; lanes.later(); } }), text);
        const icon = (d) => svg("svg.icon", { viewBox: "0 0 16 16", width: 14, height: 14, "aria-hidden": "true" }, svg("path", { d }));
        return h("div.toolbar", { role: "toolbar", "aria-label": "Picture of the run" }, this.mode.element, input,
            h("div.steps", { role: "group", "aria-label": "Switches between threads" },
                button(icon("M3 3V13M13 3L6 8L13 13Z"), "First event", () => lanes.select(lanes.rows[0]), "first"),
                button(icon("M12 3L5 8L12 13Z"), "Previous switch", () => lanes.stepSwitch(-1), "previous"), this.position,
                button(icon("M4 3L11 8L4 13Z"), "Next switch", () => lanes.stepSwitch(1), "next"),
                button(icon("M13 3V13M3 3L10 8L3 13Z"), "Last event", () => lanes.select(lanes.rows[lanes.rows.length - 1]), "last")),
            h("div.zoom", { role: "group", "aria-label": "Zoom" }, button("−", "Zoom out", () => lanes.zoom(-1), "out"), this.level,
                button("+", "Zoom in", () => lanes.zoom(1), "in")),
            toggle("arrows", "order"), toggle("locks", "locks"), this.kind.element, this.shown);
    }

    legend() {
        const item = (kind, letter, text) => h("li", null, h("span", { class: `kind ${kind}` }, h("span.sign", { "aria-hidden": "true" },
            letter)), text);
        return h("details.legend", null, h("summary", null, "Keys and signs"), h("div.legend-columns", null,
            h("dl.keys", null, shortcuts.map(([keys, text]) => h("div", null, h("dt", null, keys.split(" ").map((key) =>
                h("kbd", null, key))), h("dd", null, text)))),
            h("ul.signs", null, item("read", "R", "reads"), item("write", "W", "writes"), item("acquire", "L", "takes a lock, is woken"),
                item("release", "U", "gives it back"), item("sync", "S", "signals, waits, barriers"), item("thread", "T", "starts, ends, joins"),
                h("li", null, line("control"), "the running thread"), h("li", null, line("preempted"), "a thread that could have continued was preempted"),
                h("li", null, line("order"), "happens before: unlock and lock, create and start"),
                h("li", null, line("chain"), "the steps of the cause"), h("li", null, line("bar"), "a lock is held"))));
    }

    refilter() {
        this.lanes.filter();
        this.page = 0;
        this.filtered();
    }

    filtered() {
        const { rows } = this.lanes, { count: all, dropped, omitted } = this.tale;
        this.shown.textContent = `${number(rows.length)} of ${count(all, "event")}` +
            (dropped ? `; ${number(dropped)} before them were not kept` : "") +
            (omitted ? `; ${number(omitted)} that do not matter are not in this page` : "");
        this.selected(this.lanes.selected);
        if (!this.tableHolder.hidden)
            this.showTable();
    }

    present(kind) {
        this.element.querySelector(".stage").hidden = kind === "table";
        this.tableHolder.hidden = kind !== "table";
        if (kind === "table")
            this.showTable();
    }

    /* The same as a table, a page at a time: for screen readers, and as an alternative to the picture. */
    showTable() {
        const size = 100, { rows } = this.lanes, { tale } = this, pages = Math.max(1, Math.ceil(rows.length / size));
        const turn = (by) => { this.page += by; this.showTable(); };
        const lines = [...rows.slice(this.page * size, (this.page + 1) * size)].map((event) => {
            const place = tale.placeOf(event);
            return [number(tale.number[event]), tale.threadName(tale.thread[event]), tale.what(event), place ? place.where : "",
                h("code", null, place && place.source || ""), tale.remarks(event).map(([, text]) => text).join(", ")];
        });
        this.tableHolder.replaceChildren(table(`Events, page ${number(this.page + 1)} of ${number(pages)}`,
            ["#", "Thread", "What", "Where", "Source", "Remarks"], lines, [0]),
        h("div.pages", { hidden: pages === 1 }, h("button", { type: "button", disabled: this.page === 0, onclick: () => turn(-1) }, "Previous page"),
            h("button", { type: "button", disabled: this.page + 1 >= pages, onclick: () => turn(1) }, "Next page")));
    }

    selected(event) {
        const { lanes, tale } = this;
        if (!lanes)
            return;
        this.position.textContent = `switch ${number(event >= 0 ? lanes.switchNumber() : 0)} of ${number(lanes.switches.length)}`;
        this.level.textContent = `${Math.round(lanes.height / HEIGHTS[PLAIN] * 100)} %`;
        if (event < 0) {
            this.details.replaceChildren(h("p.note", null, lanes.rows.length ? "Select an event: click on it, or use the arrow keys." :
                "No event fits the filter."));
            return;
        }
        const jump = (to, ...content) => h("li", null, h("button.jump", { type: "button", onclick: () => this.go(to) }, content));
        const held = tale.barsWithin(tale.thread[event], event, event).filter((bar) => bar.from <= event && bar.until > event);
        const arrows = tale.arrowsAt(event).slice(0, 20);
        const list = (title, items) => items.length > 0 && [h("h5", null, title), h("ul", null, items)];
        const brief = (at) => `#${number(tale.number[at])} T${tale.thread[at]} ${tale.what(at)}`;
        this.details.replaceChildren(h("div.details-head", null, h("span.thread-name", null, tale.threadName(tale.thread[event])),
            h("span.note", null, `event ${number(tale.number[event])}`)),
        h("p.details-what", null, tale.what(event)), placeElement(tale.placeOf(event)) || "",
        h("p.badges", null, tale.remarks(event).map(([kind, text]) => h(`span.badge.${kind}`, null, text))),
        ...[list("Holds", held.map((bar) => jump(bar.from, `${tale.texts[bar.text]}${bar.shared ? " (shared)" : ""}, since `,
            `#${number(tale.number[bar.from])}`))),
        list("Happens after", arrows.filter((arrow) => arrow.to === event).map((arrow) => jump(arrow.from, brief(arrow.from)))),
        list("Happens before", arrows.filter((arrow) => arrow.from === event).map((arrow) => jump(arrow.to, brief(arrow.to)))),
        this.sameObject(event)].flat().filter(Boolean));
    }

    /* The previous and the next access to the same object. */
    sameObject(event) {
        const { tale } = this, object = tale.object[event], near = [], most = 20000;
        if (!tale.objectOf(event))
            return null;
        for (const direction of [-1, 1])
            for (let at = event + direction, steps = 0; at >= 0 && at < tale.count && steps < most; at += direction, steps++)
                if (tale.object[at] === object) {
                    near.push(at);
                    break;
                }
        return near.length > 0 && [h("h5", null, `${tale.objectOf(event)} before and after`), h("ul", null, near.map((at) => h("li", null,
            h("button.jump", { type: "button", onclick: () => this.go(at) },
                `${at < event ? "↑" : "↓"} #${number(tale.number[at])} T${tale.thread[at]} ${tale.what(at)}`))))];
    }

    /* Goes to an event; clears the filter if the event is hidden. */
    go(event) {
        const { lanes } = this;
        if (lanes.rowOf(event) < 0) {
            this.mode.select("all", true);
            lanes.mode = "all";
            lanes.text = this.element.querySelector("input[type=search]").value = "";
            this.refilter();
        }
        lanes.select(event);
        lanes.view.focus({ preventScroll: true });
    }
}

function line(kind) {
    return svg("svg.sample", { viewBox: "0 0 34 12", width: 34, height: 12, "aria-hidden": "true" }, kind === "bar" ?
        svg("rect.bar.hue1", { x: 15, y: 0, width: 4, height: 12, rx: 2 }) : svg(`path.${kind}`, { d: "M1,6H33" }));
}

/* ---- what the threads wait for ------------------------------------------------------------------------------------------------------ */

function waitsPicture(tale, id) {
    /* What no thread holds, as a condition variable, is a node itself. */
    const waits = tale.waits, target = (wait) => (wait.holder >= 0 ? wait.holder : wait.object);
    const nodes = [...new Set(waits.flatMap((wait) => [wait.thread, target(wait)]))];
    const many = nodes.length > 8, width = 720, height = nodes.length <= 2 ? 190 : 300, centre = [width / 2, height / 2];
    const isThread = (wait) => report.operations[wait.op][1] === "THREAD";
    const goal = (wait) => (isThread(wait) ? `the end of ${wait.object}` : wait.object);
    const say = (wait) => `${tale.threadName(wait.thread)} waits for ${goal(wait)}` +
        (wait.holder >= 0 && !isThread(wait) ? `, which ${tale.threadName(wait.holder)} holds` : "");
    const words = h("ul.waits-list", null, waits.map((wait) => h("li", null, say(wait),
        wait.place >= 0 && placeElement(tale.places[wait.place]))));
    if (many || nodes.length === 0)
        return h("div", null, h("h4", null, "What the threads wait for"), words);
    const at = new Map(nodes.map((node, i) => {
        const angle = Math.PI + 2 * Math.PI * i / nodes.length;
        return [node, [centre[0] + Math.cos(angle) * (width / 2 - 120), centre[1] + Math.sin(angle) * (height / 2 - 44)]];
    }));
    const edges = waits.map((wait) => {
        const [x1, y1] = at.get(wait.thread), [x2, y2] = at.get(target(wait));
        const length = Math.hypot(x2 - x1, y2 - y1) || 1, nx = (y2 - y1) / length, ny = -(x2 - x1) / length;
        const bend = nodes.length <= 2 ? 74 : 34, mx = (x1 + x2) / 2 + nx * bend, my = (y1 + y2) / 2 + ny * bend;
        const trim = (x, y) => { /* to the border of the box */
            const dx = mx - x, dy = my - y, share = Math.min(92 / Math.max(1, Math.abs(dx)), 24 / Math.max(1, Math.abs(dy)), 1);
            return [x + dx * share, y + dy * share];
        };
        const [ax, ay] = trim(x1, y1), [bx, by] = trim(x2, y2), place = wait.place >= 0 ? tale.places[wait.place].where : "";
        const x = (ax + bx) / 4 + mx / 2, y = (ay + by) / 4 + my / 2, side = Math.abs(nx) > 0.15 ? Math.sign(nx) : 0;
        return [svg("path.wait", { d: `M${ax},${ay}Q${mx},${my} ${bx},${by}`, "marker-end": `url(#${id}-chain)` }),
            [wait.holder >= 0 ? `waits for ${goal(wait)}` : "waits for a signal", place].map((text, i) => svg("text.wait-label", { x: x + side * 10, y: y + (side ? ny * 8 : ny > 0 ? 22 : -30) +
                i * 16, "text-anchor": side > 0 ? "start" : side < 0 ? "end" : "middle" }, text))];
    });
    const boxes = nodes.map((node) => {
        const [x, y] = at.get(node), object = typeof node === "string", name = object ? node : tale.threadName(node);
        return svg(object ? "g.node.object" : "g.node", null, svg("rect", { x: x - 84, y: y - 20, width: 168, height: 40, rx: object ? 20 : 8 }),
            svg("text", { x, y: y + 5, "text-anchor": "middle" }, name.length > 22 ? `${name.slice(0, 21)}…` : name));
    });
    return h("div", null, h("h4", null, "What the threads wait for"), h("div.waits", null,
        svg("svg.graph", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": waits.map(say).join("; ") }, arrowHeads(id),
            edges, boxes), words));
}

/* ---- a failure ------------------------------------------------------------------------------------------------------------------ */

function stacksBlock(tale) {
    if (tale.stacks.length === 0)
        return null;
    return h("div.stacks", null, h("h4", null, "Call stacks"), h("div.columns", null, tale.stacks.map((stack) =>
        h("div.stack", null, h("h5", null, tale.threadName(stack.thread), stack.title && h("span.stack-title", null, ` ${stack.title}`)), h("ol", null, stack.places.map((place) =>
            h("li", null, place >= 0 ? placeElement(tale.places[place]) : "?")))))));
}

function outputBlock(title, text, cut) {
    return text ? more(title, h("pre.output", { tabindex: 0 }, cut ? "…\n" : "", text)) : null;
}

/* One line: what it is and where.  The rest of the headline is below it. */
function titleOf(failure) {
    const what = failure.headline.split(": ")[0];
    if (failure.headline.length <= 70 || what.length > 50)
        return failure.headline;
    return failure.site && !what.includes(failure.site) ? `${what} at ${failure.site}` : what;
}

function failureFacts(failure, tale) {
    const before = tale && tale.found > tale.preemptions ? ` (${number(tale.found)} when it was found)` : "";
    return [failure.kind, `${count(failure.preemptions, "preemption")}${before}`,
        failure.schedule > 0 && `found in schedule ${number(failure.schedule)}${failure.strategy ? ` by ${failure.strategy}` : ""}`,
        failure.count > 0 && `seen in ${count(failure.count, "schedule")}`, failure.fixed && "fixed since"].filter(Boolean);
}

function failureArticle(failure, program, index) {
    const id = `f${program}-${index}`, raw = failure.tale ? data("tale", program, index) : null;
    const tale = raw ? new Tale(raw) : null, viewer = tale && tale.count > 0 ? new Viewer(tale, id) : null;
    const article = h("article.failure", { "aria-labelledby": `${id}-title`, id }, 
        h("h3", { id: `${id}-title`, title: failure.headline }, titleOf(failure)),
        h(failure.headline.length > 70 ? "p.headline" : "p.headline.short", null, failure.headline),
        h("ul.inline", null, failureFacts(failure, tale).map((text) => h("li", null, text))),
        tale && causeBlock(tale.cause), tale && tale.notes.length > 0 && h("ul.remarks", null, tale.notes.map((text) => h("li", null, text))),
        tale && tale.waits.length > 0 && waitsPicture(tale, `${id}w`),
        viewer ? viewer.element : h("p.note", null, "This failure has no tale.json: raddle explain makes one."),
        tale && stacksBlock(tale), h("h4", null, "Run it again"), command(failure.replay),
        failure.command && more("The program's command line", command(failure.command)),
        outputBlock("Standard output", failure.output, failure.output_cut), outputBlock("Standard error", failure.errors, failure.errors_cut));
    article.viewer = viewer;
    return article;
}

/* One failure at a time: if there are many, most are never opened. */
function failuresSection(program, number_) {
    if (program.failures.length === 0)
        return null;
    const holder = h("div.failure-holder"), buttons = program.failures.map((failure, i) => h("button", { type: "button",
        class: `pick ${failure.fixed ? "fixed" : "open"}`, "aria-pressed": "false", onclick: () => show(i) },
    h("span.pick-name", null, failure.name, h("span.pick-state", null, failure.fixed ? "✓ fixed" : "✕ open")),
    h("span.pick-text", { title: failure.headline }, titleOf(failure))));
    function show(i) {
        buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(k === i)));
        holder.replaceChildren(failureArticle(program.failures[i], number_, i));
    }
    const first = program.failures.findIndex((failure) => !failure.fixed);
    const element = section("failures", "Failures", program.failures.length > 1 &&
        h("div.picks", { role: "group", "aria-label": "Failures" }, buttons), holder);
    show(first < 0 ? 0 : first);
    return element;
}
