/* SPDX-License-Identifier: MIT
 *
 * page_base.js - elements, numbers and words.  Whatever comes from a program under test gets into the page as text: there is
 * no innerHTML anywhere, and no attribute that a browser would run.
 */

/* An element: h("p.note", {title: "…", onclick: f}, "text", element, [more]).  null and false are left out. */
function make(namespace, what, properties, children) {
    const [tag, ...classes] = what.split(".");
    const element = namespace ? document.createElementNS(namespace, tag) : document.createElement(tag);
    if (classes.length)
        element.setAttribute("class", classes.join(" "));
    for (const [name, value] of Object.entries(properties || {})) {
        if (value === null || value === undefined || value === false)
            continue;
        if (name.startsWith("on"))
            element.addEventListener(name.slice(2), value);
        else
            element.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children.flat(3))
        if (child !== null && child !== undefined && child !== false)
            element.append(child instanceof Node ? child : String(child));
    return element;
}
const h = (what, properties, ...children) => make(null, what, properties, children);
const svg = (what, properties, ...children) => make("http://www.w3.org/2000/svg", what, properties, children);

function data(name, program, failure) {
    const element = document.getElementById(`${name}-${program}-${failure}`);
    return element ? JSON.parse(element.textContent) : null;
}

const report = data("report", 0, 0);

/* ---- words and numbers ------------------------------------------------------------------------------------------------ */

const grouped = new Intl.NumberFormat("en");
const number = (n) => grouped.format(n);
const count = (n, one, many) => `${number(n)} ${n === 1 ? one : many || one + "s"}`;

function seconds(s) {
    if (s < 1)
        return `${(s * 1000).toFixed(s < 0.01 ? 1 : 0)} ms`;
    if (s < 120)
        return `${s.toFixed(s < 10 ? 2 : 1)} s`;
    return s < 7200 ? `${Math.round(s / 60)} min` : `${(s / 3600).toFixed(1)} h`;
}

function percent(share) {
    const value = share * 100;
    if (value > 0 && value < 0.01)
        return "< 0.01 %";
    return `${value.toFixed(value >= 10 || value === 0 ? 0 : value >= 1 ? 1 : 2)} %`;
}

function date(unix) {
    return unix > 0 ? new Date(unix * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC" : "";
}

/* ---- shared elements ------------------------------------------------------------------------------------ */

function section(id, title, ...children) {
    return h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), children);
}

/* Rows of cells; a cell is text or an element.  `numeric`: the columns that are set flush right. */
function table(caption, heads, rows, numeric = []) {
    const cell = (tag, content, i, more) =>
        h(tag, { class: numeric.includes(i) ? "number" : null, ...more }, content);
    return h("div.scroll", { tabindex: 0, role: "region", "aria-label": caption },
        h("table", null, h("caption", null, caption),
            h("thead", null, h("tr", null, heads.map((head, i) => cell("th", head, i, { scope: "col" })))),
            h("tbody", null, rows.map((row) => h("tr", null, row.map((content, i) => cell("td", content, i)))))));
}

/* A table of many rows: a field above it leaves only those that contain the words, and only the first `most` of them are shown. */
function filteredTable(caption, heads, rows, most, numeric = []) {
    if (rows.length <= 12)
        return table(caption, heads, rows, numeric);
    const holder = h("div"), said = h("span.note", { role: "status" });
    const texts = rows.map((row) => row.map((content) => h("span", null, content).textContent).join(" ").toLowerCase());
    const show = (words) => {
        const found = rows.filter((_, i) => words.every((word) => texts[i].includes(word)));
        holder.replaceChildren(table(caption, heads, found.slice(0, most), numeric));
        said.textContent = found.length > most ? `${number(most)} of ${number(found.length)}` : count(found.length, "row");
    };
    const field = h("input", { type: "search", placeholder: "Filter: open, line 42, write …", "aria-label": `${caption}: filter`,
        oninput: () => show(field.value.toLowerCase().split(/\s+/).filter(Boolean)) });
    show([]);
    return h("div.filtered", null, h("div.filter", null, field, said), holder);
}

/* One of several, as buttons in a row.  Calls back with the value chosen. */
function choice(label, values, chosen, onchoose) {
    const buttons = values.map(([value, text, title]) =>
        h("button", { type: "button", title, "aria-pressed": String(value === chosen), "data-value": value,
            onclick: () => select(value) }, text));
    function select(value, silent) {
        for (const button of buttons)
            button.setAttribute("aria-pressed", String(button.dataset.value === value));
        if (!silent)
            onchoose(value);
    }
    return { element: h("div.choice", { role: "group", "aria-label": label }, buttons), select };
}

/* A command line, to be copied. */
function command(text) {
    const code = h("code", null, text);
    const said = h("span.said", { role: "status" });
    async function copy() {
        try {
            await navigator.clipboard.writeText(text);
            said.textContent = "copied";
        } catch {
            getSelection().selectAllChildren(code); /* a browser may forbid it to files: it is selected at least */
            said.textContent = "selected";
        }
        setTimeout(() => { said.textContent = ""; }, 2000);
    }
    return h("div.command", null, code, h("button", { type: "button", onclick: copy }, "Copy"), said);
}

/* The tooltip of the page, at a point of the window. */
const tip = {
    element: document.getElementById("tip"),
    show(x, y, content) {
        this.element.replaceChildren(...content);
        this.element.hidden = false;
        const { width, height } = this.element.getBoundingClientRect();
        const left = Math.max(8, Math.min(x + 14, innerWidth - width - 8));
        const top = y + 18 + height > innerHeight ? y - height - 10 : y + 18;
        this.element.style.left = `${left}px`;
        this.element.style.top = `${Math.max(8, top)}px`;
    },
    hide() { this.element.hidden = true; },
};
addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hide(); });
