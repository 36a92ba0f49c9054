/* SPDX-License-Identifier: MIT
 *
 * second_way.c - see second_way.h.
 */
#include "technique/second_way.h"

#include <assert.h>
#include <stdlib.h>

#include "pattern/family.h"
#include "util/stop.h"

enum {
    ASK_AFTER = 2,   /* attempts that failed */
    ASK_OLD = 128,   /* observed runs in which it was open */
    READY_MOST = 16, /* schedules that are kept */
    LIST_EVERY = 16, /* observed runs: then it looks again for what to ask */
    ALONE = 2,       /* beside no other technique it may take so much more work */
    /* Work: */
    BEGINS_WITH = 1000,
    BEGINS_ALONE = 100000,
    RUN_EARNS = 1,          /* what a run earns, */
    EVENTS_EARN = 16,       /* so many events of a run, */
    OPERATIONS_EARN = 1000, /* and so many operations */
    MOST_EARNED = 2000000,  /* that is kept */
    LISTING_EACH = 16,      /* so many instances that are looked at take 1, */
    VIEWED_EACH = 32,       /* so many events of critical sections, */
    READING_WORK = 1,       /* the reading of an event, */
    VIEWING_EACH = 8,       /* the reading of so many events for critical sections, */
    UNIT_WORK = 3,          /* what the solver counts, */
    INSTANCE_WORK = 1,      /* an instance, without questions, */
    QUESTION_WORK = 2000,   /* a question that needs a search, beside what the solver counts, */
    WORTH_ASKING = 10000,   /* is earned before the solver is asked, */
    PATTERN_MOST = 100000,  /* all questions about one instance and run, about */
};

void second_way_open(struct second_way *way, struct coverage *coverage, const struct targets *targets, bool alone)
{
    *way = (struct second_way){.coverage = coverage,
                               .cores = coverage_cores(coverage),
                               .targets = targets,
                               .share = alone ? ALONE : 1,
                               .traces.window = coverage_window(coverage),
                               .earned = alone ? BEGINS_ALONE : BEGINS_WITH,
                               .solver_earned = 0};
}

void second_way_close(struct second_way *way)
{
    if (way->prover.solver != NULL)
        prover_close(&way->prover);
    core_view_free(&way->view);
    core_view_free(&way->new_view);
    answer_free(&way->answer);
    traces_free(&way->traces);
    for (size_t i = 0; i < way->ready.count; i++)
        vector_free(&way->ready.data[i].steps);
    vector_free(&way->ready);
    vector_free(&way->all);
    vector_free(&way->marked);
    vector_free(&way->pending);
}

/* ---- what is known ---------------------------------------------------------------------------------------------------- */

static trace_mask bit(size_t trace)
{
    return trace < TRACES_KINDS ? (trace_mask)1 << trace : 0;
}

/* By the kinds of runs. */
static bool is_answered(const struct second_way *way, const struct second_way_instance *own)
{
    const struct traces *traces = &way->traces;
    if (traces->all.count > TRACES_KINDS || traces->all.count == 0)
        return false;
    for (size_t i = 0; i < traces->all.count; i++) {
        bool by_path = own->whole_paths >> i & 1;
        if (!by_path && (!(own->impossible >> i & 1) || traces->paths.data[traces->all.data[i]->path]))
            return false;
    }
    return true;
}

static bool is_impossible(const struct second_way *way, const struct second_way_instance *own)
{
    size_t paths = way->traces.paths.count;
    return !way->traces.lost && ((paths > 0 && own->excluded == paths) || is_answered(way, own));
}

static void update_mark(struct second_way *way, size_t number)
{
    bool impossible = is_impossible(way, &way->all.data[number]);
    if (impossible && coverage_mark_impossible(way->coverage, number)) {
        coverage_explain(way->coverage, number, &way->all.data[number].core);
        vector_push(&way->marked, number);
    }
    if (!impossible)
        coverage_unmark_impossible(way->coverage, number);
}

/* Whether critical sections exclude the instance in the view, which is of this path. */
static bool is_excluded(struct second_way *way, const struct core_view *view, uint32_t path, size_t number)
{
    struct second_way_instance *own = &way->all.data[number];
    struct pattern pattern = instance_pattern(coverage_instance(way->coverage, number));
    uint64_t work = way->cores->work, derived = way->cores->derived, kept = way->cores->kept,
             remembered = way->cores->remembered;
    struct core core;
    bool excluded = cores_exclude(way->cores, view, &pattern, coverage_window(way->coverage), &core);
    way->earned -= (int64_t)((way->cores->work - work) / VIEWED_EACH + INSTANCE_WORK);
    way->counts.excluded += excluded;
    bool known = excluded && way->cores->derived == derived && way->cores->kept > kept;
    way->counts.kept += known;
    way->counts.remembered += known && way->cores->remembered > remembered;
    if (excluded && (core.count > 0 || own->core.count == 0))
        own->core = core;
    if (path == own->excluded && !own->not_excluded) {
        own->excluded += excluded;
        own->not_excluded = !excluded;
    }
    return excluded;
}

/* ---- runs that do what no earlier one did ------------------------------------------------------------------------------- */

/* Marks that do not hold any more are taken away.  `view`: of a new path, or NULL. */
static void check_marks(struct second_way *way, const struct core_view *view)
{
    size_t left = 0, path = way->traces.paths.count - 1, last = way->traces.all.count - 1;
    for (size_t i = 0; i < way->marked.count; i++) {
        size_t number = way->marked.data[i];
        if (!coverage_is_impossible(way->coverage, number))
            continue;
        if (view != NULL && is_excluded(way, view, (uint32_t)path, number)) {
            way->all.data[number].whole_paths |= bit(last);
            way->all.data[number].asked |= bit(last);
        }
        update_mark(way, number);
        if (coverage_is_impossible(way->coverage, number))
            way->marked.data[left++] = number;
    }
    way->marked.count = left;
}

static void look_at_run(struct second_way *way, const struct execution *execution)
{
    switch (traces_add(&way->traces, execution)) {
    case TRACE_KNOWN:
        break;
    case TRACE_PATH:
        if (way->marked.count == 0)
            break;
        core_view_make(&way->new_view, execution);
        way->earned -= execution_count(execution) / VIEWING_EACH;
        check_marks(way, &way->new_view);
        break;
    case TRACE_KIND:
    case TRACE_OPEN:
    case TRACE_LOST:
        if (way->marked.count > 0)
            check_marks(way, NULL);
        break;
    }
    way->counts.traces = way->traces.all.count;
}

/* ---- asking --------------------------------------------------------------------------------------------------------- */

static bool is_ready(const struct second_way *way, size_t number)
{
    for (size_t i = 0; i < way->ready.count; i++)
        if (way->ready.data[i].number == number)
            return true;
    return false;
}

/* The memo knows it, and not as given up. */
static bool is_covered_elsewhere(const struct second_way *way, const struct target *target)
{
    return target->known && target->earlier < way->targets->give_up;
}

/* The instance is open, and attempts have not made it happen. */
static bool is_wanted(struct second_way *way, size_t number)
{
    if (coverage_seen(way->coverage, number) > 0 || coverage_is_impossible(way->coverage, number))
        return false;
    const struct target *target = targets_find(way->targets, number);
    if (target != NULL && (target->running || target->exposed > 0 || is_covered_elsewhere(way, target)))
        return false;
    bool tried = target != NULL && (target_tried(target) >= ASK_AFTER || target->impossible);
    return (tried || way->observed - way->all.data[number].since >= ASK_OLD) && !is_ready(way, number);
}

static bool may_ask_solver(const struct second_way *way, const struct second_way_instance *own, size_t trace)
{
    return way->solver_earned > WORTH_ASKING && trace < TRACES_KINDS && !(own->asked >> trace & 1);
}

/* Something is to be asked about it of the trace. */
static bool is_unasked(const struct second_way *way, size_t number, size_t trace)
{
    const struct second_way_instance *own = &way->all.data[number];
    const struct trace *of = way->traces.all.data[trace];
    if (may_ask_solver(way, own, trace))
        return true;
    return of->first && !own->not_excluded && own->excluded == of->path;
}

static uint64_t searches(const struct prover_counts *counts)
{
    return counts->asked - counts->by_cycle - counts->by_reordering;
}

static void ask_solver(struct second_way *way, size_t number)
{
    struct pattern pattern = instance_pattern(coverage_instance(way->coverage, number));
    struct second_way_instance *own = &way->all.data[number];
    goal_steps steps = {0};
    uint64_t work = way->prover.counts.work, searched = searches(&way->prover.counts);
    enum answer_kind kind =
        prover_pattern(&way->prover, &pattern, coverage_window(way->coverage), &way->answer, &steps);
    way->counts.asked++;
    way->counts.impossible += kind == ANSWER_IMPOSSIBLE;
    way->counts.unknown += kind == ANSWER_UNKNOWN;
    if (kind == ANSWER_IMPOSSIBLE && way->answer.certain) {
        own->impossible |= bit(way->trace);
        if (way->answer.reasons.count > 0)
            core_from_reasons(&own->core, &way->prover.rules, &way->answer);
    }
    if (kind == ANSWER_FOUND && steps.count <= WIRE_STEPS) {
        way->counts.found++;
        vector_push(&way->ready, ((struct ready_schedule){number, 0, steps}));
        steps = (goal_steps){0};
    }
    vector_free(&steps);
    way->solver_earned -= (int64_t)((way->prover.counts.work - work) * UNIT_WORK +
                                    (searches(&way->prover.counts) - searched) * QUESTION_WORK + INSTANCE_WORK);
}

static void read_trace(struct second_way *way, const struct execution *execution)
{
    if (way->is_read)
        return;
    if (way->prover.solver == NULL) /* it takes some milliseconds */
        prover_open(&way->prover, &(struct solver_limits){.events = 1000, .work = PATTERN_MOST});
    way->prover.work_most = PATTERN_MOST;
    prover_read(&way->prover, execution);
    way->is_read = true;
    way->solver_earned -= (int64_t)execution_count(execution) * READING_WORK;
}

static void view_trace(struct second_way *way, const struct execution *execution)
{
    if (way->is_viewed)
        return;
    core_view_make(&way->view, execution);
    way->is_viewed = true;
    way->earned -= execution_count(execution) / VIEWING_EACH;
}

static void ask(struct second_way *way, size_t number)
{
    struct second_way_instance *own = &way->all.data[number];
    const struct trace *trace = way->traces.all.data[way->trace];
    view_trace(way, &trace->execution);
    bool excluded = is_excluded(way, &way->view, trace->path, number);
    if (excluded) {
        own->whole_paths |= bit(way->trace);
        own->asked |= bit(way->trace);
    } else if (may_ask_solver(way, own, way->trace)) {
        read_trace(way, &trace->execution);
        ask_solver(way, number);
        own->asked |= bit(way->trace);
    }
    update_mark(way, number);
}

/* ---- what is asked next ------------------------------------------------------------------------------------------------ */

static void go_to_trace(struct second_way *way, size_t trace)
{
    way->trace = trace;
    way->next = 0;
    way->is_viewed = way->is_read = false;
}

/* Something is to be asked about it of some trace. */
static bool is_pending(const struct second_way *way, size_t number)
{
    const struct second_way_instance *own = &way->all.data[number];
    size_t count = way->traces.all.count;
    trace_mask traces = count >= TRACES_KINDS ? ~(trace_mask)0 : bit(count) - 1;
    bool solver = way->solver_earned > WORTH_ASKING && (traces & ~own->asked) != 0;
    return solver || (!own->not_excluded && own->excluded < way->traces.paths.count);
}

static void list_pending(struct second_way *way)
{
    size_t count = coverage_instance_count(way->coverage);
    vector_clear(&way->pending);
    for (size_t number = 0; number < count; number++)
        if (is_wanted(way, number) && is_pending(way, number))
            vector_push(&way->pending, number);
    way->listed = way->observed;
    way->earned -= (int64_t)(count / LISTING_EACH);
    go_to_trace(way, 0);
}

/* The next instance, to be asked about of the trace; false: there is none. */
static bool find_next(struct second_way *way, size_t *number)
{
    if (way->pending.count == 0 && way->observed - way->listed >= LIST_EVERY)
        list_pending(way);
    while (way->pending.count > 0) {
        while (way->next < way->pending.count) {
            *number = way->pending.data[way->next++];
            if (is_unasked(way, *number, way->trace) && is_wanted(way, *number))
                return true;
        }
        way->earned -= (int64_t)(way->pending.count / LISTING_EACH);
        go_to_trace(way, way->trace + 1);
        if (way->trace == way->traces.all.count)
            vector_clear(&way->pending);
    }
    return false;
}

static void spend(struct second_way *way)
{
    size_t number;
    while (way->earned > 0 && way->ready.count < READY_MOST && !stop_requested() && find_next(way, &number))
        ask(way, number);
}

static void earn(struct second_way *way, const struct execution *execution)
{
    uint64_t earned = RUN_EARNS + execution_count(execution) / EVENTS_EARN + execution->operations / OPERATIONS_EARN;
    way->earned += (int64_t)(earned * way->share);
    way->solver_earned += (int64_t)(earned * way->share);
    if (way->earned > MOST_EARNED)
        way->earned = MOST_EARNED;
    if (way->solver_earned > MOST_EARNED)
        way->solver_earned = MOST_EARNED;
}

void second_way_observe(struct second_way *way, const struct execution *execution, bool look)
{
    if (!solver_available())
        return;
    way->observed++;
    earn(way, execution);
    look_at_run(way, execution);
    while (way->all.count < coverage_instance_count(way->coverage))
        vector_push(&way->all, ((struct second_way_instance){.since = way->observed}));
    if (look && way->traces.all.count > 0)
        spend(way);
}

/* ---- schedules ------------------------------------------------------------------------------------------------------- */

bool second_way_take(struct second_way *way, struct ready_schedule *schedule)
{
    while (way->ready.count > 0) {
        struct ready_schedule next = way->ready.data[--way->ready.count];
        const struct target *target = targets_find(way->targets, next.number);
        if (coverage_seen(way->coverage, next.number) == 0 && (target == NULL || !target->running)) {
            vector_free(&schedule->steps);
            *schedule = next;
            way->counts.run++;
            return true;
        }
        vector_free(&next.steps);
    }
    return false;
}

void second_way_judge(struct second_way *way, bool occurred)
{
    way->counts.showed += occurred;
}
