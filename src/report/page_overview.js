/* SPDX-License-Identifier: MIT
 *
 * page_overview.js - what the campaign was and what came of it: verdict, numbers, strategies, coverage by family, growth.
 */

const limitTexts = {
    "preload": "without instrumentation (--preload): memory accesses are not seen",
    "address-randomisation": "addresses differ from run to run",
    "processes-run-free": "child processes run free",
    "tables-full": "some tables were full: there was more than was kept",
    "coverage-of-part": "some runs were too long to be recorded to the end",
    "predictions-cut": "not everything that is possible was predicted",
    "libraries-not-instrumented": "libraries of the project were not built with raddle cc: their accesses are not seen",
    "assembler-not-seen": "some assembler is not seen",
};

/* {state: "bad" | "good" | "unsure", words} */
function verdict(program) {
    const open = program.failures.filter((failure) => !failure.fixed).length;
    const fixed = program.failures.length - open;
    const campaign = program.campaign;
    if (open > 0)
        return { state: "bad", words: count(open, "failure") + (fixed ? `, ${number(fixed)} fixed` : "") };
    if (campaign && (campaign.error || campaign.exit_code === 3 || campaign.exit_code === 4))
        return { state: "unsure", words: campaign.exit_code === 4 ? "nothing was under control" : "ended by an error" };
    if (fixed > 0)
        return { state: "good", words: `nothing open, ${number(fixed)} fixed` };
    return { state: campaign ? "good" : "unsure", words: campaign ? "nothing found" : "no campaign" };
}

function verdictBadge(program) {
    const { state, words } = verdict(program);
    const sign = { bad: "✕", good: "✓", unsure: "?" }[state];
    return h(`span.verdict.${state}`, null, h("span", { "aria-hidden": "true" }, sign), words);
}

function fact(name, value, more) {
    return h("div.fact", null, h("dt", null, name), h("dd", null, value, more ? h("small", null, more) : null));
}

function facts(campaign) {
    const coverage = campaign.coverage;
    const covered = coverage.families.reduce((sum, family) => sum + family.covered, 0);
    const open = coverage.families.reduce((sum, family) => sum + family.open, 0);
    const first = campaign.first;
    return h("dl.facts", null,
        fact("Schedules", number(campaign.schedules), coverage.distinct ? `${number(coverage.distinct)} different` : ""),
        fact("Time", seconds(campaign.seconds),
            campaign.seconds > 0 ? `${number(Math.round(campaign.schedules / campaign.seconds))} a second` : ""),
        first && first.schedules > 0 && fact("First failure", `schedule ${number(first.schedules)}`,
            first.seconds > 0 ? `after ${seconds(first.seconds)}` : ""),
        fact("Threads", number(campaign.threads), count(campaign.locks, "lock")),
        fact("Shared places", number(coverage.sites), `${count(coverage.locations, "location")} in memory`),
        coverage.measured && fact("Interleavings", number(covered), `covered; ${number(open)} more are open`),
        coverage.measured && fact("New in the next", percent(coverage.chance),
            coverage.saturated ? "saturated" : "chance, estimated"),
        fact("Seed", String(campaign.seed), `strategy ${campaign.strategy}`));
}

function meter(share, name) {
    const bar = h("span.bar");
    bar.style.width = `${Math.round(Math.min(1, share) * 1000) / 10}%`;
    return h("span.meter", { class: `meter ${name || ""}`, "aria-hidden": "true" }, bar);
}

/* The share of a strategy in each part of the campaign. */
function shareCurve(share, totals) {
    const width = 6, height = 22;
    return svg("svg.share-curve", { viewBox: `0 0 ${totals.length * width} ${height}`, width: totals.length * width, height, role: "img",
        "aria-label": `${share.strategy}, over the campaign: ${share.over_time.map((part, i) => percent(part / Math.max(1, totals[i]))).join(", ")}` },
    svg("rect.ground", { x: 0, y: 0, width: totals.length * width, height }), share.over_time.map((part, i) => {
        const high = part / Math.max(1, totals[i]) * height;
        return svg("rect.part", { x: i * width, y: height - high, width: width - 1, height: high });
    }));
}

function sharesTable(campaign) {
    const all = Math.max(1, campaign.schedules), parts = Math.max(0, ...campaign.shares.map((share) => share.over_time.length));
    const totals = Array.from({ length: parts }, (_, i) => campaign.shares.reduce((sum, share) => sum + (share.over_time[i] || 0), 0));
    const row = (share) => [share.strategy, number(share.schedules), meter(share.schedules / all), number(share.observed),
        number(share.newly_covered), parts > 1 && shareCurve(share, totals)].filter((cell) => cell !== false);
    return table("How the strategies shared the schedules", ["Strategy", "Schedules", "", "Observed", "Newly covered",
        parts > 1 && "Over the campaign"].filter((head) => head !== false), campaign.shares.map(row), [1, 3, 4]);
}

/* MAP-coverage: the total is an over-estimate, so the share is small. */
function shareOfTotal(estimate) {
    const share = estimate.total > 0 ? estimate.covered / estimate.total : 0;
    return h("span", { title: `${number(estimate.covered)} of ${number(estimate.total)}, by the sites of ${count(estimate.variables, "variable")}` },
        percent(share));
}

/* Columns that say nothing in this campaign are left out. */
function familiesTable(campaign) {
    const rows = [];
    const impossible = campaign.coverage.families.some((family) => family.impossible > 0);
    const estimated = campaign.coverage.families.some((family) => family.estimate);
    const row = (entry, member) => {
        const known = Math.max(1, entry.covered + entry.open);
        return [h(member ? "span.member" : "strong", { title: report.meanings[entry.name] }, entry.name),
            member ? report.meanings[entry.name] || "" : "", number(entry.covered), number(entry.open),
            impossible && number(entry.impossible), percent(entry.covered / known), meter(entry.covered / known),
            estimated && (entry.estimate ? shareOfTotal(entry.estimate) : ""), entry.chance === null ? "" : percent(entry.chance)].filter((cell) => cell !== false);
    };
    for (const family of campaign.coverage.families) {
        rows.push(row(family, false));
        if (family.members.length > 1)
            for (const member of family.members)
                rows.push(row(member, true));
    }
    const heads = ["Family", "Meaning", "Covered", "Open", impossible && "Impossible", "Of the known", "", estimated && "Of T_C",
        "New in the next"].filter((head) => head !== false);
    return table("Patterns of interleaving", heads, rows, heads.map((head, i) => (i > 1 && head ? i : -1)).filter((i) => i > 0));
}

function historyTable(program) {
    return table("Campaigns, the latest first",
        ["Began", "Schedules", "Time", "Failures", "Fixed", "Covered", "Open", "Seed"],
        [...program.history].reverse().slice(0, 100).map((past) => [date(past.began) || "–", number(past.schedules),
            seconds(past.seconds), number(past.failures), number(past.fixed), number(past.covered), number(past.open),
            String(past.seed)]), [1, 2, 3, 4, 5, 6, 7]);
}

function more(summary, ...content) {
    return h("details", null, h("summary", null, summary), content);
}

/* What a technique has counted. */
function techniqueNote(technique) {
    const counted = technique.counters.filter(([, value]) => value > 0);
    return counted.length > 0 && h("p.note", null, `${technique.name}: `,
        counted.map(([name, value]) => `${name.replaceAll("_", " ")} ${number(value)}`).join(", "), ".");
}

/* Those on one variable together, races on volatile objects last. */
function warningsByVariable(warnings) {
    const key = (warning) => `${warning.kind === "volatile-race" ? 1 : 0} ${warning.variable || "~"} ${warning.kind}`;
    return [...warnings].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0)).map((warning) => [warning.kind, warning.variable || "",
        [warning.text || warning.site, warning.stacks, warning.orders].filter(Boolean).join("\n"), number(warning.count), number(warning.schedule)]);
}

/* Calls that interrupted each other, and what came of it. */
function violationsTable(campaign) {
    const outcome = (violation) => [violation.failed > 0 && `${number(violation.failed)} failed`,
        violation.inconsistent > 0 && `${number(violation.inconsistent)} left it inconsistent`,
        violation.benign && "benign", violation.apart && "guarded by different locks"].filter(Boolean).join(", ") || "nothing seen";
    return table("Violations", ["Call", "Interrupted by", "On", "Variables", "Lines", "Pattern", "Schedules", "Led to"],
        campaign.violations.map((violation) => [violation.units[0], violation.units[1], violation.set,
            violation.objects.join(", "), violation.sites.join(", "), violation.pattern, number(violation.count),
            outcome(violation)]), [6]);
}

function campaignSection(program) {
    const campaign = program.campaign;
    if (!campaign)
        return section("campaign", "Campaign",
            h("p.note", null, "No campaign.json here: only the failures are known."));
    const ends = [campaign.error, campaign.interrupted && "It was interrupted.",
        campaign.exhausted > 0 && `All ${number(campaign.exhausted)} schedules that there are were seen.`,
        ...campaign.remarks.map(([value, words]) => `${number(value)} ${words}.`),
        ...campaign.limits.map((limit) => `Limit: ${limitTexts[limit] || limit}.`)].filter(Boolean);
    return section("campaign", "Campaign", facts(campaign),
        ends.length > 0 && h("ul.remarks", null, ends.map((text) => h("li", null, text))),
        campaign.warnings.length > 0 && more(`${count(campaign.warnings.length, "warning")} (not failures)`,
            filteredTable("Warnings", ["Kind", "On", "What", "Schedules", "First in"], warningsByVariable(campaign.warnings), 50, [3, 4])),
        campaign.violations.length > 0 && more(`${count(campaign.violations.length, "violation")} of serializability`,
            violationsTable(campaign)),
        campaign.shares.length > 0 && more("Strategies", sharesTable(campaign), campaign.techniques.map(techniqueNote)),
        campaign.coverage.measured && more("Coverage by family", familiesTable(campaign)),
        program.history.length > 1 && more(`${number(program.history.length)} campaigns so far`, historyTable(program)),
        campaign.uncontrolled.length > 0 && more("Calls that were not under control", table("Calls", ["Call", "Count"],
            campaign.uncontrolled.map((call) => [call.name, number(call.count)]), [1])));
}

/* ---- growth --------------------------------------------------------------------------------------------------------------- */

/* Round numbers for an axis: at most `most` steps up to `end`. */
function ticks(end, most) {
    const raw = end / most, power = 10 ** Math.floor(Math.log10(Math.max(raw, 1)));
    const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw));
    const list = [];
    for (let value = 0; value <= end; value += step)
        list.push(value);
    return list;
}

const short = (n) => (n >= 1e6 ? `${+(n / 1e6).toFixed(1)}M` : n >= 1e4 ? `${+(n / 1e3).toFixed(1)}k` : number(n));

/* Powers of ten, and what lies between if there are few. */
function powers(end) {
    const list = [];
    for (let power = 1; power <= end; power *= 10)
        list.push(...(end < 100 ? [1, 2, 5] : end < 5000 ? [1, 3] : [1]).map((n) => n * power).filter((n) => n <= end));
    return list;
}

/* The beginning is steep and the rest is long: schedules are drawn by their logarithm. */
function growthCurve(coverage, schedules) {
    const width = 760, height = 300, left = 60, right = 20, top = 24, bottom = 44;
    const points = coverage.curve, last = points[points.length - 1];
    const open = coverage.families.reduce((sum, family) => sum + family.open, 0);
    const endX = Math.max(2, last[0], schedules), known = last[1] + open, endY = Math.max(1, known) * 1.06;
    const x = (n) => left + (width - left - right) * Math.log(Math.max(1, n)) / Math.log(endX),
        y = (n) => height - bottom - (height - top - bottom) * n / endY;
    let path = `M${x(points[0][0]).toFixed(1)},${y(points[0][1]).toFixed(1)}`;
    for (const [schedule, covered] of points.slice(1))
        path += `H${x(schedule).toFixed(1)}V${y(covered).toFixed(1)}`;
    path += `H${x(endX).toFixed(1)}`;
    const words = `After ${count(Math.max(schedules, last[0]), "schedule")} ${number(last[1])} patterns of interleaving had been covered; ` +
        `${number(open)} more are predicted and open. The chance that the next schedule covers a new one is ` +
        `${percent(coverage.chance)}.`;
    const picture = svg("svg.curve", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words },
        ticks(endY, 5).map((n) => [svg("line.grid", { x1: left, x2: width - right, y1: y(n), y2: y(n) }),
            svg("text.tick", { x: left - 8, y: y(n) + 4, "text-anchor": "end" }, short(n))]),
        powers(endX).map((n) => svg("text.tick", { x: x(n), y: height - bottom + 18, "text-anchor": "middle" }, short(n))),
        svg("path.area", { d: `${path}V${y(0)}H${x(points[0][0]).toFixed(1)}Z` }),
        open > 0 && [svg("line.known", { x1: left, x2: width - right, y1: y(known), y2: y(known) }),
            svg("text.label", { x: width - right, y: y(known) - 6, "text-anchor": "end" }, `${number(known)} known to be possible`)],
        svg("path.line", { d: path }),
        svg("circle.end", { cx: x(endX), cy: y(last[1]), r: 4 }),
        svg("text.label", { x: x(endX) - 8, y: y(last[1]) + 20, "text-anchor": "end" }, `${number(last[1])} covered`),
        svg("text.axis", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, "schedules (logarithmic)"),
        svg("text.axis", { transform: `translate(14 ${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" },
            "patterns covered"));
    return h("figure", null, picture, h("figcaption", null, words,
        coverage.saturated ? " It is saturated: more of the same is not likely to show anything new." :
            " The chance is a Good–Turing estimate, from what has been seen only once."));
}

function growthSection(program) {
    const coverage = program.campaign && program.campaign.coverage;
    if (!coverage || !coverage.measured || coverage.curve.length === 0)
        return null;
    return section("growth", "Growth of coverage", growthCurve(coverage, program.campaign.schedules),
        more("The numbers", table("Growth of coverage", ["Schedule", "Covered"],
            coverage.curve.map(([schedule, covered]) => [number(schedule), number(covered)]), [0, 1])));
}
