/* SPDX-License-Identifier: MIT
 *
 * exits.c - a wrong exit status: is it a matter of interleaving?
 *
 * A program that ends with the same wrong exit status in every schedule lacks a file or an argument, or is meant to end so.  So the first
 * schedule that ends with a wrong status is held back until another one ends otherwise; only then is it a failure.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "campaign/campaign.h"
#include "util/log.h"

enum { LAST_LINES = 5 };

/* The schedule that is held back, as it was when it ended. */
struct held_exit {
    struct slot slot; /* only what campaign_found needs */
    struct judgement judgement;
};

/* The last lines of what the program printed on stderr. */
static char *last_lines(const struct server *server)
{
    struct buffer text = {0};
    output_read(&server->errors, &text);
    const char *begin = buffer_text(&text), *from = begin + text.size;
    unsigned lines = 0;
    while (from > begin && (from[-1] != '\n' || from == begin + text.size || ++lines < LAST_LINES))
        from--;
    char *copy = memory_copy_string(from);
    for (char *c = copy; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' && *c != '\n' && *c != '\t')
            *c = '?';
    buffer_free(&text);
    return copy;
}

static void hold(struct campaign *campaign, const struct slot *slot, const struct judgement *judgement)
{
    struct held_exit *held = memory_allocate(1, sizeof *held);
    held->judgement = *judgement;
    held->slot.number = slot->number;
    held->slot.took = slot->took;
    held->slot.plan = memory_allocate(1, sizeof *held->slot.plan);
    *held->slot.plan = *slot->plan;
    held->slot.run =
        (struct technique_run){.technique = slot->run.technique, .aimed = slot->run.aimed, .plan = held->slot.plan};
    held->slot.copy.result = slot->copy.result;
    vector_append(&held->slot.copy.steps, slot->copy.steps.data, slot->copy.steps.count);
    campaign->held_exit = held;
    campaign->results->last_words = last_lines(&slot->server);
}

void campaign_drop_exit(struct campaign *campaign)
{
    struct held_exit *held = campaign->held_exit;
    if (held == NULL)
        return;
    server_symbols_close(&held->slot.symbols);
    wire_copy_free(&held->slot.copy);
    free(held->slot.plan);
    free(held);
    campaign->held_exit = NULL;
}

/* Another schedule ended otherwise: what was held back is a failure. */
static void release(struct campaign *campaign)
{
    struct held_exit *held = campaign->held_exit;
    struct error error;
    struct results *results = campaign->results;
    size_t before = results->failures.count;
    if (campaign_confirm_server(campaign, &error) == NULL) {
        log_say("the failure of schedule %llu cannot be run again: %s", (unsigned long long)held->slot.number,
                error.text);
    } else {
        held->slot.server = campaign->confirm_server;
        campaign_found(campaign, &held->slot, &held->judgement);
        if (results->failures.count > before) {
            results->failures.data[before].count = results->same_exits;
            results->failing_schedules += results->same_exits - 1;
        }
    }
    campaign_drop_exit(campaign);
}

bool campaign_hold_exit(struct campaign *campaign, const struct slot *slot, const struct judgement *judgement)
{
    struct results *results = campaign->results;
    bool wrong = judgement->verdict == VERDICT_FAILURE && judgement->finding.kind == KIND_EXIT;
    bool ended = wrong || judgement->verdict == VERDICT_GOOD || judgement->finding.kind == KIND_OUTPUT ||
                 judgement->finding.kind == KIND_ORACLE || judgement->finding.kind == KIND_LEAK;
    int status = WIFEXITED(slot->server.status) ? WEXITSTATUS(slot->server.status) : 0;
    if (!ended || results->exits_differ)
        return false;
    if (results->same_exits > 0 || !wrong) {
        results->exits_differ = !wrong || status != results->exit_status;
        if (results->exits_differ && campaign->held_exit != NULL)
            release(campaign);
    }
    if (results->exits_differ)
        return false;
    if (results->same_exits++ == 0) {
        results->exit_status = status;
        hold(campaign, slot, judgement);
    }
    return true;
}
