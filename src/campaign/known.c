/* SPDX-License-Identifier: MIT
 *
 * known.c - failures that need not be saved: an earlier campaign saved them, or they have the cause of one that is known.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/campaign.h"
#include "control/build.h"
#include "tale/tale.h"
#include "util/log.h"

/* ---- whose it is -------------------------------------------------------------------------------------------------------- */

/* The same program: by its path, rebuilt or not; or the same build in another place.  What is not known to be the same is not judged. */
static bool same_program(struct campaign *campaign, const struct failure *failure)
{
    struct error error;
    const char *program = campaign->settings->identity;
    if (failure->program != NULL ? strcmp(failure->program, program) == 0
                                 : strcmp(failure->command[0], campaign->settings->setup.command[0]) == 0)
        return true;
    const struct server *server = campaign_confirm_server(campaign, &error);
    return server != NULL && build_is_unchanged(failure, server);
}

static bool same_arguments(char *const *a, char *const *b)
{
    size_t i = 1;
    while (a[i] != NULL && b[i] != NULL && strcmp(a[i], b[i]) == 0)
        i++;
    return a[i] == NULL && b[i] == NULL;
}

bool campaign_is_ours(struct campaign *campaign, const struct failure *failure)
{
    if (!same_arguments(failure->command, campaign->settings->setup.command)) {
        log_verbose("%s belongs to another command line: not replayed", failure->path);
        return false;
    }
    if (!same_program(campaign, failure)) {
        log_say("%s belongs to another program, %s: not replayed", failure->path,
                failure->program != NULL ? failure->program : failure->command[0]);
        return false;
    }
    return true;
}

/* ---- found again -------------------------------------------------------------------------------------------------------- */

/* Of the same build: else its schedule may not show it any more. */
static bool is_on_disk(struct campaign *campaign, const struct slot *slot, const char *key, const char *path,
                       struct failure *failure)
{
    struct error ignored;
    if (!failure_read(failure, path, &ignored))
        return false;
    if (!failure->fixed && failure_has_key(failure, key) &&
        same_arguments(failure->command, campaign->settings->setup.command) &&
        build_is_unchanged(failure, &slot->server))
        return true;
    failure_free(failure);
    return false;
}

static bool find_on_disk(struct campaign *campaign, const struct slot *slot, const char *key, struct failure *failure)
{
    struct failure_numbers numbers = {0};
    bool found = false;
    failure_list(campaign->settings->out, &numbers);
    for (size_t i = 0; i < numbers.list.count && !found; i++) {
        char *path = memory_format("%s/failure-%u", campaign->settings->out, numbers.list.data[i]);
        found = is_on_disk(campaign, slot, key, path, failure);
        free(path);
    }
    vector_free(&numbers.list);
    return found;
}

static void tell_again(const struct campaign *campaign, const struct failure *failure, uint64_t schedule)
{
    struct tale tale;
    struct error ignored;
    log_error("%sFAILURE %zu: %s%s   (schedule %" PRIu64 "; known from an earlier campaign, not saved again)",
              log_red(), campaign->results->failures.count, failure->text != NULL ? failure->text : failure->kind,
              log_plain(), schedule);
    if (!log_is_quiet() && tale_read(&tale, failure->path, &ignored)) {
        FILE *stream = log_stream();
        fputc('\n', stream);
        tale_print(&tale, stream, campaign_terminal_width(), false);
        fflush(stream);
        tale_free(&tale);
    }
    log_error("replay it with: raddle replay %s", failure->path);
}

bool campaign_found_again(struct campaign *campaign, const struct slot *slot, const char *key)
{
    struct results *results = campaign->results;
    struct failure failure;
    if (!find_on_disk(campaign, slot, key, &failure))
        return false;
    struct result_failure *known = results_find(results, failure.key);
    if (known != NULL) {
        known->count++;
    } else {
        results->found_again++;
        campaign_remember(&results->failures, &failure, slot->number);
        tell_again(campaign, &failure, slot->number);
    }
    failure_free(&failure);
    return true;
}

/* ---- the same cause ----------------------------------------------------------------------------------------------------- */

static void add_key_on_disk(const char *path, const char *key)
{
    struct failure failure;
    struct error error;
    if (!failure_read(&failure, path, &error)) {
        log_say("%s", error.text);
        return;
    }
    failure_add_key(&failure, key);
    if (!failure_update(&failure, &error))
        log_say("%s", error.text);
    failure_free(&failure);
}

bool campaign_same_cause(struct campaign *campaign, const struct failure *failure, uint64_t schedule)
{
    struct result_failure *known = results_find_cause(campaign->results, failure->pattern);
    if (known == NULL)
        return false;
    known->count++;
    vector_push(&known->also, memory_copy_string(failure->key));
    log_say("FAILURE %td shows in another way, too: %s (schedule %" PRIu64 "); the cause is the same",
            known - campaign->results->failures.data + 1, failure->text != NULL ? failure->text : failure->kind,
            schedule);
    if (known->path != NULL)
        add_key_on_disk(known->path, failure->key);
    return true;
}
