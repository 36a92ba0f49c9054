/* SPDX-License-Identifier: MIT
 *
 * simplify.c - shrinks and explains a failure that replays.
 */
#include "explain/simplify.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "explain/cause.h"
#include "explain/cause_violation.h"
#include "explain/statement.h"
#include "util/stop.h"

static void swap_reruns(struct judged_run *a, struct judged_run *b)
{
    struct judged_run *keep = memory_allocate(1, sizeof *keep);
    *keep = *a;
    *a = *b;
    *b = *keep;
    free(keep);
}

static bool is_changed(const struct schedule *a, const struct schedule *b)
{
    return a->steps.count != b->steps.count ||
           schedule_hash(a->steps.data, a->steps.count) != schedule_hash(b->steps.data, b->steps.count);
}

void simplify_take_output(const struct simplify *simplify)
{
    buffer_free(&simplify->files->output);
    buffer_free(&simplify->files->errors);
    output_read(&simplify->trial->server->output, &simplify->files->output);
    output_read(&simplify->trial->server->errors, &simplify->files->errors);
}

bool simplify_failure(const struct simplify *simplify, struct failure *failure, struct judged_run *rerun,
                      struct schedule *found, const struct trial_budget *budget, struct shrink_report *report)
{
    assert(simplify->trial->key != NULL);
    struct schedule best;
    struct judged_run *again = memory_allocate(1, sizeof *again);
    schedule_copy(&best, &failure->schedule);
    struct trial *trial = simplify->trial;
    bool good = shrink_schedule(&best, trial, budget, report);
    if (!failure->shrunk)
        failure->preemptions_found = report->preemptions_before;
    if (good && is_changed(&best, &failure->schedule)) {
        enum trial_verdict verdict = rerun_schedule(trial, &best, false, again);
        good = verdict != TRIAL_BROKEN;
        if (verdict == TRIAL_FAILED) {
            swap_reruns(rerun, again);
            rerun_locate_hang(rerun);
            *found = failure->schedule;
            failure->schedule = best;
            best = (struct schedule){0};
            failure->threads = rerun->copy.result.task_count;
            simplify_take_output(simplify);
        } else {
            report->preemptions_after = report->preemptions_before;
            report->switches_after = report->switches_before;
            report->threads_after = report->threads_before;
            report->complete = false;
        }
    }
    failure->preemptions = report->preemptions_after;
    failure->shrunk = true;
    failure->shrink_runs += report->runs;
    failure->shrink_complete = report->complete;
    schedule_free(&best);
    judged_run_free(again);
    free(again);
    return good;
}

bool simplify_again(const struct simplify *simplify, struct failure *failure, struct judged_run *rerun,
                    struct schedule *found, struct schedule *simpler, const struct trial_budget *budget)
{
    struct judged_run *again = memory_allocate(1, sizeof *again);
    struct shrink_report report;
    bool good = rerun_schedule(simplify->trial, simpler, false, again) == TRIAL_FAILED;
    if (good) {
        struct schedule before = failure->schedule;
        swap_reruns(rerun, again);
        if (found->steps.count == 0)
            *found = before;
        else
            schedule_free(&before);
        failure->schedule = *simpler;
        *simpler = (struct schedule){0};
        failure->threads = rerun->copy.result.task_count;
        simplify_take_output(simplify);
        struct schedule between = {0};
        simplify_failure(simplify, failure, rerun, &between, budget, &report);
        schedule_free(&between);
    }
    schedule_free(simpler);
    judged_run_free(again);
    free(again);
    return good;
}

/* "heap#2.next" becomes "heap#.next": the numbers of blocks differ from run to run. */
static void add_without_numbers(struct buffer *text, const char *pattern)
{
    for (const char *c = pattern; *c != '\0'; c++) {
        buffer_add_char(text, *c);
        if (*c == '#')
            c += strspn(c + 1, "0123456789");
    }
}

/* What tells this cause from others: the pattern, or both of a pair, always in the same order; NULL: none was found. */
static char *cause_identity(const struct tale_cause *cause)
{
    const char *first = cause->pattern, *second = cause->second;
    struct buffer text = {0};
    if (first == NULL)
        return NULL;
    bool exchange = second != NULL && strcmp(second, first) < 0;
    add_without_numbers(&text, exchange ? second : first);
    if (second != NULL) {
        buffer_printf(&text, " %s ", tale_cause_word(cause));
        add_without_numbers(&text, exchange ? first : second);
    }
    return buffer_take(&text);
}

bool simplify_cause(const struct simplify *simplify, struct failure *failure, const struct judged_run *rerun,
                    struct tale *tale, const struct trial_budget *budget, struct schedule *simpler)
{
    struct tale_cause cause = {0};
    struct statement_facts facts = {0};
    if (stop_requested())
        return true;
    if (simpler != NULL) { /* as that of the failure, but for its steps */
        schedule_copy(simpler, &failure->schedule);
        vector_clear(&simpler->steps);
    }
    const struct cause_question question = {.schedule = &failure->schedule,
                                            .failing = rerun,
                                            .seen = simplify->seen,
                                            .seed = simplify->seed,
                                            .simpler = simpler};
    bool good = true;
    if (rerun->judgement.finding.kind == KIND_SERIALIZABILITY)
        cause_of_violation(tale, &rerun->judgement.finding, &cause);
    else
        good = cause_find(&cause, &facts, simplify->trial, &question, budget);
    if (cause.sentence == NULL)
        return good; /* the time was over */
    tale_set_cause(tale, &cause);
    char *statement = statement_make(tale, &facts);
    tale_set_statement(tale, statement);
    free(failure->cause);
    failure->cause = memory_copy_string(statement != NULL ? statement : tale->cause.sentence);
    free(statement);
    free(failure->pattern);
    failure->pattern = cause_identity(&tale->cause);
    return good;
}
