/* SPDX-License-Identifier: MIT
 *
 * ready_schedules.c - open instances that a run just seen shows in another order of its events (direct/orderer.h); see maple.h.
 *
 * DESIGN
 *   To look for other orders takes work.  Every run earns some, as much as a fraction of what it took itself; what has been earned is
 *   spent on the run that has just ended, as soon as it is worth beginning.  Where runs are long every one is looked at, for all
 *   that is open; where they take a fraction of a millisecond, one in ten, for a part of it: the one looked at next goes on where this
 *   one stopped.  Instances whose dependencies have rarely been possible are passed over more often than others.
 *
 *   What is found is kept as a schedule, ready to be run, and has the next turns.  The less is doubtful about it the earlier, as long
 *   as such schedules have shown what they were for.
 */
#include "pattern/family.h"
#include "technique/maple_private.h"
#include "util/hash.h"
#include "util/stop.h"

enum {
    STOCK = 32, /* schedules that are kept */
    /* In units of orderer.work: */
    EVENT_EARNS = 4,      /* what an event of a run earns, */
    OPERATIONS_EARN = 16, /* and so many operations */
    WORTH_BEGINNING = 64, /* for each event of a run that is looked at */
    READING_WORK = 8,     /* takes the reading of an event, */
    INSTANCE_WORK = 64,   /* and looking for an instance */
};
#define WORTH_RUNNING 0.2 /* schedules that show what they are for less often than this */

static bool is_wanted(const struct maple *maple, size_t number)
{
    struct coverage_open open;
    return coverage_open_at(maple->options.coverage, number, &open) &&
           (number >= maple->targets.count || maple_may_try(maple, &maple->targets.data[number]));
}

static bool is_ready(const struct maple *maple, size_t number)
{
    for (size_t i = 0; i < maple->stock.count; i++)
        if (maple->stock.data[i].number == number)
            return true;
    return false;
}

/* ---- looking ------------------------------------------------------------------------------------------------------- */

/* Those that are likely always, others at random. */
static bool is_passed_over(const struct maple *maple, size_t number, const struct pattern *pattern)
{
    const double likely = 0.25, whole = 4294967296.0;
    double lot = (double)(hash_combine(maple->turns, number) >> 32) / whole;
    return lot * likely > maple->orderer->odds(maple->order_state, pattern);
}

static void add_ready(struct maple *maple, size_t number, uint32_t uncertain_reads, goal_steps *steps)
{
    if (steps->count > WIRE_STEPS)
        return;
    vector_push(&maple->stock, ((struct maple_ready){number, uncertain_reads, *steps}));
    *steps = (goal_steps){0};
}

/* In the run that has been read. */
static void look_for_open(struct maple *maple, size_t events)
{
    const struct coverage *coverage = maple->options.coverage;
    goal_steps steps = {0};
    uint64_t began = maple->orderer->work(maple->order_state), looked = events * READING_WORK;
    size_t count = coverage_instance_count(coverage);
    for (size_t i = 0; i < count && maple->stock.count < STOCK && !stop_requested(); i++) {
        if (maple->orderer->work(maple->order_state) - began + looked > maple->earned)
            break;
        size_t number = maple->looked_for++ % count;
        looked++;
        if (!is_wanted(maple, number) || is_ready(maple, number))
            continue;
        const struct instance *instance = coverage_instance(coverage, number);
        struct pattern pattern = instance_pattern(instance);
        const unsigned others = FAMILY_BRINK | FAMILY_UNIT | FAMILY_SET; /* say more than an order of accesses can */
        if ((families[instance->row].flags & others) || is_passed_over(maple, number, &pattern))
            continue;
        uint32_t uncertain_reads;
        enum order_failure why_not;
        looked += INSTANCE_WORK;
        if (maple->orderer->order(maple->order_state, &pattern, coverage_window(coverage), &steps, &uncertain_reads,
                                  &why_not))
            add_ready(maple, number, uncertain_reads, &steps);
    }
    uint64_t spent = maple->orderer->work(maple->order_state) - began + looked;
    maple->earned -= spent < maple->earned ? spent : maple->earned;
    vector_free(&steps);
}

void maple_look_at(struct maple *maple, const struct execution *execution)
{
    size_t events = execution_count(execution);
    if (!maple->options.alone || events == 0)
        return;
    uint64_t most = 2 * events * WORTH_BEGINNING + execution->operations / OPERATIONS_EARN;
    maple->earned += events * EVENT_EARNS + execution->operations / OPERATIONS_EARN;
    maple->earned = maple->earned < most ? maple->earned : most;
    bool looks = maple->turns >= SETTLED && maple->stock.count < STOCK && maple->earned >= events * WORTH_BEGINNING;
    if (maple->turns < SETTLED || looks)
        maple->orderer->learn(maple->order_state, execution);
    if (!looks)
        return;
    maple->orderer->read(maple->order_state, execution);
    look_for_open(maple, events);
}

/* ---- the stock ----------------------------------------------------------------------------------------------------- */

static unsigned kind_of(uint32_t uncertain_reads)
{
    return uncertain_reads < READY_KINDS ? uncertain_reads : READY_KINDS - 1;
}

/* How often schedules with so many uncertain_reads have shown what they were for. */
static double rate_of(const struct maple *maple, uint32_t uncertain_reads)
{
    unsigned kind = kind_of(uncertain_reads);
    return (maple->ready_won[kind] + 1.0) / (maple->ready_tried[kind] + 1.0 + kind / 4.0);
}

bool maple_take_ready(struct maple *maple, struct maple_run *run)
{
    size_t kept = 0, best = 0;
    double most = 0;
    for (size_t i = 0; i < maple->stock.count; i++) {
        struct maple_ready ready = maple->stock.data[i];
        double rate = rate_of(maple, ready.uncertain_reads);
        if (rate < WORTH_RUNNING || !is_wanted(maple, ready.number)) {
            vector_free(&ready.steps);
            continue;
        }
        if (rate > most) {
            most = rate;
            best = kept;
        }
        maple->stock.data[kept++] = ready;
    }
    maple->stock.count = kept;
    if (kept == 0)
        return false;
    struct maple_ready chosen = maple->stock.data[best];
    maple->stock.data[best] = maple->stock.data[--maple->stock.count];
    vector_free(&run->prefix);
    run->prefix = chosen.steps;
    run->target = chosen.number;
    run->uncertain_reads = chosen.uncertain_reads;
    return true;
}

void maple_judge_ready(struct maple *maple, uint32_t uncertain_reads, bool occurred)
{
    maple->ready_tried[kind_of(uncertain_reads)]++;
    maple->ready_won[kind_of(uncertain_reads)] += occurred;
}

void ready_schedules_free(struct maple *maple)
{
    for (size_t i = 0; i < maple->stock.count; i++)
        vector_free(&maple->stock.data[i].steps);
    vector_free(&maple->stock);
    maple->orderer->close(maple->order_state);
}
