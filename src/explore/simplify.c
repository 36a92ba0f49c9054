/* SPDX-License-Identifier: MIT
 *
 * simplify.c - from a failure that replays to one that can be told.
 */
#include "explore/simplify.h"

#include <stdlib.h>
#include <string.h>

#include "explore/cause.h"
#include "trace/story.h"
#include "util/stop.h"

static void copy_schedule(struct schedule *to, const struct schedule *from)
{
    *to = *from;
    to->steps.data = NULL;
    to->steps.count = to->steps.capacity = 0;
    vector_append(&to->steps, from->steps.data, from->steps.count);
}

static bool shows(const struct simplify *simplify, const struct rerun *rerun, const char *key)
{
    if (rerun->judgement.verdict != VERDICT_FAILURE)
        return false;
    struct symbols *symbols = server_symbols_get(simplify->symbols, simplify->server);
    char *now = story_key(symbols, &rerun->copy.result, &rerun->judgement.finding);
    bool same = strcmp(now, key) == 0;
    free(now);
    return same;
}

static void swap_reruns(struct rerun *a, struct rerun *b)
{
    struct rerun *keep = memory_allocate(1, sizeof *keep);
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
    output_read(&simplify->server->output, &simplify->files->output);
    output_read(&simplify->server->errors, &simplify->files->errors);
}

bool simplify_failure(const struct simplify *simplify, struct failure *failure, struct rerun *rerun,
                      struct schedule *found, const struct shrink_budget *budget, struct shrink_report *report,
                      struct error *error)
{
    struct schedule best;
    struct rerun *again = memory_allocate(1, sizeof *again);
    copy_schedule(&best, &failure->schedule);
    bool good = shrink_schedule(&best, simplify->server, simplify->symbols, simplify->oracle, failure->key, budget,
                                report, error);
    if (!failure->shrunk)
        failure->preemptions_found = report->preemptions_before;
    if (good && is_changed(&best, &failure->schedule)) {
        good = rerun_schedule(again, simplify->server, simplify->oracle, &best, false, error);
        if (good && shows(simplify, again, failure->key)) {
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
    rerun_free(again);
    free(again);
    return good;
}

bool simplify_cause(const struct simplify *simplify, struct failure *failure, const struct rerun *rerun,
                    struct tale *tale, const struct shrink_budget *budget, struct error *error)
{
    struct tale_cause cause = {0};
    if (stop_requested())
        return true;
    bool good = cause_find(&cause, &failure->schedule, rerun, simplify->server, simplify->symbols, simplify->oracle,
                           failure->key, simplify->seen, simplify->seed, budget, error);
    if (cause.sentence == NULL)
        return good; /* there was no time */
    free(failure->cause);
    failure->cause = cause.sentence != NULL ? memory_copy_string(cause.sentence) : NULL;
    tale_set_cause(tale, &cause);
    return good;
}
