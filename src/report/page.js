/* SPDX-License-Identifier: MIT
 *
 * page.js - the page: head, one program at a time, theme, print.  The last part of the script; the others only define.
 */

/* ---- theme: from the system, or as chosen in the page -------------------------------------------------------------------- */

const themes = ["auto", "light", "dark"];
let theme = "auto";

function setTheme(next, button) {
    theme = next;
    if (theme === "auto")
        delete document.documentElement.dataset.theme;
    else
        document.documentElement.dataset.theme = theme;
    button.textContent = { auto: "◐ Auto", light: "○ Light", dark: "● Dark" }[theme];
    button.setAttribute("aria-label", `Colours: ${theme}`);
    document.dispatchEvent(new Event("themechange"));
}

function themeButton() {
    const button = h("button.theme", { type: "button", title: "Colours: as the system has them, light, dark",
        onclick: () => setTheme(themes[(themes.indexOf(theme) + 1) % themes.length], button) });
    setTheme("auto", button);
    return button;
}

/* ---- programs ----------------------------------------------------------------------------------------------------------------- */

const headLinks = h("nav", { "aria-label": "Parts of the report" });
const programTitle = h("div.title");

function summaryLine(program) {
    const campaign = program.campaign;
    if (!campaign)
        return program.path;
    return [`${count(campaign.schedules, "schedule")} in ${seconds(campaign.seconds)}`, date(campaign.began),
        campaign.command.join(" ")].filter(Boolean).join(" · ");
}

function showProgram(index) {
    const program = report.programs[index], main = document.getElementById("content");
    picker.value = String(index);
    const sections = [programsSection(index), failuresSection(program, index), campaignSection(program), coverageSection(program, index), growthSection(program)]
        .filter(Boolean);
    programTitle.replaceChildren(h("h1", null, program.name), verdictBadge(program), h("p.summary", null, summaryLine(program)));
    headLinks.replaceChildren(...sections.map((part) => h("a", { href: `#${part.id}` }, part.querySelector("h2").textContent)));
    const problems = report.problems.length > 0 && h("div.problems", { role: "note" }, h("strong", null, "Could not be read"),
        h("ul", null, report.problems.map((text) => h("li", null, text))));
    main.replaceChildren(...[problems, ...sections, h("footer", null, `Made by raddle ${report.version}. Only executions that really ` +
        "happened are reported.")].filter(Boolean));
}

/* With several programs: the state of each. */
function programsSection(chosen) {
    if (report.programs.length < 2)
        return null;
    const rows = report.programs.map((program, i) => {
        const campaign = program.campaign;
        return [h("button", { type: "button", "aria-current": i === chosen ? "true" : null, onclick: () => showProgram(i) }, program.name),
            verdictBadge(program), campaign ? number(campaign.schedules) : "", campaign ? seconds(campaign.seconds) : "",
            campaign ? date(campaign.began) : ""];
    });
    const part = section("programs", "Programs", table(count(report.programs.length, "program"),
        ["Program", "Verdict", "Schedules", "Time", "Last campaign"], rows, [2, 3]));
    part.classList.add("programs");
    return part;
}

const picker = h("select", { "aria-label": "Program", hidden: report.programs.length < 2, onchange: () => showProgram(Number(picker.value)) },
    report.programs.map((program, i) => h("option", { value: i }, program.name)));

/* The mark: threads kept apart by the teeth of a comb. */
function mark() {
    return svg("svg.mark", { viewBox: "0 0 24 24", width: 24, height: 24, "aria-hidden": "true" },
        svg("path", { d: "M3 4H21M5 4V20M12 4V20M19 4V20" }), svg("path.weft", { d: "M8.5 8V12C8.5 16 15.5 12 15.5 16V20" }));
}

document.getElementById("head").append(h("div.brand", null, mark(), h("span", null, "raddle")), programTitle,
    h("div.tools", null, picker, headLinks, themeButton()));

/* A failing program first. */
if (report.programs.length > 0)
    showProgram(Math.max(0, report.programs.findIndex((program) => verdict(program).state === "bad")));
else
    document.getElementById("content").append(h("p.note", null, "There is nothing to report on."));

/* For printing: all rows, if they fit on a few pages. */
addEventListener("beforeprint", () => {
    for (const article of document.querySelectorAll(".failure"))
        if (article.viewer && article.viewer.lanes.rows.length <= 400) {
            article.viewer.lanes.view.style.maxHeight = "none";
            article.viewer.lanes.view.style.height = `${article.viewer.lanes.rows.length * article.viewer.lanes.height + 60}px`;
            article.viewer.lanes.layout();
            article.viewer.lanes.draw();
        }
});
addEventListener("afterprint", () => {
    for (const article of document.querySelectorAll(".failure"))
        if (article.viewer) {
            article.viewer.lanes.view.style.maxHeight = article.viewer.lanes.view.style.height = "";
            article.viewer.lanes.layout();
            article.viewer.lanes.later();
        }
});
