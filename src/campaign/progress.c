/* SPDX-License-Identifier: MIT
 *
 * progress.c - what a campaign says while it runs and at its end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "campaign/campaign.h"
#include "trace/finding_groups.h"
#include "util/log.h"
#include "util/text.h"

#define PROGRESS_TERMINAL (CLOCK_SECOND / 5)
#define PROGRESS_PLAIN    (10 * CLOCK_SECOND)

enum {
    UNCONTROLLED_SHOWN = 12,
    LIBRARIES_SHOWN = 8,
    ASSEMBLER_SHOWN = 8,
    SHARES_TOLD = 100 /* schedules */
};

/* 12345 → "12.3k" */
static const char *short_number(double value, char *text, size_t size)
{
    if (value >= 1e6)
        snprintf(text, size, "%.1fM", value / 1e6);
    else if (value >= 1e4)
        snprintf(text, size, "%.1fk", value / 1e3);
    else if (value >= 100 || value == (double)(uint64_t)value)
        snprintf(text, size, "%.0f", value);
    else
        snprintf(text, size, "%.1f", value);
    return text;
}

void campaign_announce(struct campaign *campaign)
{
    const struct results *results = campaign->results;
    if (campaign->announced)
        return;
    campaign->announced = true;
    log_say("%u thread%s, %" PRIu64 " shared site%s, %" PRIu64 " lock%s under control            [seed %" PRIu64 "]",
            results->threads, text_plural(results->threads), results->shared_sites, text_plural(results->shared_sites),
            results->locks, text_plural(results->locks), campaign->portfolio->seed);
    if (results->preload)
        log_say("--preload: only synchronisation is controlled, not the accesses between; build with 'raddle cc' to "
                "find more");
}

/* How much of the budget is used: "[#####-----] 5s/10s", or what there is of it. */
static void budget_bar(const struct campaign *campaign, int64_t elapsed, char *text, size_t size)
{
    const struct campaign_settings *settings = campaign->settings;
    double part = 0, seconds = (double)elapsed / 1e9;
    if (settings->time > 0)
        part = (double)elapsed / (double)settings->time;
    if (settings->runs > 0 && (double)(campaign->next - 1) / (double)settings->runs > part)
        part = (double)(campaign->next - 1) / (double)settings->runs;
    char bar[11] = "----------";
    for (int i = 0; i < 10 && i < (int)(part * 10 + 0.5); i++)
        bar[i] = '#';
    if (settings->time > 0)
        snprintf(text, size, "[%s] %.0fs/%.0fs", bar, seconds, (double)settings->time / 1e9);
    else
        snprintf(text, size, "[%s] %.0fs, %" PRIu64 "/%" PRIu64, bar, seconds, campaign->next - 1, settings->runs);
}

/* "idioms 41/52  maps 96/131 (2.1% of T_C)  new-next 0.4%": covered of what is known to be possible. */
static void coverage_text(const struct results *results, const char *separator, struct buffer *text)
{
    const struct coverage *coverage = results->coverage;
    if (coverage == NULL)
        return;
    for (size_t i = 0; i < coverage_group_count(coverage); i++) {
        const struct coverage_group *group = coverage_group(coverage, i);
        struct coverage_count count = coverage_count(coverage, group->rows);
        struct coverage_estimate estimate;
        buffer_printf(text, "%ss %" PRIu64 "/%" PRIu64, group->name, count.covered, count.covered + count.open);
        if (coverage_estimate(coverage, group->rows, &estimate))
            buffer_printf(text, " (%.1f%% of T_C)", coverage_estimate_share(&estimate) * 100);
        buffer_add_string(text, separator);
    }
    buffer_printf(text, "new-next %.1f%%%s", coverage_chance_of_new(coverage, COVERAGE_ALL) * 100, separator);
}

void campaign_progress(struct campaign *campaign, const struct slot *slot)
{
    int64_t now = clock_now(), elapsed = now - campaign->began;
    const struct results *results = campaign->results;
    if (now - campaign->last_progress < (log_is_terminal() ? PROGRESS_TERMINAL : PROGRESS_PLAIN))
        return;
    campaign->last_progress = now;
    char count[32], rate[32], bar[96];
    short_number((double)results->schedules, count, sizeof count);
    short_number((double)results->schedules * 1e9 / (double)elapsed, rate, sizeof rate);
    budget_bar(campaign, elapsed, bar, sizeof bar);
    const char *strategy = portfolio_run_name(&slot->run);
    struct buffer coverage = {0};
    coverage_text(results, log_is_terminal() ? "  " : ", ", &coverage);
    if (log_is_terminal())
        log_progress("%-10s %s schedule%s  %s/s  %s%zu failure%s  %s", strategy, count, text_plural(results->schedules),
                     rate, buffer_text(&coverage), results->failures.count, text_plural(results->failures.count), bar);
    else
        log_say("%s schedule%s, %s/s, %s%zu failure%s, %s", count, text_plural(results->schedules), rate,
                buffer_text(&coverage), results->failures.count, text_plural(results->failures.count), bar);
    buffer_free(&coverage);
}

/* ---- the end ------------------------------------------------------------------------------------------------------------ */

/* Each line below what it belongs to; NULL: none. */
static void say_lines(const char *lines)
{
    for (const char *line = lines; line != NULL; line = strchr(line, '\n') != NULL ? strchr(line, '\n') + 1 : NULL)
        log_say("    %.*s", (int)strcspn(line, "\n"), line);
}

/* Each once: "race,serializability".  The caller frees. */
static char *warning_kinds(const struct results *results)
{
    struct buffer kinds = {0};
    for (size_t i = 0; i < results->warnings.count; i++) {
        size_t before = 0;
        while (strcmp(results->warnings.data[before].kind, results->warnings.data[i].kind) != 0)
            before++;
        if (before == i)
            buffer_printf(&kinds, "%s%s", kinds.size > 0 ? "," : "", results->warnings.data[i].kind);
    }
    return buffer_take(&kinds);
}

/* Each of them, with the stacks of its sides. */
static void summarise_each_warning(const struct results *results)
{
    for (size_t i = 0; i < results->warnings.count; i++) {
        const struct result_warning *warning = &results->warnings.data[i];
        log_say("  %s   (in %" PRIu64 " schedule%s, first in %" PRIu64 ")", warning->text, warning->count,
                text_plural(warning->count), warning->schedule);
        say_lines(warning->stacks);
        say_lines(warning->orders);
    }
}

static void summarise_finding_groups(const struct warning_item *items, size_t count)
{
    struct buffer text = {0};
    finding_groups_print(items, count, WARNING_LINES - 1, "; -v shows all", &text);
    for (const char *line = buffer_text(&text); *line != '\0'; line = strchr(line, '\n') + 1)
        log_say("  %.*s", (int)strcspn(line, "\n"), line);
    buffer_free(&text);
}

static void summarise_warnings(const struct results *results)
{
    VECTOR(struct warning_item) items = {0};
    char variables[64];
    size_t count = results->warnings.count;
    for (size_t i = 0; i < count; i++) {
        const struct result_warning *warning = &results->warnings.data[i];
        vector_push(&items, (struct warning_item){warning->kind, warning->text, warning->variable, warning->schedule,
                                                  warning->count});
    }
    char *kinds = warning_kinds(results);
    if (count > 0)
        log_say("%zu warning%s%s (not failures; --fail-on %s makes %s failures%s):", count, text_plural(count),
                finding_groups_variables(items.data, count, variables, sizeof variables), kinds,
                strcmp(kinds, "race") == 0 ? "races" : "them", log_is_verbose() ? "" : "; -v shows all, with stacks");
    free(kinds);
    if (log_is_verbose())
        summarise_each_warning(results);
    else if (count > 0)
        summarise_finding_groups(items.data, count);
    vector_free(&items);
}

/* What was suppressed, and which lines suppressed nothing. */
static void summarise_suppressed(const struct results *results)
{
    const struct suppressions *suppressions = results->suppressions;
    uint64_t findings = 0;
    for (size_t i = 0; i < suppress_line_count(suppressions); i++) {
        const struct suppression *line = suppress_line(suppressions, i);
        findings += line->findings;
        if (line->findings > 0)
            log_verbose("%s:%u: %s suppressed %" PRIu64 " finding%s", suppress_name(suppressions), line->line,
                        line->text, line->findings, text_plural(line->findings));
    }
    if (findings > 0)
        log_say("%" PRIu64 " finding%s suppressed by %s", findings, findings == 1 ? " was" : "s were",
                suppress_name(suppressions));
    for (size_t i = 0; i < suppress_line_count(suppressions); i++) {
        const struct suppression *line = suppress_line(suppressions, i);
        if (line->findings == 0)
            log_say("%s:%u: %s suppressed nothing in these schedules", suppress_name(suppressions), line->line,
                    line->text);
    }
}

static void summarise_uncontrolled(const struct results *results)
{
    struct buffer names = {0};
    size_t count = results->uncontrolled.count;
    if (count == 0)
        return;
    for (size_t i = 0; i < count && i < UNCONTROLLED_SHOWN; i++)
        buffer_printf(&names, "%s%s (%" PRIu64 ")", i > 0 ? ", " : "", results->uncontrolled.data[i].name,
                      results->uncontrolled.data[i].count);
    if (count > UNCONTROLLED_SHOWN)
        buffer_printf(&names, ", and %zu more", count - UNCONTROLLED_SHOWN);
    log_say("not under control: %s", buffer_text(&names));
    buffer_free(&names);
}

static void summarise_used_up(const struct results *results)
{
    for (size_t i = 0; i < results->used_up.count; i++)
        log_verbose("a schedule that calls %s needs a new process for the next one: what it changes cannot be put back",
                    results->used_up.data[i].name);
}

static void summarise_not_held(const struct results *results)
{
    if (results->not_held[0] != '\0')
        log_verbose("what the program does before its first thread is done again in every schedule, because of %s",
                    results->not_held);
}

/* What no schedule can show because it is not seen: a pass says nothing about it. */
static void summarise_blind(const struct blind *blind)
{
    size_t libraries = blind->libraries.count, pieces = blind->assembler.count;
    struct buffer names = {0};
    for (size_t i = 0; i < libraries && i < LIBRARIES_SHOWN; i++)
        buffer_printf(&names, "%s%s", i > 0 ? ", " : "", blind->libraries.data[i]);
    if (libraries > LIBRARIES_SHOWN)
        buffer_printf(&names, ", and %zu more", libraries - LIBRARIES_SHOWN);
    if (libraries > 0)
        log_say("%zu librar%s not built with 'raddle cc', so the accesses in %s are not seen: %s", libraries,
                libraries == 1 ? "y was" : "ies were", libraries == 1 ? "it" : "them", buffer_text(&names));
    buffer_free(&names);
    if (pieces > 0)
        log_say("%zu piece%s of assembler %s not seen:", pieces, text_plural(pieces), pieces == 1 ? "is" : "are");
    for (size_t i = 0; i < pieces && i < ASSEMBLER_SHOWN; i++)
        log_say("  %s", blind->assembler.data[i]);
    if (pieces > ASSEMBLER_SHOWN)
        log_say("  and %zu more", pieces - ASSEMBLER_SHOWN);
}

/* A higher bound helps where runs that ended came near it, or none ended and something still changed. */
static const char *advice_on_bound(const struct results *results)
{
    uint64_t cut = results->unfinished - results->stopped - results->crowded;
    if (results->still == cut)
        return ": nothing had changed for half of each, so they wait or count without an end";
    if (results->cut_at < results->step_bound)
        return "; later ones got more";
    if (results->longest > results->cut_at / 4)
        return "; --max-steps raises the bound";
    return results->unfinished < results->schedules ? ", many more than those that ended took"
                                                    : "; a program that runs for ever needs a test that ends it";
}

/* After "1 schedule was cut and ...": what it counts as. */
static const char *neither(uint64_t count)
{
    return count == 1 ? "is neither a pass nor a failure" : "are neither passes nor failures";
}

static void summarise_stopped(const struct results *results)
{
    uint64_t hung = results->stopped - results->impossible;
    if (hung > 0)
        log_say("%" PRIu64 " schedule%s of %" PRIu64 " %s stopped and %s: %s; --hang-after gives more time", hung,
                text_plural(hung), results->schedules, hung == 1 ? "was" : "were", neither(hung), results->why_stopped);
    if (results->impossible > 0)
        log_say("%" PRIu64 " schedule%s of %" PRIu64
                " %s stopped and %s: the planned order of the threads was not possible",
                results->impossible, text_plural(results->impossible), results->schedules,
                results->impossible == 1 ? "was" : "were", neither(results->impossible));
}

static void summarise_unfinished(const struct results *results)
{
    uint64_t cut = results->unfinished - results->stopped - results->crowded;
    if (cut > 0)
        log_say("%" PRIu64 " schedule%s of %" PRIu64 " did not end within %" PRIu64 " scheduling points and %s%s", cut,
                text_plural(cut), results->schedules, results->cut_at, neither(cut), advice_on_bound(results));
    if (results->crowded > 0)
        log_say("%" PRIu64 " schedule%s of %" PRIu64 " had more than %d threads, %s cut there and %s", results->crowded,
                text_plural(results->crowded), results->schedules, (int)WIRE_TASKS,
                results->crowded == 1 ? "was" : "were", neither(results->crowded));
    if (results->given_up > 0)
        log_say("%" PRIu64 " schedule%s %s still under way when the campaign ended, and %s", results->given_up,
                text_plural(results->given_up), results->given_up == 1 ? "was" : "were", neither(results->given_up));
    summarise_stopped(results);
}

static void summarise_limits(const struct portfolio *portfolio, const struct results *results)
{
    summarise_unfinished(results);
    if (results->taken_off)
        log_say("threads that computed or spun for long without an operation were taken off: when depends on time, so "
                "the same seed may give other schedules%s",
                portfolio_has(portfolio, TECHNIQUE_SEARCH) ? ", and the search does not go through all that there are"
                                                           : "");
    if (results->unconfirmed_schedules > 0)
        log_say("%" PRIu64
                " schedule%s failed and did not when run again: something that raddle does not control differs",
                results->unconfirmed_schedules, text_plural(results->unconfirmed_schedules));
    if (results->lost_runs > 0)
        log_say("%" PRIu64 " schedule%s got lost because the program's fork server died", results->lost_runs,
                text_plural(results->lost_runs));
    if (results->lost_tables & (LOST_STEPS | LOST_EVENTS))
        log_say("some runs were too long to be recorded to the end");
    if (results->lost_tables & (LOST_FINDINGS | LOST_UNCONTROLLED | LOST_SITES | LOST_LEAKS))
        log_say("some tables were full: not every warning, uncontrolled call, shared site or place that allocates "
                "could be kept");
    if (results->lost_tables & LOST_NAMES)
        log_say("there were too many calls for one run: some local variables have no names");
    if (results->many_modules)
        log_say("the program has loaded more than %d libraries: what is in the others has no names", WIRE_MODULES - 1);
    if (results->randomised)
        log_say("the system does not let raddle switch off address randomisation: replays may differ where the program "
                "depends on addresses");
    if (results->free_processes > 0)
        log_say("the program started other instrumented processes (%u): they ran free", results->free_processes);
    if (results->one_process_per_run)
        log_say("the program starts threads before main, so it was started again for each schedule: slower");
}

static void summarise_family(const struct coverage *coverage, size_t index)
{
    const struct coverage_group *group = coverage_group(coverage, index);
    struct coverage_count count = coverage_count(coverage, group->rows);
    struct coverage_estimate estimate;
    struct buffer text = {0};
    buffer_printf(&text, "%ss: %" PRIu64 " covered, %" PRIu64 " predicted and open (%.1f%%)", group->name,
                  count.covered, count.open, coverage_share(&count) * 100);
    if (count.impossible > 0)
        buffer_printf(&text, ", %" PRIu64 " impossible", count.impossible);
    if (count.corrected > 0)
        buffer_printf(&text, ", %" PRIu64 " held to be impossible and covered later", count.corrected);
    log_say("%s; chance that the next schedule covers a new one: %.1f%%", buffer_text(&text),
            coverage_chance_of_new(coverage, (int)index) * 100);
    if (coverage_estimate(coverage, group->rows, &estimate))
        log_say("MAP-coverage: %.2f%%, %" PRIu64 " of the %.0f that the sites of %" PRIu64 " variable%s allow (T_C)",
                coverage_estimate_share(&estimate) * 100, estimate.covered, estimate.total, estimate.variables,
                text_plural(estimate.variables));
    buffer_free(&text);
}

/* Where not all was looked at, how much was. */
static void summarise_looked(const struct coverage *coverage)
{
    struct coverage_looked looked = coverage_looked(coverage);
    double all = (double)(looked.events + looked.left_out);
    if (looked.left_out > 0)
        log_say(
            "the runs are long: coverage looked at %.2g%% of the events of the %" PRIu64 " schedule%s that it observed",
            (double)looked.events * 100 / all, coverage_observed(coverage), text_plural(coverage_observed(coverage)));
    if (looked.passed_over > 0)
        log_say("there is much to see in the runs: %.2g%% of the dependencies were not combined with all others",
                (double)looked.passed_over * 100 / (double)looked.dependencies);
}

static void summarise_coverage(const struct campaign_settings *settings, const struct results *results)
{
    const struct coverage *coverage = results->coverage;
    if (coverage == NULL || coverage_observed(coverage) == 0 || settings->pattern != NULL)
        return;
    for (size_t i = 0; i < coverage_group_count(coverage); i++)
        summarise_family(coverage, i);
    summarise_looked(coverage);
    if (coverage_has_lost_events(coverage))
        log_say("the coverage is that of the recorded part of each run");
    if (results->cut_observation > 0)
        log_say("%s while the events of schedule %" PRIu64 " were looked at: its coverage is not complete",
                results->interrupted ? "interrupted" : "the time was over", results->cut_observation);
    if (coverage_is_cut(coverage))
        log_say("there was more to predict than is kept: there may be more open patterns");
    if (results->ended_saturated)
        log_say("saturated: the chance that the next schedule covers something new is below %g%%, so the campaign ends",
                settings->saturation * 100);
    else if (settings->until_saturated)
        log_say("not saturated when the budget was used up: give it more --time or --runs");
}

/* Numbers of what was asked for by name; of all techniques together only for those who want to know more. */
static void summarise_techniques(const struct portfolio *portfolio)
{
    struct buffer text = {0};
    for (uint32_t i = 0; i < portfolio->count; i++) {
        buffer_clear(&text);
        portfolio_summary(portfolio, i, &text);
        if (text.size > 0 && (!portfolio->shares || log_is_verbose()))
            log_say("%s: %s", portfolio->members[i].technique->name, buffer_text(&text));
    }
    buffer_free(&text);
}

/* What each technique of the portfolio got, and what came of it. */
static void summarise_shares(const struct portfolio *portfolio)
{
    if (!portfolio->shares || portfolio->ended < SHARES_TOLD || !log_is_verbose())
        return;
    struct buffer text = {0};
    for (uint32_t i = 0; i < portfolio->count; i++)
        buffer_printf(&text, "%s %s %" PRIu64 " (%" PRIu64 ")", i == 0 ? "" : ",",
                      portfolio->members[i].technique->name, portfolio->members[i].runs, portfolio->members[i].covered);
    log_say("schedules by strategy (and what they covered first):%s", buffer_text(&text));
    buffer_free(&text);
}

static void summarise_exits(const struct results *results)
{
    if (results->same_exits == 0 || results->exits_differ || results->last_words == NULL ||
        results->last_words[0] == '\0')
        return;
    log_say("the program's last lines on stderr:");
    for (const char *line = results->last_words; *line != '\0';) {
        int length = (int)strcspn(line, "\n");
        log_say("  %.*s", length < 200 ? length : 200, line);
        line += length + (line[length] == '\n');
    }
}

/* What a search by behaviours has come to, and what is not in it. */
static void summarise_behaviours(const struct technique_end *end)
{
    const struct technique_search *search = &end->search;
    char bounded[64] = "", fails[64] = "none fails";
    if (search->bound < UNBOUNDED)
        snprintf(bounded, sizeof bounded, " for up to %" PRIu64 " preemption%s", search->bound,
                 text_plural(search->bound));
    if (search->failing > 0)
        snprintf(fails, sizeof fails, "%" PRIu64 " of them fail%s", search->failing, search->failing == 1 ? "s" : "");
    if (search->complete)
        log_say("complete%s: all %" PRIu64 " %s%s of this input were run, %s (%s)", bounded, search->executions,
                search->what, text_plural(search->executions), fails, search->memory);
    else
        log_say("the search has ended%s after %" PRIu64 " %s%s, %s; there may be others:", bounded, search->executions,
                search->what, text_plural(search->executions), fails);
    for (size_t i = 0; i < end->left_out.count; i++)
        log_say("  %s", end->left_out.data[i]);
}

/* What was covered, and what was not. */
static void summarise_search(const struct campaign_settings *settings, const struct results *results)
{
    if (results->end.search.ended)
        summarise_behaviours(&results->end);
    if (results->end.exhausted == 0)
        return;
    log_say("all schedules have been tried%s: there are %" PRIu64,
            settings->bound < UNBOUNDED ? " that have no more preemptions than --bound allows" : "",
            results->end.exhausted);
    for (size_t i = 0; i < results->end.left_out.count; i++)
        log_say("  %s", results->end.left_out.data[i]);
}

/* Nothing new was looked for. */
static void summarise_known(const struct results *results)
{
    if (results->schedules == 0 && results->still_failing > 0 && !results->interrupted)
        log_say("only failures of earlier campaigns were run again, and %s still there: no new schedule was run; "
                "--keep-going searches on after them, --no-replay-first without them",
                results->still_failing == 1 ? "one is" : "some are");
}

void campaign_summary(const struct campaign_settings *settings, const struct portfolio *portfolio,
                      const struct results *results)
{
    char count[32], rate[32], telling[64] = "";
    summarise_warnings(results);
    summarise_suppressed(results);
    summarise_uncontrolled(results);
    summarise_used_up(results);
    summarise_not_held(results);
    summarise_blind(&results->blind);
    summarise_limits(portfolio, results);
    summarise_exits(results);
    summarise_search(settings, results);
    summarise_coverage(settings, results);
    summarise_techniques(portfolio);
    summarise_shares(portfolio);
    summarise_known(results);
    short_number((double)results->schedules, count, sizeof count);
    short_number(results_rate(results), rate, sizeof rate);
    if (results->seconds_telling > 0)
        snprintf(telling, sizeof telling, " (%.2f s to simplify and explain)", results->seconds_telling);
    log_say("%s%s schedule%s in %.2f s (%s/s), %s%" PRIu64 " different; %zu failure%s%s%s   [seed %" PRIu64 "]",
            results->interrupted ? "interrupted: " : "", count, text_plural(results->schedules),
            results->seconds - results->seconds_telling, rate, results_told_apart(results) ? "" : "more than ",
            results_distinct(results), results->failures.count, text_plural(results->failures.count), telling,
            results->fixed > 0 ? ", earlier ones fixed" : "", portfolio->seed);
}
