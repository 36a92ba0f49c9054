/* SPDX-License-Identifier: MIT
 *
 * page_lanes.js - the interleaving as a picture: a lane per thread, time downwards, and one line of control that winds through
 * the lanes as the threads take turns.
 *
 * DESIGN
 *   A row is an event that the filter lets through; all rows are equally high, so that the place of a row is a product.  Only
 *   the rows in sight are in the document, whatever their number: they are elements (text can be read out, styled and printed),
 *   and an SVG below them has the lines in sight.  A small canvas at the side shows all rows at once.
 *
 *   The scrolling box is a listbox, and the selected row its active descendant: the keyboard stays in the box.
 */

const GUTTER = 74, MARGIN = 10; /* rows above and below what is in sight */
const HEIGHTS = [3, 5, 9, 15, 24, 32, 48, 60];
const PLAIN = 6; /* the usual one of them */

class Lanes {
    constructor(tale, id, onselect) {
        this.tale = tale;
        this.id = id;
        this.onselect = onselect;
        this.level = PLAIN;
        this.mode = "matters";
        this.text = "";
        this.show = { arrows: true, locks: true };
        this.selected = -1;
        this.elements = new Map(); /* row → element */
        this.frame = 0;
        this.drawn = 0; /* how often: for tests */
        this.build();
        this.filter();
    }

    build() {
        this.heads = h("div.heads", { "aria-hidden": "true" });
        this.under = svg("svg.under", { "aria-hidden": "true" });
        this.sheet = h("div.sheet", { role: "presentation" }, this.under);
        this.view = h("div.view", { tabindex: 0, role: "listbox", "aria-label": "Events of the failing run, in the order in " +
            "which they happened. Left and right step through the switches, up and down through the events.",
        "aria-describedby": `${this.id}-shown` }, this.heads, this.sheet);
        this.map = h("canvas.map", { "aria-hidden": "true", width: 64, height: 10 });
        this.beside = ["before", "after"].map((side) => h("button", { type: "button", class: `beside ${side}`, hidden: true,
            onclick: () => this.view.scrollBy({ left: (side === "before" ? -1 : 1) * this.laneWidth, behavior: "smooth" }) }));
        this.element = h("div.lanes", null, this.view, this.map, this.beside);
        this.view.addEventListener("scroll", () => this.later(), { passive: true });
        this.view.addEventListener("keydown", (event) => this.key(event));
        this.view.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
        this.view.addEventListener("click", (event) => this.click(event));
        this.view.addEventListener("pointermove", (event) => this.hover(event));
        this.view.addEventListener("pointerleave", () => tip.hide());
        this.view.addEventListener("pointerdown", (event) => this.drag(event));
        this.view.addEventListener("focus", () => { if (this.selected < 0) this.select(this.rows[0]); });
        this.map.addEventListener("pointerdown", (event) => this.dragMap(event));
        new ResizeObserver(() => { this.layout(); this.draw(); }).observe(this.view); /* at once: a screenshot may be the next thing */
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.drawMap());
        document.addEventListener("themechange", () => this.drawMap());
    }

    /* ---- rows ---- */

    /* Computes the rows again after a change of the filter; the selection stays if its row is still shown. */
    filter() {
        const tale = this.tale, anchor = this.selected;
        this.rows = tale.select(this.mode, this.text);
        this.switches = [];
        for (let row = 1; row < this.rows.length; row++)
            if (tale.thread[this.rows[row]] !== tale.thread[this.rows[row - 1]])
                this.switches.push(row);
        const used = new Set();
        for (const event of this.rows)
            used.add(tale.thread[event]);
        this.laneThreads = tale.threads.map((_, thread) => thread).filter((thread) => used.has(thread));
        this.laneOf = new Map(this.laneThreads.map((thread, lane) => [thread, lane]));
        this.findPreemptions();
        this.clear();
        this.layout();
        const row = this.rowOf(anchor);
        if (row >= 0)
            this.reveal(row, true);
        else
            this.selected = -1;
        this.later();
    }

    /* A thread is preempted between two rows even if the event that says so is not shown. */
    findPreemptions() {
        const { tale, rows } = this;
        tale.preempted.clear();
        for (const row of this.switches)
            for (let event = rows[row - 1] + 1; event <= rows[row]; event++)
                if (tale.marks[event] & MARK.PREEMPTION) {
                    tale.preempted.set(rows[row], tale.thread[event - 1]);
                    break;
                }
    }

    /* The row of an event; -1: it is not shown. */
    rowOf(event) {
        const row = lowerBound(this.rows, event);
        return event >= 0 && this.rows[row] === event ? row : -1;
    }

    clear() {
        for (const element of this.elements.values())
            element.remove();
        this.elements.clear();
    }

    get height() { return HEIGHTS[this.level]; }
    get detail() { return this.height < 20 ? "ticks" : this.height < 44 ? "one" : "two"; }

    layout() {
        const lanes = Math.max(1, this.laneThreads.length), least = { ticks: 44, one: 170, two: 190 }[this.detail];
        const room = this.view.clientWidth - GUTTER, spare = this.detail === "ticks" ? 0 : Math.min(150, room * 0.14);
        this.laneWidth = Math.max(least, Math.floor((room - spare) / lanes)); /* texts of the last lane need more */
        this.width = Math.max(this.view.clientWidth, GUTTER + lanes * this.laneWidth);
        this.element.classList.toggle("fits", this.rows.length * this.height + 34 <= innerHeight * 0.66);
        this.element.dataset.detail = this.detail;
        this.sheet.style.height = `${this.rows.length * this.height}px`;
        this.sheet.style.width = this.heads.style.width = `${this.width}px`;
        this.heads.replaceChildren(...this.laneThreads.map((thread) => {
            const head = h("div.lane-head", { title: this.tale.threadName(thread) }, h("b", null, `T${thread}`), " ",
                this.tale.threads[thread].name);
            head.style.left = `${this.left(thread)}px`;
            head.style.width = `${this.laneWidth}px`;
            return head;
        }));
        this.clear();
        this.drawMap();
    }

    left(thread) { return GUTTER + this.laneOf.get(thread) * this.laneWidth; }
    /* Where the line of control runs in a lane: right of the bars of its locks. */
    rail(thread) { return this.left(thread) + 16 + Math.min(4, this.tale.bars[thread].tracks || 0) * 6; }
    middle(row) { return (row + 0.5) * this.height; }

    /* ---- drawing ---- */

    later() {
        if (!this.frame)
            this.frame = requestAnimationFrame(() => { this.frame = 0; this.draw(); });
    }

    /* Says how many lanes are out of sight at each side. */
    drawBeside() {
        const from = this.view.scrollLeft, to = from + this.view.clientWidth, lefts = this.laneThreads.map((thread) => this.left(thread));
        const hidden = [lefts.filter((left) => left + 60 < from + GUTTER).length, lefts.filter((left) => left + 60 > to).length];
        this.beside.forEach((button, side) => {
            button.hidden = hidden[side] === 0;
            button.textContent = side === 0 ? `‹ ${count(hidden[0], "lane")}` : `${count(hidden[1], "lane")} ›`;
        });
    }

    draw() {
        const top = this.view.scrollTop, height = this.view.clientHeight || 600;
        const first = Math.max(0, Math.floor(top / this.height) - MARGIN);
        const last = Math.min(this.rows.length - 1, Math.ceil((top + height) / this.height) + MARGIN);
        for (const [row, element] of this.elements)
            if (row < first || row > last) {
                element.remove();
                this.elements.delete(row);
            }
        const fresh = document.createDocumentFragment();
        for (let row = first; row <= last; row++)
            if (!this.elements.has(row))
                fresh.append(this.makeRow(row));
        this.sheet.append(fresh);
        this.drawLines(first, last);
        this.drawWindow();
        this.drawBeside();
        this.drawn++;
    }

    makeRow(row) {
        const tale = this.tale, event = this.rows[row], thread = tale.thread[event], marks = tale.marks[event];
        const [letter, kind] = tale.sign(event), place = tale.placeOf(event), step = tale.steps.get(event);
        const gap = row > 0 ? event - this.rows[row - 1] - 1 : event;
        const classes = ["row", kind, step && "cause", marks & MARK.FAILURE && "failure", marks & MARK.BLOCKED && "failure",
            tale.preempted.has(event) && "preempted", gap > 0 && "gap", event === this.selected && "selected"].filter(Boolean);
        const chip = h("div.chip", null, h("span.sign", { "aria-hidden": "true" }, letter),
            h("span.text", null, h("span.what", null, step && h("span.step", null, step), tale.what(event),
                this.badges(event)),
            place && h("span.line", null, h("span.where", null, place.where), " ", h("code", null, place.source || ""))));
        chip.style.left = `${this.rail(thread) - 11}px`;
        chip.style.maxWidth = `${Math.min(640, this.width - this.rail(thread) + 9)}px`; /* the lanes beside it are empty in this row */
        const element = h("div", { class: classes.join(" "), role: "option", id: `${this.id}-${event}`, "data-event": event,
            "aria-selected": String(event === this.selected), "aria-posinset": row + 1, "aria-setsize": this.rows.length,
            "aria-label": tale.sentence(event) },
        h("span.number", { "aria-hidden": "true", title: gap > 0 ? `${count(gap, "event")} before it not shown` : null },
            number(tale.number[event])), chip);
        element.style.top = `${row * this.height}px`;
        element.style.height = `${this.height}px`;
        this.elements.set(row, element);
        return element;
    }

    badges(event) {
        return this.tale.remarks(event).filter(([, text]) => !text.startsWith("step "))
            .map(([kind, text]) => h(`span.badge.${kind}`, null, text));
    }

    /* Draws bars, control, happens-before and the cause, as far as they are visible. */
    drawLines(first, last) {
        const top = first * this.height, height = Math.max(0, last - first + 1) * this.height;
        this.sight = [top - 2 * this.height, top + height + 2 * this.height];
        this.under.setAttribute("width", this.width);
        this.under.setAttribute("height", height);
        this.under.setAttribute("viewBox", `0 ${top} ${this.width} ${height}`);
        this.under.style.top = `${top}px`;
        const chosen = this.rowOf(this.selected);
        this.under.replaceChildren(arrowHeads(this.id), ...(chosen >= first && chosen <= last ? [svg("rect.band", { x: 0,
            width: this.width, y: chosen * this.height, height: this.height })] : []),
            ...this.laneThreads.map((thread) => svg("line.rail", { x1: this.rail(thread), x2: this.rail(thread), y1: top,
                y2: top + height })),
            ...(this.show.locks ? this.lockBars(first, last) : []), ...this.control(first, last),
            ...(this.show.arrows ? this.orderArrows(first, last) : []), ...this.causeChain());
    }

    lockBars(first, last) {
        const shapes = [], from = this.rows[first], until = this.rows[last];
        for (const thread of this.laneThreads)
            for (const bar of this.tale.barsWithin(thread, from, until)) {
                const begin = lowerBound(this.rows, bar.from), end = lowerBound(this.rows, bar.until);
                const y1 = Math.max(this.middle(begin), (first - 1) * this.height);
                const y2 = bar.open ? this.rows.length * this.height : this.middle(Math.min(end, this.rows.length - 0.5));
                const name = this.tale.texts[bar.text];
                if (y2 > y1)
                    shapes.push(svg(`rect.bar.hue${bar.text % 6}${bar.shared ? ".shared" : ""}`,
                        { x: this.left(thread) + 3 + bar.track * 6, y: y1, width: 4, rx: 2,
                            height: Math.min(y2, (last + 2) * this.height) - y1, "data-lock": name },
                        svg("title", null, `T${thread} holds ${name}${bar.shared ? " (shared)" : ""}`)));
            }
        return shapes;
    }

    /* From row to row: down, across between two rows, down again.  `shift`: distance from the line of control.  Only the visible part: a
       dashed line through a hundred thousand rows takes seconds to paint. */
    route(from, to, shift = 0) {
        const x1 = this.rail(this.tale.thread[this.rows[from]]) + shift, x2 = this.rail(this.tale.thread[this.rows[to]]) + shift;
        const [low, high] = this.sight, y1 = Math.max(low, this.middle(from));
        const y2 = Math.min(high, this.middle(to) - (shift && this.detail !== "ticks" ? 12 : 0));
        if (x1 === x2 || (from + 1) * this.height < low)
            return `M${x2},${y1}V${y2}`;
        const across = (from + 1) * this.height + shift * 0.6, side = Math.sign(x2 - x1);
        const round = Math.min(7, this.height / 3, Math.abs(x2 - x1) / 2);
        return `M${x1},${y1}V${across - round}Q${x1},${across} ${x1 + side * round},${across}` +
            `H${x2 - side * round}Q${x2},${across} ${x2},${across + round}V${Math.max(y2, across + round)}`;
    }

    control(first, last) {
        const shapes = [];
        let run = "";
        for (let row = Math.max(0, first - 1); row < last; row++) {
            if (this.tale.preempted.has(this.rows[row + 1]))
                shapes.push(svg("path.preempted", { d: this.route(row, row + 1) }));
            else
                run += this.route(row, row + 1);
        }
        shapes.unshift(svg("path.control", { d: run }));
        return shapes;
    }

    orderArrows(first, last) {
        const tale = this.tale, from = this.rows[first], until = this.rows[last], found = new Set();
        const take = (starts, arrows) => {
            for (let i = lowerBound(starts, from); i < starts.length && starts[i] <= until && found.size < 300; i++)
                found.add(arrows[i]);
        };
        take(tale.arrowStarts, tale.arrowsFrom);
        take(tale.arrowEnds, tale.arrowsTo);
        const shapes = [];
        for (const arrow of found) {
            const start = this.rowOf(arrow.from), end = this.rowOf(arrow.to);
            if (start < 0 || end < 0 || end === start + 1 && this.detail === "ticks")
                continue;
            const chosen = arrow.from === this.selected || arrow.to === this.selected;
            shapes.push(svg(`path.order${chosen ? ".chosen" : ""}`, { d: this.route(start, end, 6),
                "marker-end": this.detail === "ticks" ? null : `url(#${this.id}-order)` }));
        }
        return shapes;
    }

    /* Lines from step to step; next to the line of control where both steps are of one thread. */
    causeChain() {
        const rows = [...this.tale.steps.keys()].sort((a, b) => a - b).map((event) => this.rowOf(event)).filter((row) => row >= 0);
        return rows.slice(1).map((to, i) => {
            const from = rows[i], x = this.rail(this.tale.thread[this.rows[from]]), y = this.middle(from), end = this.middle(to);
            if (end < this.sight[0] || y > this.sight[1])
                return null;
            const same = this.tale.thread[this.rows[from]] === this.tale.thread[this.rows[to]];
            const gap = this.detail === "ticks" ? 0 : 12;
            const inSight = y >= this.sight[0] && end <= this.sight[1];
            return svg("path.chain", { d: same && inSight ? `M${x},${y}C${x - 30},${y + 16} ${x - 30},${end - 10} ${x - gap},${end - 3}`
                : this.route(from, to, -6), "marker-end": `url(#${this.id}-chain)` });
        }).filter(Boolean);
    }

    /* ---- overview at the side ---- */

    drawMap() {
        const height = this.view.clientHeight, width = 64, scale = devicePixelRatio || 1;
        if (height < 10 || !this.element.isConnected)
            return;
        const probe = (name) => { this.map.style.color = `var(${name})`; return getComputedStyle(this.map).color; };
        const colours = { read: probe("--read"), write: probe("--write"), acquire: probe("--lock"), release: probe("--lock"),
            sync: probe("--sync"), thread: probe("--sync"), other: probe("--ink-3") };
        const marked = { cause: probe("--accent"), failure: probe("--bad"), preempted: probe("--preempt"), window: probe("--ink-2") };
        this.map.style.color = "";
        this.picture = document.createElement("canvas"); /* without the window, which moves */
        this.picture.width = this.map.width = width * scale;
        this.picture.height = this.map.height = height * scale;
        this.map.style.height = `${height}px`;
        const context = this.picture.getContext("2d");
        context.scale(scale, scale);
        this.mapStep = Math.min(6, height / Math.max(1, this.rows.length));
        const lane = (width - 10) / Math.max(1, this.laneThreads.length), thick = Math.max(1, this.mapStep - 1);
        const each = Math.max(1, Math.floor(this.rows.length / (height * 4))); /* more than four to a pixel are not seen */
        for (let row = 0; row < this.rows.length; row += each) {
            const event = this.rows[row];
            context.fillStyle = this.mapStep < 1 ? colours.other : colours[this.tale.sign(event)[1]]; /* many to a pixel */
            context.fillRect(8 + this.laneOf.get(this.tale.thread[event]) * lane, row * this.mapStep, Math.max(1, lane - 2), thick);
        }
        for (let row = 0; row < this.rows.length; row++) {
            const event = this.rows[row], cause = this.tale.steps.has(event);
            const failed = this.tale.marks[event] & (MARK.FAILURE | MARK.BLOCKED), preempted = this.tale.preempted.has(event);
            if (cause || failed || preempted) {
                context.fillStyle = cause ? marked.cause : failed ? marked.failure : marked.preempted;
                context.fillRect(0, row * this.mapStep, cause || failed ? 7 : 4, Math.max(2, thick));
            }
        }
        this.windowColour = marked.window;
        this.drawWindow();
    }

    drawWindow() {
        if (!this.picture)
            return;
        const context = this.map.getContext("2d"), share = this.mapStep / this.height, scale = devicePixelRatio || 1;
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.clearRect(0, 0, this.map.width, this.map.height);
        context.drawImage(this.picture, 0, 0);
        context.scale(scale, scale);
        context.strokeStyle = this.windowColour;
        context.lineWidth = 1.5;
        context.strokeRect(1, this.view.scrollTop * share + 0.75, 62,
            Math.max(4, Math.min(this.rows.length * this.mapStep, this.view.clientHeight * share) - 1.5));
    }

    dragMap(event) {
        const move = (at) => {
            const row = (at.clientY - this.map.getBoundingClientRect().top) / this.mapStep;
            this.view.scrollTop = row * this.height - this.view.clientHeight / 2;
        };
        this.map.setPointerCapture(event.pointerId);
        this.map.onpointermove = move;
        this.map.onpointerup = () => { this.map.onpointermove = null; };
        move(event);
    }

    /* ---- selecting, stepping ---- */

    select(event, quiet) {
        const row = this.rowOf(event);
        if (row < 0)
            return;
        for (const [at, element] of this.elements)
            if (element.classList.toggle("selected", at === row) || element.getAttribute("aria-selected") === "true")
                element.setAttribute("aria-selected", String(at === row));
        this.selected = event;
        if (!quiet)
            this.reveal(row);
        this.draw();
        this.view.setAttribute("aria-activedescendant", `${this.id}-${event}`);
        this.onselect(event);
    }

    reveal(row, centre) {
        const top = row * this.height, view = this.view, headed = this.heads.offsetHeight;
        if (centre || top < view.scrollTop || top + this.height > view.scrollTop + view.clientHeight - headed)
            view.scrollTop = top - (view.clientHeight - headed - this.height) * (centre ? 0.5 : 0.4);
        const left = this.left(this.tale.thread[this.rows[row]]);
        if (left < view.scrollLeft + GUTTER || left + this.laneWidth > view.scrollLeft + view.clientWidth)
            view.scrollLeft = left - GUTTER;
    }

    /* Goes to the next (1) or the previous (-1) switch. */
    stepSwitch(direction) {
        const row = this.rowOf(this.selected);
        let at = lowerBound(this.switches, row < 0 ? 0 : row);
        if (direction > 0 && this.switches[at] === row)
            at++;
        if (direction < 0)
            at--;
        if (at >= 0 && at < this.switches.length)
            this.select(this.rows[this.switches[at]]);
        else if (direction < 0)
            this.select(this.rows[0]);
    }

    /* The number of switches up to the selected row. */
    switchNumber() { return lowerBound(this.switches, this.rowOf(this.selected) + 1); }

    stepRow(distance) {
        const row = Math.max(0, this.rowOf(this.selected)) + distance;
        this.select(this.rows[Math.max(0, Math.min(this.rows.length - 1, row))]);
    }

    stepCause() {
        const steps = [...this.tale.steps.keys()].sort((a, b) => a - b);
        if (steps.length > 0)
            this.select(steps.find((event) => event > this.selected) ?? steps[0]);
    }

    key(event) {
        if (event.ctrlKey || event.altKey || event.metaKey)
            return;
        const page = Math.max(1, Math.floor(this.view.clientHeight / this.height) - 2);
        const keys = { ArrowRight: () => this.stepSwitch(1), ArrowLeft: () => this.stepSwitch(-1), j: () => this.stepSwitch(1),
            k: () => this.stepSwitch(-1), ArrowDown: () => this.stepRow(1), ArrowUp: () => this.stepRow(-1),
            PageDown: () => this.stepRow(page), PageUp: () => this.stepRow(-page), Home: () => this.select(this.rows[0]),
            End: () => this.select(this.rows[this.rows.length - 1]), "+": () => this.zoom(1), "=": () => this.zoom(1),
            "-": () => this.zoom(-1), 0: () => this.zoom(0), c: () => this.stepCause() };
        const pans = { ArrowRight: [80, 0], ArrowLeft: [-80, 0], ArrowDown: [0, 80], ArrowUp: [0, -80] };
        const act = event.shiftKey && pans[event.key] ? () => this.view.scrollBy(...pans[event.key]) : keys[event.key];
        if (act) {
            event.preventDefault();
            act();
        }
    }

    /* ---- zoom and pan ---- */

    /* Zooms in (1), out (-1) or to the default (0); the row at `y` of the box stays there. */
    zoom(direction, y) {
        const selected = this.rowOf(this.selected), box = this.view.clientHeight;
        const at = y ?? (selected >= 0 ? this.middle(selected) - this.view.scrollTop : box / 2);
        const row = (this.view.scrollTop + Math.max(0, Math.min(box, at))) / this.height;
        this.level = direction === 0 ? PLAIN : Math.max(0, Math.min(HEIGHTS.length - 1, this.level + direction));
        this.layout();
        this.view.scrollTop = row * this.height - Math.max(0, Math.min(box, at));
        this.draw();
        this.onselect(this.selected);
    }

    wheel(event) {
        if (!event.ctrlKey && !event.metaKey)
            return;
        event.preventDefault();
        this.turned = (this.turned || 0) + event.deltaY;
        if (Math.abs(this.turned) >= 40) {
            this.zoom(this.turned > 0 ? -1 : 1, event.clientY - this.view.getBoundingClientRect().top - this.heads.offsetHeight);
            this.turned = 0;
        }
    }

    drag(event) {
        if (event.pointerType !== "mouse" || event.button !== 0 || event.offsetX > this.view.clientWidth && event.target === this.view)
            return;
        const start = { x: event.clientX, y: event.clientY, left: this.view.scrollLeft, top: this.view.scrollTop };
        const move = (at) => {
            if (Math.hypot(at.clientX - start.x, at.clientY - start.y) > 4)
                this.dragged = true;
            if (this.dragged) {
                this.view.classList.add("panning");
                this.view.scrollTo(start.left + start.x - at.clientX, start.top + start.y - at.clientY);
            }
        };
        const end = () => {
            removeEventListener("pointermove", move);
            removeEventListener("pointerup", end);
            this.view.classList.remove("panning");
            setTimeout(() => { this.dragged = false; }, 0);
        };
        addEventListener("pointermove", move);
        addEventListener("pointerup", end);
    }

    /* ---- pointing ---- */

    click(event) {
        const row = event.target.closest(".row");
        if (row && !this.dragged)
            this.select(Number(row.dataset.event), true);
    }

    hover(event) {
        const bar = event.target.closest(".bar"), chip = event.target.closest(".chip");
        if (this.dragged || !chip || bar) {
            tip.hide();
            return;
        }
        const at = Number(chip.parentElement.dataset.event), tale = this.tale;
        tip.show(event.clientX, event.clientY, [h("div.tip-head", null, tale.threadName(tale.thread[at])),
            h("div.tip-what", null, tale.what(at)), placeElement(tale.placeOf(at)) || "",
            ...tale.remarks(at).map(([kind, text]) => h(`span.badge.${kind}`, null, text))]);
    }
}

/* The heads of the arrows; one set in each picture. */
function arrowHeads(id) {
    return svg("defs", null, ["order", "chain"].map((kind) => svg(`marker.${kind}-head`, { id: `${id}-${kind}`, viewBox: "0 0 8 8",
        refX: 7, refY: 4, markerWidth: kind === "chain" ? 9 : 7, markerHeight: kind === "chain" ? 9 : 7, orient: "auto",
        markerUnits: "userSpaceOnUse" }, svg("path", { d: "M0,0L8,4L0,8Z" }))));
}
