/* SPDX-License-Identifier: MIT
 *
 * page_tale.js - the tale of a failure (tale/tale.h), and how its events read.
 */

const MARK = { SWITCH: 1, PREEMPTION: 2, MATTERS: 4, CAUSE: 8, FAILURE: 16, BLOCKED: 32, RACE: 64, FREED: 128, LOST: 256 };
const SHOWN = MARK.MATTERS | MARK.CAUSE | MARK.FAILURE | MARK.BLOCKED | MARK.RACE | MARK.FREED | MARK.LOST;

/* By class of operation: the letter in its sign, and the name of its style. */
const signs = { READ: ["R", "read"], WRITE: ["W", "write"], ACQUIRE: ["L", "acquire"], RELEASE: ["U", "release"],
    SYNC: ["S", "sync"], THREAD: ["T", "thread"], IO: ["I", "other"], OTHER: ["·", "other"] };

/* The first position in an ascending list whose value is not below `value`. */
function lowerBound(list, value) {
    let low = 0, high = list.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

class Tale {
    constructor(raw) {
        Object.assign(this, raw);
        const columns = raw.events;
        this.count = columns.thread.length;
        for (const name of ["thread", "op", "marks", "size", "place", "object", "value", "text"])
            this[name] = Int32Array.from(columns[name]);
        this.operation = Float64Array.from(columns.operation);
        this.number = Float64Array.from(columns.number);
        this.events = null;
        this.steps = new Map(); /* event of the cause → number of its step */
        if (this.cause)
            this.cause.events.forEach((event, i) => this.steps.set(event, i + 1));
        this.preempted = new Map(); /* event before which a thread was preempted → that thread */
        this.indexArrows(raw.arrows);
        this.indexBars(raw.bars);
    }

    indexArrows(flat) {
        this.arrows = [];
        for (let i = 0; i < flat.length; i += 2)
            this.arrows.push({ from: flat[i], to: flat[i + 1] });
        this.arrowsFrom = [...this.arrows].sort((a, b) => a.from - b.from);
        this.arrowsTo = [...this.arrows].sort((a, b) => a.to - b.to);
        this.arrowStarts = Int32Array.from(this.arrowsFrom, (arrow) => arrow.from);
        this.arrowEnds = Int32Array.from(this.arrowsTo, (arrow) => arrow.to);
    }

    /* Bars of each thread, sorted by their beginnings; nested bars are drawn side by side. */
    indexBars(flat) {
        this.bars = this.threads.map(() => []);
        for (const [thread, from, until, shared, text] of flat)
            this.bars[thread].push({ thread, from, until: until < 0 ? this.count : until, open: until < 0, shared, text });
        for (const bars of this.bars) {
            const ends = [];
            let latest = 0;
            bars.sort((a, b) => a.from - b.from);
            for (const bar of bars) {
                let track = ends.findIndex((end) => end <= bar.from);
                if (track < 0)
                    track = ends.length < 4 ? ends.length : 3;
                ends[track] = Math.max(ends[track] || 0, bar.until);
                bar.track = track;
                bar.latest = latest = Math.max(latest, bar.until); /* of this one and all before it */
            }
            bars.starts = Int32Array.from(bars, (bar) => bar.from);
            bars.tracks = ends.length;
        }
    }

    /* The bars of a thread that overlap the events from … until. */
    barsWithin(thread, from, until) {
        const bars = this.bars[thread], found = [];
        for (let i = lowerBound(bars.starts, until + 1) - 1; i >= 0 && bars[i].latest >= from; i--)
            if (bars[i].until >= from)
                found.push(bars[i]);
        return found;
    }

    arrowsAt(event) {
        const found = [];
        for (let i = lowerBound(this.arrowEnds, event); i < this.arrowsTo.length && this.arrowsTo[i].to === event; i++)
            found.push(this.arrowsTo[i]);
        for (let i = lowerBound(this.arrowStarts, event); i < this.arrowsFrom.length && this.arrowsFrom[i].from === event; i++)
            found.push(this.arrowsFrom[i]);
        return found;
    }

    /* ---- words ---- */

    operationName(event) { return report.operations[this.op[event]][0]; }

    sign(event) {
        const [name, group] = report.operations[this.op[event]];
        if (name === "free" || name === "alloc")
            return [name === "free" ? "F" : "A", "write"];
        return signs[group];
    }

    threadName(thread) { return `T${thread} ${this.threads[thread].name}`; }
    placeOf(event) { return this.place[event] >= 0 ? this.places[this.place[event]] : null; }
    objectOf(event) {
        const text = this.texts[this.object[event]];
        return text === "-" ? "" : text;
    }
    valueOf(event) { return this.texts[this.value[event]]; }

    /* "read balance = 100" */
    what(event) {
        const text = this.texts[this.text[event]];
        return this.marks[event] & MARK.BLOCKED && !text.startsWith("waits") ? `waits: ${text}` : text;
    }

    /* The marks of an event, in words. */
    remarks(event) {
        const marks = this.marks[event], list = [];
        if (this.steps.has(event))
            list.push(["cause", `step ${this.steps.get(event)} of the cause`]);
        if (marks & MARK.FAILURE)
            list.push(["failure", "here it failed"]);
        if (marks & MARK.BLOCKED)
            list.push(["failure", "blocked"]);
        if (marks & MARK.LOST)
            list.push(["cause", "lost update"]);
        if (marks & MARK.RACE)
            list.push(["cause", "side of a data race"]);
        if (marks & MARK.FREED)
            list.push(["cause", "freed what was used later"]);
        if (this.preempted.has(event))
            list.push(["preemption", `T${this.preempted.get(event)} preempted`]);
        return list;
    }

    /* For screen readers: everything in a sentence. */
    sentence(event) {
        const place = this.placeOf(event);
        return [`${this.number[event]}: ${this.threadName(this.thread[event])}`, this.what(event), place && place.where,
            ...this.remarks(event).map(([, text]) => text)].filter(Boolean).join(", ");
    }

    /* The events that the filter lets through.  `text`: all its words must be found in variable, place, thread, operation. */
    select(mode, text) {
        const words = text.toLowerCase().split(/\s+/).filter(Boolean), rows = [];
        const has = (list, write) => words.map((word) => list.map((entry) => write(entry).toLowerCase().includes(word)));
        const inTexts = has(this.texts, (entry) => entry);
        const inPlaces = has(this.places, (place) => `${place.where} ${place.file} ${place.function}`);
        const inThreads = has(this.threads.map((thread, i) => this.threadName(i)), (entry) => entry);
        const inOps = has(report.operations, ([name]) => name);
        for (let event = 0; event < this.count; event++) {
            if (mode === "matters" && !(this.marks[event] & SHOWN))
                continue;
            if (words.every((word, i) => inTexts[i][this.object[event]] || inThreads[i][this.thread[event]] ||
                inOps[i][this.op[event]] || (this.place[event] >= 0 && inPlaces[i][this.place[event]])))
                rows.push(event);
        }
        return Int32Array.from(rows);
    }
}

/* A place and its source line. */
function placeElement(place, tag) {
    if (!place)
        return null;
    return h(tag || "div.place", null, h("span.where", null, place.where),
        place.function ? h("span.function", null, ` in ${place.function}`) : null,
        place.source ? h("code.source", null, place.source) : null);
}
