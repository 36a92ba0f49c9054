/* SPDX-License-Identifier: MIT
 *
 * ready_schedules.c - see ready_schedules.h.
 */
#include "technique/ready_schedules.h"

#include <assert.h>

#include "pattern/family.h"
#include "util/hash.h"
#include "util/stop.h"

enum {
    MOST = 32, /* schedules that are kept */
    /* In units of orderer.work: */
    EVENT_EARNS = 4,      /* what an event of a run earns, */
    OPERATIONS_EARN = 16, /* and so many operations */
    WORTH_BEGINNING = 64, /* for each event of a run that is looked at */
    READING_WORK = 8,     /* takes the reading of an event, */
    INSTANCE_WORK = 64,   /* and looking for an instance */
};
#define WORTH_RUNNING 0.2 /* schedules that show what they are for less often than this */

static bool is_wanted(const struct ready_schedules *ready, size_t number)
{
    struct coverage_open open;
    return coverage_open_at(ready->coverage, number, &open) &&
           targets_may_try(ready->targets, targets_find(ready->targets, number));
}

static bool is_ready(const struct ready_schedules *ready, size_t number)
{
    for (size_t i = 0; i < ready->all.count; i++)
        if (ready->all.data[i].number == number)
            return true;
    return false;
}

/* ---- looking ------------------------------------------------------------------------------------------------------- */

/* Those that are likely always, others at random. */
static bool is_passed_over(const struct ready_schedules *ready, uint64_t turn, size_t number,
                           const struct pattern *pattern)
{
    const double likely = 0.25, whole = 4294967296.0;
    double random = (double)(hash_combine(turn, number) >> 32) / whole;
    return random * likely > ready->orderer->odds(ready->order_state, pattern);
}

static void add_ready(struct ready_schedules *ready, size_t number, uint32_t uncertain_reads, goal_steps *steps)
{
    if (steps->count > WIRE_PREFIX)
        return;
    vector_push(&ready->all, ((struct ready_schedule){number, uncertain_reads, *steps}));
    *steps = (goal_steps){0};
}

/* In the run that has been read. */
static void look_for_open(struct ready_schedules *ready, size_t events, uint64_t turn)
{
    const struct coverage *coverage = ready->coverage;
    goal_steps steps = {0};
    uint64_t began = ready->orderer->work(ready->order_state), looked = events * READING_WORK;
    size_t count = coverage_instance_count(coverage);
    for (size_t i = 0; i < count && ready->all.count < MOST && !stop_requested(); i++) {
        if (ready->orderer->work(ready->order_state) - began + looked > ready->earned)
            break;
        size_t number = ready->looked_for++ % count;
        looked++;
        if (!is_wanted(ready, number) || is_ready(ready, number))
            continue;
        const struct instance *instance = coverage_instance(coverage, number);
        struct pattern pattern = instance_pattern(instance);
        const unsigned others = FAMILY_BRINK | FAMILY_UNIT | FAMILY_SET; /* say more than an order of accesses can */
        if ((families[instance->row].flags & others) || is_passed_over(ready, turn, number, &pattern))
            continue;
        uint32_t uncertain_reads;
        enum order_failure why_not;
        looked += INSTANCE_WORK;
        if (ready->orderer->order(ready->order_state, &pattern, coverage_window(coverage), &steps, &uncertain_reads,
                                  &why_not))
            add_ready(ready, number, uncertain_reads, &steps);
    }
    uint64_t spent = ready->orderer->work(ready->order_state) - began + looked;
    ready->earned -= spent < ready->earned ? spent : ready->earned;
    vector_free(&steps);
}

void ready_schedules_observe(struct ready_schedules *ready, const struct execution *execution, bool look, uint64_t turn)
{
    size_t events = execution_count(execution);
    if (events == 0)
        return;
    uint64_t most = 2 * events * WORTH_BEGINNING + execution->operations / OPERATIONS_EARN;
    ready->earned += events * EVENT_EARNS + execution->operations / OPERATIONS_EARN;
    ready->earned = ready->earned < most ? ready->earned : most;
    bool looks = look && ready->all.count < MOST && ready->earned >= events * WORTH_BEGINNING;
    if (!look || looks)
        ready->orderer->learn(ready->order_state, execution);
    if (!looks)
        return;
    ready->orderer->read(ready->order_state, execution);
    look_for_open(ready, events, turn);
}

/* ---- the schedules ----------------------------------------------------------------------------------------------------- */

static unsigned kind_of(uint32_t uncertain_reads)
{
    return uncertain_reads < READY_KINDS ? uncertain_reads : READY_KINDS - 1;
}

/* How often schedules with so many uncertain_reads have shown what they were for. */
static double rate_of(const struct ready_schedules *ready, uint32_t uncertain_reads)
{
    unsigned kind = kind_of(uncertain_reads);
    return bandit_mean(&ready->kinds[kind], 1, 1 + kind / 4.0);
}

bool ready_schedules_take(struct ready_schedules *ready, struct ready_schedule *schedule)
{
    size_t kept = 0, best = 0;
    double most = 0;
    for (size_t i = 0; i < ready->all.count; i++) {
        struct ready_schedule next = ready->all.data[i];
        double rate = rate_of(ready, next.uncertain_reads);
        if (rate < WORTH_RUNNING || !is_wanted(ready, next.number)) {
            vector_free(&next.steps);
            continue;
        }
        if (rate > most) {
            most = rate;
            best = kept;
        }
        ready->all.data[kept++] = next;
    }
    ready->all.count = kept;
    if (kept == 0)
        return false;
    assert(best < kept);
    vector_free(&schedule->steps);
    *schedule = ready->all.data[best];
    ready->all.data[best] = ready->all.data[--ready->all.count];
    return true;
}

void ready_schedules_judge(struct ready_schedules *ready, uint32_t uncertain_reads, bool occurred)
{
    bandit_reward(&ready->kinds[kind_of(uncertain_reads)], occurred, 1);
}

/* ---- life ---------------------------------------------------------------------------------------------------------- */

void ready_schedules_open(struct ready_schedules *ready, const struct orderer *orderer, const struct coverage *coverage,
                          const struct targets *targets)
{
    *ready = (struct ready_schedules){.coverage = coverage, .targets = targets, .orderer = orderer};
    ready->order_state = orderer->open();
}

void ready_schedules_close(struct ready_schedules *ready)
{
    for (size_t i = 0; i < ready->all.count; i++)
        vector_free(&ready->all.data[i].steps);
    vector_free(&ready->all);
    ready->orderer->close(ready->order_state);
}
