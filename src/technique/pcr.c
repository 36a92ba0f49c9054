/* SPDX-License-Identifier: MIT
 *
 * pcr.c - pattern constraint reduction: orders of the accesses of one run that make one of the 17 patterns happen, found by a solver.
 *
 * Y. Zhao, Z. Wang, S. Liu, J. Sun, J. Chen, X. Chen, "Achieving High MAP-Coverage through Pattern Constraint Reduction".
 *
 * From each run that shows something new: pairs of conflicting accesses, joined to three and four; those that one of six rules leaves out
 * are dropped (pcr_candidates.h); of each of the others the solver is asked for an order of the run in which it happens, and this order is
 * run up to the pattern's last step.  What comes after it is a new run, from which it goes on.
 *
 * Where it differs: the paper asks about the longest first.  Here those come first whose reads would find what they never found, since only
 * these can lead to a new branch, most of all where values have been seen to steer (pcr_values.h); then the longest.  A pattern that was
 * covered counts as not covered if a read of it would find a new value: with loops and recursion the next step of a chain has the same sites as
 * the one before.  When no pattern is left, calls that try or have a time limit are asked about: where they come out otherwise, new code is run.  What is looked at in one run is bounded, and so is the work of the solver for one schedule.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "solve/changes.h"
#include "solve/prover.h"
#include "technique/pcr_candidates.h"
#include "technique/techniques.h"
#include "util/hash.h"
#include "util/memory.h"
#include "util/stop.h"
#include "util/text.h"

enum {
    EVENTS_MOST = 4000, /* of a run that candidates are made from as a whole; of a longer one */
    WINDOW = 2000,      /* a window of so many events, another one of each run */
    RUNS_KEPT = 8,
    WORK_MOST = 300000,        /* Z3's resource units for one question, */
    WORK_OF_SCHEDULE = 300000, /* and for one schedule */
    WORK_OF_OUTCOMES = 100000, /* of this for calls that come out otherwise, in one run */
    ASKED_MOST = 64,           /* questions for one schedule */
    REFUSED_MOST = 3,  /* after so many runs in which there was no order for a candidate, it is not asked about again */
    LONG = 32,         /* runs with so many times more points are not looked at */
    NOW_AND_THEN = 16, /* one turn in so many is for a random run */
};

struct pcr_known {        /* a run, and what is left of its candidates */
    struct window window; /* the part of it that is asked about */
    pcr_turns turns;
    pcr_candidates candidates;
    uint64_t number; /* in the order in which they were seen */
    bool tried;      /* all calls that could come out otherwise were asked about */
};

struct pcr_counts {
    uint64_t read, in_part; /* runs; of these, a window of */
    uint64_t candidates;
    struct pcr_drops drops;
    uint64_t impossible, unknown, schedules, repeated, exposed, not_followed;
};

struct choice {
    struct pcr_known *known;
    struct pcr_candidate candidate;
    uint64_t number;
    enum pcr_news news;
};
typedef VECTOR(struct choice) choice_list;

struct pcr {
    struct technique_setup setup;
    struct prover prover;
    struct pcr_values values;
    struct table tried;   /* keys of candidates → enum pcr_tried */
    struct table refused; /* keys of candidates → how often there was no order */
    struct table ran;     /* hashes of schedules */
    struct pcr_known known[RUNS_KEPT];
    struct pcr_known *read; /* what the prover was given last */
    struct table outcomes;  /* calls that come out otherwise → 1, once they were asked about */
    struct changes changes;
    choice_list choices; /* of the schedule that is planned */
    struct answer answer, cut;
    unsigned filter;
    uint64_t seen, turns; /* runs; own */
    struct pcr_counts counts;
};

struct pcr_run {
    struct instance target;
    uint64_t shown; /* runs that had shown it before */
    bool planned, has_target;
};

static struct pcr_source source_of(const struct pcr *pcr, const struct pcr_known *known, const struct rules *rules)
{
    return (struct pcr_source){rules, &pcr->values, &known->turns, &pcr->tried, pcr->setup.coverage, pcr->filter};
}

/* ---- runs that were seen ------------------------------------------------------------------------------------------- */

static void read_known(struct pcr *pcr, struct pcr_known *known)
{
    if (pcr->read != known)
        prover_read_window(&pcr->prover, &known->window);
    pcr->read = known;
}

/* The one with the fewest candidates, of these the oldest. */
static struct pcr_known *make_room(struct pcr *pcr)
{
    struct pcr_known *least = &pcr->known[0];
    for (size_t i = 1; i < RUNS_KEPT; i++) {
        struct pcr_known *other = &pcr->known[i];
        if (other->candidates.count < least->candidates.count ||
            (other->candidates.count == least->candidates.count && other->number < least->number))
            least = other;
    }
    return least;
}

static bool is_whole(const struct execution *execution)
{
    return execution->left_out == 0 && !execution->lost_events && !execution->begins_late;
}

/* Windows overlap by half; which one it is depends on the run's number alone. */
static void take_window(struct pcr *pcr, struct pcr_known *known, const struct execution *execution)
{
    uint32_t count = execution_count(execution), half = WINDOW / 2, from = 0, to = count;
    if (count > EVENTS_MOST) {
        uint32_t windows = (count - WINDOW + half - 1) / half + 1;
        from = (uint32_t)(hash_combine(pcr->seen, count) % windows) * half;
        to = count - from < WINDOW ? count : from + WINDOW;
    }
    window_make(&known->window, execution, from, to);
}

/* As often as the task was there in the whole run. */
static void count_turns(struct pcr_known *known, const struct execution *execution)
{
    pcr_turns all = {0};
    pcr_turns_make(&all, execution);
    vector_clear(&known->turns);
    for (size_t i = 0; i < known->window.original.count; i++)
        vector_push(&known->turns, all.data[known->window.original.data[i]]);
    vector_free(&all);
}

/* Runs of other techniques are worth it if they found something new. */
static void learn_run(struct pcr *pcr, const struct execution *execution, bool own)
{
    struct pcr_known *room = make_room(pcr);
    pcr->read = NULL;
    room->number = ++pcr->seen;
    take_window(pcr, room, execution);
    vector_clear(&room->candidates);
    room->tried = false;
    read_known(pcr, room);
    count_turns(room, execution);
    uint32_t news = pcr_values_observe(&pcr->values, &pcr->prover.rules, &room->turns);
    if (!own && news == 0)
        return;
    struct pcr_source source = source_of(pcr, room, &pcr->prover.rules);
    pcr->counts.read++;
    pcr->counts.in_part += execution_count(execution) > EVENTS_MOST;
    pcr_candidates_make(&source, &room->candidates, &pcr->counts.drops);
    pcr->counts.candidates += room->candidates.count;
}

static bool observe_run(void *state, const struct technique_run *run, const struct technique_seen *seen)
{
    struct pcr *pcr = state;
    const struct pcr_run *own = run != NULL ? run->own : NULL;
    if (own != NULL && own->planned)
        pcr->counts.not_followed += seen->copy->result.left != LEFT_NOT;
    if (!seen->observed || !is_whole(seen->execution))
        return false;
    if (own != NULL && own->has_target) {
        size_t number = coverage_find(pcr->setup.coverage, &own->target);
        pcr->counts.exposed += number != SIZE_MAX && coverage_seen(pcr->setup.coverage, number) > own->shown;
    }
    learn_run(pcr, seen->execution, run != NULL);
    return false;
}

/* ---- choosing ------------------------------------------------------------------------------------------------------ */

/* The best first. */
static int compare_choices(const void *left, const void *right)
{
    const struct choice *a = left, *b = right;
    if (a->candidate.far != b->candidate.far)
        return a->candidate.far ? 1 : -1;
    if (a->news != b->news)
        return a->news > b->news ? -1 : 1;
    if (a->known->number != b->known->number)
        return a->known->number > b->known->number ? -1 : 1;
    if (a->candidate.count != b->candidate.count)
        return a->candidate.count > b->candidate.count ? -1 : 1;
    if (a->candidate.distance != b->candidate.distance)
        return a->candidate.distance < b->candidate.distance ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Drops what has been covered in the meantime, and adds the others. */
static void look_through(struct pcr *pcr, struct pcr_known *known)
{
    struct rules rules = {.execution = &known->window.execution}; /* sites are all that is asked of it */
    struct pcr_source source = source_of(pcr, known, &rules);
    size_t kept = 0;
    for (size_t i = 0; i < known->candidates.count; i++) {
        struct pcr_candidate candidate = known->candidates.data[i];
        if (candidate.count == 0)
            continue;
        if ((pcr->filter >> PCR_COVERED & 1) && pcr_candidate_is_covered(&source, &candidate)) {
            pcr->counts.drops.dropped[PCR_COVERED]++;
            continue;
        }
        known->candidates.data[kept++] = candidate;
        vector_push(&pcr->choices,
                    ((struct choice){known, candidate, kept - 1, pcr_candidate_news(&source, &candidate)}));
    }
    known->candidates.count = kept;
}

static void make_choices(struct pcr *pcr)
{
    vector_clear(&pcr->choices);
    for (size_t i = 0; i < RUNS_KEPT; i++)
        look_through(pcr, &pcr->known[i]);
    if (pcr->choices.count > 0)
        qsort(pcr->choices.data, pcr->choices.count, sizeof *pcr->choices.data, compare_choices);
}

/* It was asked about: drops it. */
static void drop(const struct choice *choice)
{
    assert(choice->number < choice->known->candidates.count);
    choice->known->candidates.data[choice->number].count = 0;
}

/* ---- asking -------------------------------------------------------------------------------------------------------- */

static uint64_t hash_of(const goal_steps *steps)
{
    return hash_bytes(steps->data, steps->count * sizeof *steps->data, 0);
}

/* Up to the last step that finds something new: its task goes on from there.  If a write is to follow, its task is just before it.
   False: there is no such step. */
static bool cut_order(struct pcr *pcr, const struct pcr_source *source, const struct pcr_candidate *candidate)
{
    size_t where;
    unsigned step = candidate->count;
    while (step > 0 && pcr_step_news(source, candidate, step - 1) == NEWS_NONE)
        step--;
    if (step == 0)
        return false;
    uint32_t event = candidate->events[step - 1], next = step < candidate->count ? candidate->events[step] : EVENT_NONE;
    if (next != EVENT_NONE && !candidate->alone) {
        answer_copy_order(&pcr->cut, &pcr->answer);
        answer_cut(&pcr->cut, next, event);
        if (order_is_possible(source->rules, &pcr->cut.order, EVENT_NONE, &where)) {
            answer_copy_order(&pcr->answer, &pcr->cut);
            return true;
        }
    }
    answer_cut(&pcr->answer, event, event);
    return true;
}

static bool pattern_question(const struct pcr_source *source, const struct pcr_candidate *candidate,
                             struct question *question)
{
    struct pattern pattern;
    struct tuple tuple;
    memcpy(tuple.events, candidate->events, sizeof tuple.events);
    pcr_candidate_pattern(source, candidate, &pattern);
    return tuple_question(source->rules->execution, &pattern, &tuple, question);
}

/* The first step finds what was there before the second one, whose task is about to take the lock. */
static bool read_question(const struct pcr_source *source, const struct pcr_candidate *candidate,
                          struct question *question)
{
    if (candidate->brink != EVENT_NONE)
        question_order(question, &(struct question_order){.first = candidate->brink, .second = candidate->events[0]});
    question->changed = candidate->events[0];
    question->change = CHANGE_VALUE;
    if (pcr_value_is_beginning(source->rules, candidate->events[1], candidate->locations[0]))
        question->change = CHANGE_BEGINNING;
    else
        return pcr_value_exactly_before(source->rules, candidate->events[1], candidate->locations[0], &question->value);
    return true;
}

static bool is_possible(struct pcr *pcr, const struct pcr_source *source, const struct pcr_candidate *candidate)
{
    struct question *question = &pcr->prover.question;
    question_clear(question);
    if (!(candidate->alone ? read_question : pattern_question)(source, candidate, question))
        return false;
    prover_ask(&pcr->prover, question, &pcr->answer);
    pcr->counts.impossible += pcr->answer.kind == ANSWER_IMPOSSIBLE;
    pcr->counts.unknown += pcr->answer.kind == ANSWER_UNKNOWN;
    return pcr->answer.kind == ANSWER_FOUND;
}

/* An order in which the candidate happens, as the steps of a schedule that was not run yet. */
static bool find_steps(struct pcr *pcr, const struct pcr_known *known, const struct pcr_source *source,
                       const struct pcr_candidate *candidate, goal_steps *steps)
{
    uint64_t key = pcr_candidate_key(source, candidate), *refused = table_put(&pcr->refused, key);
    if (*refused >= REFUSED_MOST)
        return false;
    if (!is_possible(pcr, source, candidate)) {
        ++*refused;
        return false;
    }
    uint64_t *tried = table_put(&pcr->tried, key);
    bool cut = *tried == 0 && cut_order(pcr, source, candidate);
    *tried = cut ? PCR_TRIED_CUT : PCR_TRIED;
    window_write_steps(&known->window, source->rules, &pcr->answer, steps);
    uint64_t *ran = table_put(&pcr->ran, hash_of(steps));
    pcr->counts.repeated += *ran > 0;
    return steps->count <= WIRE_STEPS && (*ran)++ == 0;
}

static void note_target(const struct pcr *pcr, const struct pcr_source *source, const struct pcr_candidate *candidate,
                        struct pcr_run *own)
{
    own->planned = true;
    own->has_target = pcr_candidate_instance(source, candidate, &own->target);
    size_t number = own->has_target ? coverage_find(pcr->setup.coverage, &own->target) : SIZE_MAX;
    own->shown = number != SIZE_MAX ? coverage_seen(pcr->setup.coverage, number) : 0;
}

/* False: there is nothing left, or it takes too much work to find it. */
static bool plan_order(struct pcr *pcr, struct technique_run *run)
{
    uint64_t work = pcr->prover.counts.work;
    make_choices(pcr);
    for (size_t i = 0; i < pcr->choices.count && i < ASKED_MOST; i++) {
        const struct choice *choice = &pcr->choices.data[i];
        if (pcr->prover.counts.work - work > WORK_OF_SCHEDULE || stop_requested())
            break;
        read_known(pcr, choice->known);
        struct pcr_source source = source_of(pcr, choice->known, &pcr->prover.rules);
        if (!find_steps(pcr, choice->known, &source, &choice->candidate, &run->steps)) {
            drop(choice);
            continue;
        }
        note_target(pcr, &source, &choice->candidate, run->own);
        return true;
    }
    return false;
}

/* A call that tries, or has a time limit, gets what it did not get, or does not get it: what follows then, no order of reads shows. */
static bool is_outcome(const struct pcr *pcr, const struct change *change)
{
    return (change->kind == CHANGE_FINDS_NONE || change->kind == CHANGE_GETS) &&
           change->event >= pcr->prover.rules.done;
}

static bool ask_outcome(struct pcr *pcr, const struct pcr_known *known, const struct change *change, goal_steps *steps)
{
    uint64_t history = change_history(&pcr->prover.rules, change->event, change);
    uint64_t *asked = table_put(&pcr->outcomes, hash_combine(known->turns.data[change->event], history));
    if (!is_outcome(pcr, change) || (*asked)++ > 0)
        return false;
    struct question *question = &pcr->prover.question;
    question_clear(question);
    question->changed = change->event;
    question->change = change->kind;
    prover_ask(&pcr->prover, question, &pcr->answer);
    pcr->counts.impossible += pcr->answer.kind == ANSWER_IMPOSSIBLE;
    pcr->counts.unknown += pcr->answer.kind == ANSWER_UNKNOWN;
    if (pcr->answer.kind != ANSWER_FOUND)
        return false;
    window_write_steps(&known->window, &pcr->prover.rules, &pcr->answer, steps);
    return steps->count <= WIRE_STEPS;
}

static bool plan_outcome_of(struct pcr *pcr, struct pcr_known *known, struct technique_run *run)
{
    read_known(pcr, known);
    changes_find(&pcr->prover.rules, &pcr->changes);
    uint64_t work = pcr->prover.counts.work, asked = pcr->prover.counts.asked;
    for (size_t i = 0; i < pcr->changes.all.count; i++) {
        if (pcr->prover.counts.work - work > WORK_OF_OUTCOMES || pcr->prover.counts.asked - asked > ASKED_MOST ||
            stop_requested())
            return false; /* it goes on with the next schedule */
        if (ask_outcome(pcr, known, &pcr->changes.all.data[i], &run->steps))
            return true;
    }
    known->tried = true;
    return false;
}

/* False: there is nothing left. */
static bool plan_outcome(struct pcr *pcr, struct technique_run *run)
{
    for (size_t i = 0; i < RUNS_KEPT; i++)
        if (pcr->known[i].number > 0 && !pcr->known[i].tried && plan_outcome_of(pcr, &pcr->known[i], run)) {
            struct pcr_run *own = run->own;
            own->planned = true;
            return true;
        }
    return false;
}

static void plan_run(void *state, struct technique_run *run)
{
    struct pcr *pcr = state;
    technique_plan_profile(run);
    run->observe = run->plan->expected_points <= EVENTS_MOST * LONG;
    if (run->number == 1) /* else the accesses of the first task to each location are missing */
        run->plan->flags |= PLAN_ALL_VISIBLE;
    bool at_random = ++pcr->turns % NOW_AND_THEN == 0;
    if (run->number == 1 || at_random || (!plan_order(pcr, run) && !plan_outcome(pcr, run))) {
        vector_clear(&run->steps);
        return;
    }
    pcr->counts.schedules++;
    run->plan->strategy = STRATEGY_ROUNDROBIN; /* the task that did the last step goes on */
    run->plan->seed = roundrobin_seed(run->plan->seed, 0);
    run->plan->flags |= PLAN_BEST_EFFORT;
    run->plan->plan_step_count = (uint32_t)run->steps.count;
    run->aimed = true;
}

/* ---- the technique ------------------------------------------------------------------------------------------------- */

static void *open_pcr(const struct technique_setup *setup, struct error *error)
{
    struct pcr *pcr = memory_allocate(1, sizeof *pcr);
    pcr->setup = *setup;
    if (!pcr_rules_without(setup->pcr_without, &pcr->filter, error)) {
        free(pcr);
        return NULL;
    }
    if (!solver_available()) {
        error_set(error, EXIT_USAGE, "--strategy pcr: %s", solver_missing);
        free(pcr);
        return NULL;
    }
    prover_open(&pcr->prover, &(struct solver_limits){.events = EVENTS_MOST, .work = WORK_MOST});
    return pcr;
}

static void close_pcr(void *state)
{
    struct pcr *pcr = state;
    for (size_t i = 0; i < RUNS_KEPT; i++) {
        window_free(&pcr->known[i].window);
        vector_free(&pcr->known[i].turns);
        vector_free(&pcr->known[i].candidates);
    }
    vector_free(&pcr->choices);
    answer_free(&pcr->answer);
    answer_free(&pcr->cut);
    pcr_values_free(&pcr->values);
    table_free(&pcr->tried);
    table_free(&pcr->refused);
    table_free(&pcr->ran);
    table_free(&pcr->outcomes);
    changes_free(&pcr->changes);
    prover_close(&pcr->prover);
    free(pcr);
}

static const char *const counters[] = {"runs",         "in_part",   "looked_at",     "not_defined",  "covered",
                                       "out_of_order", "old_state", "interrupted",   "exchange",     "candidates",
                                       "asked",        "by_cycle",  "by_reordering", "impossible",   "unknown",
                                       "repeated",     "schedules", "exposed",       "not_followed", NULL};
enum { COUNTERS = sizeof counters / sizeof *counters - 1 };

static void count(const void *state, uint64_t *values)
{
    static const struct pcr nothing;
    const struct pcr *pcr = state != NULL ? state : &nothing;
    const struct pcr_counts *counts = &pcr->counts;
    const uint64_t *dropped = counts->drops.dropped;
    const uint64_t all[] = {counts->read,
                            counts->in_part,
                            counts->drops.looked_at,
                            dropped[PCR_DEFINED],
                            dropped[PCR_COVERED],
                            dropped[PCR_ORDER],
                            dropped[PCR_STATE],
                            dropped[PCR_INTERRUPTED],
                            dropped[PCR_EXCHANGE],
                            counts->candidates,
                            pcr->prover.counts.asked,
                            pcr->prover.counts.by_cycle,
                            pcr->prover.counts.by_reordering,
                            counts->impossible,
                            counts->unknown,
                            counts->repeated,
                            counts->schedules,
                            counts->exposed,
                            counts->not_followed};
    _Static_assert(sizeof all / sizeof *all == COUNTERS, "a value for each counter");
    memcpy(values, all, sizeof all);
}

static void summarise(const void *state, struct buffer *out)
{
    const struct pcr *pcr = state;
    const struct pcr_counts *counts = &pcr->counts;
    if (counts->schedules == 0)
        return;
    buffer_printf(out,
                  "%" PRIu64 " schedule%s from the solver, of %" PRIu64 " question%s: %" PRIu64 " showed their pattern",
                  counts->schedules, text_plural(counts->schedules), pcr->prover.counts.asked,
                  text_plural(pcr->prover.counts.asked), counts->exposed);
    if (counts->not_followed > 0)
        buffer_printf(out, "; %" PRIu64 " could not be followed", counts->not_followed);
    if (counts->in_part > 0)
        buffer_printf(out, "; of %" PRIu64 " run%s a window of %d events only, since they are long", counts->in_part,
                      text_plural(counts->in_part), WINDOW);
}

const struct technique technique_pcr = {
    .name = "pcr",
    .help = "orders of known runs in which a read finds something new or a map happens, from a solver",
    .flags = TECHNIQUE_COVERAGE,
    .families = "map",
    .strategy = STRATEGY_PCTLARGE,
    .run_size = sizeof(struct pcr_run),
    .counters = counters,
    .open = open_pcr,
    .plan = plan_run,
    .observe = observe_run,
    .counts = count,
    .summary = summarise,
    .close = close_pcr,
};
