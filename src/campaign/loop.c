/* SPDX-License-Identifier: MIT
 *
 * loop.c - the order in which the schedules of a campaign are planned, run, and their results processed.
 *
 * DESIGN
 *   A campaign must be the same each time, whatever the speed of the machine.  So schedules are planned in order of their numbers, their
 *   results are processed in that order, and what a plan may depend on is fixed by its number: with D slots, schedule n is planned
 *   exactly when the results up to n - D have been processed.  It is run in the slot of schedule n - D, which is free then.  The very first
 *   result is processed before any other schedule is planned.
 *
 *   With one job D is 1: each plan knows all results before it.  With N jobs D is larger than N.  N servers run at a time; the others have
 *   ended and keep their results until it is their turn, or have a plan and wait.  So a server that has ended is at once followed by
 *   another, also while the driver processes a result or waits for one that takes longer.
 */
#include <assert.h>
#include <poll.h>

#include "campaign/campaign.h"
#include "util/stop.h"

#define FIRST_GRACE CLOCK_SECOND /* of the very first run, after the end of the time */
#define STORE_EVERY (5 * CLOCK_SECOND)

static bool may_plan(const struct campaign *campaign)
{
    uint64_t runs = campaign->settings->runs;
    return !campaign->stop && !stop_requested() && (runs == 0 || campaign->next <= runs);
}

/* The other servers are started when the first run has shown that it works. */
static bool has_room(const struct campaign *campaign)
{
    return campaign->next - campaign->oldest < (campaign->results->schedules == 0 ? 1 : campaign->slot_count);
}

/* Schedules that were planned and whose results have not been processed. */
static bool is_under_way(const struct campaign *campaign)
{
    return campaign->oldest < campaign->next;
}

static uint32_t busy_count(const struct campaign *campaign)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < campaign->slot_count; i++)
        count += campaign->slots[i].state == SLOT_BUSY;
    return count;
}

/* After the end of the time a run that goes on is given up; the very first one gets a little longer. */
static bool must_give_up(const struct campaign *campaign)
{
    if (campaign->stop || stop_interrupted())
        return true;
    return stop_requested() &&
           (campaign->results->schedules > 0 || clock_now() - campaign->began > campaign->settings->time + FIRST_GRACE);
}

/* ---- running -------------------------------------------------------------------------------------------------------- */

static bool begin_run(struct slot *slot, struct error *error)
{
    if (!(slot->from >= 0 ? server_continue_run(&slot->server, (uint32_t)slot->from, error)
                          : server_begin_run(&slot->server, error)))
        return false;
    slot->state = SLOT_BUSY;
    slot->attended = slot->server.began;
    return true;
}

/* Begins what is planned, the oldest first, as long as fewer than `jobs` runs are under way. */
static bool begin_runs(struct campaign *campaign, struct error *error)
{
    uint32_t busy = busy_count(campaign);
    for (uint64_t n = campaign->oldest; n < campaign->next && busy < campaign->settings->jobs; n++) {
        struct slot *slot = campaign_slot(campaign, n);
        if (slot->state != SLOT_PLANNED)
            continue;
        if (!begin_run(slot, error))
            return false;
        busy++;
    }
    return true;
}

/* A run begins as soon as it is planned, since to start the server of the next one takes time. */
static bool plan_schedules(struct campaign *campaign, struct error *error)
{
    while (may_plan(campaign) && has_room(campaign))
        if (!campaign_plan_schedule(campaign, campaign_slot(campaign, campaign->next), error) ||
            !begin_runs(campaign, error))
            return false;
    return true;
}

/* Not at all if a result is there to be processed. */
static void wait_for_servers(const struct campaign *campaign, struct pollfd *waits)
{
    int tick = (int)(SERVER_TICK / CLOCK_MILLISECOND);
    for (uint32_t i = 0; i < campaign->slot_count; i++) {
        const struct slot *slot = &campaign->slots[i];
        bool busy = slot->state == SLOT_BUSY;
        waits[i] = (struct pollfd){.fd = busy ? slot->server.reply : -1, .events = POLLIN};
        if (busy && server_tick(&slot->server) < tick)
            tick = server_tick(&slot->server);
    }
    poll(waits, campaign->slot_count, campaign_slot(campaign, campaign->oldest)->state == SLOT_ENDED ? 0 : tick);
}

static void attend(struct slot *slot, int64_t now)
{
    enum server_state state = server_attend(&slot->server);
    slot->attended = now;
    if (state == SERVER_GOING)
        return;
    slot->state = SLOT_ENDED;
    slot->ended_as = state;
    slot->took = clock_now() - slot->server.began;
}

/* Attends to the servers that have said something, and now and then to all. */
static void attend_servers(struct campaign *campaign, const struct pollfd *waits)
{
    int64_t now = clock_now();
    for (uint32_t i = 0; i < campaign->slot_count; i++) {
        struct slot *slot = &campaign->slots[i];
        if (slot->state == SLOT_BUSY &&
            (waits[i].revents != 0 || now - slot->attended >= server_tick(&slot->server) * CLOCK_MILLISECOND))
            attend(slot, now);
    }
}

/* ---- the loop --------------------------------------------------------------------------------------------------------- */

/* Processes the result of the oldest schedule, if it has ended. */
static bool process_result(struct campaign *campaign, struct error *error)
{
    struct slot *slot = campaign_slot(campaign, campaign->oldest);
    if (slot->state == SLOT_ENDED) {
        assert(slot->number == campaign->oldest);
        if (!campaign_finish_schedule(campaign, slot, error))
            return false;
        campaign->oldest++;
    }
    campaign_progress(campaign, slot);
    return true;
}

bool campaign_loop(struct campaign *campaign, struct error *error)
{
    struct pollfd *waits = memory_allocate(campaign->slot_count, sizeof *waits);
    bool good = true;
    while (good && (may_plan(campaign) || is_under_way(campaign)) && !must_give_up(campaign)) {
        good = plan_schedules(campaign, error);
        if (good && is_under_way(campaign)) {
            wait_for_servers(campaign, waits);
            attend_servers(campaign, waits);
            good = begin_runs(campaign, error) && process_result(campaign, error);
        }
        if (good && campaign->memo != NULL && clock_now() - campaign->stored > STORE_EVERY)
            good = campaign_store(campaign, error);
    }
    free(waits);
    return good;
}
