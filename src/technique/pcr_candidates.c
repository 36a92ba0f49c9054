/* SPDX-License-Identifier: MIT
 *
 * pcr_candidates.c - see pcr_candidates.h.
 */
#include "technique/pcr_candidates.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "pattern/family.h"
#include "technique/pcr_order.h"
#include "util/hash.h"

enum {
    LOOKED_MOST = 40000, /* in one execution, for each number of steps */
    KEPT_MOST = 4096,    /* of one execution */
    ALIKE_MOST = 3,
    PIECES_MOST = 4, /* of an event */
    REACH = 4,       /* the second access of a task to a variable is at most so many after the first */
    NEAR = 16,       /* accesses before a step, of its task, of which one can be the step before */
};

const char *const pcr_rule_names[PCR_RULE_COUNT] = {
#define X(name, word) word,
    PCR_RULES(X)
#undef X
};

bool pcr_rules_without(const char *names, unsigned *rules, struct error *error)
{
    *rules = (1u << PCR_RULE_COUNT) - 1;
    for (const char *name = names; name != NULL; name += strcspn(name, ",")) {
        name += *name == ',';
        size_t length = strcspn(name, ",");
        unsigned rule = 0;
        while (rule < PCR_RULE_COUNT &&
               (strlen(pcr_rule_names[rule]) != length || strncmp(pcr_rule_names[rule], name, length) != 0))
            rule++;
        if (rule == PCR_RULE_COUNT)
            return error_set(
                error, EXIT_USAGE,
                "--pcr-without: '%.*s' is none of defined, covered, order, state, interrupted and exchange",
                (int)length, name);
        *rules &= ~(1u << rule);
        if (name[length] == '\0')
            return true;
    }
    return true;
}

/* ---- forms --------------------------------------------------------------------------------------------------------- */

static const struct {
    uint8_t count, thread[PATTERN_STEPS], variable[PATTERN_STEPS];
} forms[FORM_COUNT] = {
    [FORM_AB] = {2, {0, 1}, {0, 0}},
    [FORM_ABA] = {3, {0, 1, 0}, {0, 0, 0}},
    [FORM_XXYY] = {4, {0, 1, 1, 0}, {0, 0, 1, 1}},
    [FORM_XYXY] = {4, {0, 1, 1, 0}, {0, 1, 0, 1}},
    [FORM_XYYX] = {4, {0, 1, 0, 1}, {0, 1, 1, 0}},
};

static bool has_form(const struct pattern *shape, unsigned form, uint8_t writes)
{
    bool same = shape->count == forms[form].count;
    for (unsigned i = 0; same && i < shape->count; i++)
        same = shape->steps[i].thread == forms[form].thread[i] && shape->steps[i].variable == forms[form].variable[i] &&
               shape->steps[i].group == i && shape->steps[i].kind == (writes >> i & 1 ? ACCESS_WRITE : ACCESS_READ);
    return same;
}

/* The row of the family map. */
static uint8_t row_of(unsigned form, uint8_t writes)
{
    for (unsigned row = 0; row < family_count; row++)
        if ((families[row].flags & FAMILY_ESTIMATED) && has_form(family_shape(row), form, writes))
            return (uint8_t)row;
    return NOT_DEFINED;
}

static int step_before_on_variable(const struct pcr_candidate *candidate, unsigned step)
{
    int before = (int)step - 1;
    while (before >= 0 && forms[candidate->form].variable[before] != forms[candidate->form].variable[step])
        before--;
    return before;
}

static bool writes(const struct pcr_candidate *candidate, unsigned step)
{
    return candidate->writes >> step & 1;
}

static uint32_t location_of(const struct pcr_candidate *candidate, unsigned step)
{
    return candidate->locations[forms[candidate->form].variable[step]];
}

/* ---- what it is ---------------------------------------------------------------------------------------------------- */

bool pcr_candidate_instance(const struct pcr_source *source, const struct pcr_candidate *candidate,
                            struct instance *instance)
{
    uint8_t order[PATTERN_STEPS];
    if (candidate->row == NOT_DEFINED)
        return false;
    *instance = (struct instance){.row = candidate->row};
    for (unsigned i = 0; i < candidate->count; i++) {
        instance->site[i] = execution_event(source->rules->execution, candidate->events[i])->site;
        instance->kind[i] = writes(candidate, i) ? ACCESS_WRITE : ACCESS_READ;
    }
    instance_canonical(instance, order);
    return true;
}

void pcr_candidate_pattern(const struct pcr_source *source, const struct pcr_candidate *candidate,
                           struct pattern *pattern)
{
    *pattern = (struct pattern){.count = candidate->count};
    if (candidate->row != NOT_DEFINED)
        *pattern = *family_shape(candidate->row);
    for (unsigned i = 0; i < candidate->count; i++) {
        struct pattern_step *step = &pattern->steps[i];
        step->site = execution_event(source->rules->execution, candidate->events[i])->site;
        if (candidate->row != NOT_DEFINED)
            continue;
        step->thread = forms[candidate->form].thread[i];
        step->variable = forms[candidate->form].variable[i];
        step->kind = writes(candidate, i) ? ACCESS_WRITE : ACCESS_READ;
        step->group = (uint8_t)i;
        step->relation = step_before_on_variable(candidate, i) >= 0 ? RELATION_IMMEDIATE : RELATION_BEFORE;
    }
}

uint64_t pcr_candidate_key(const struct pcr_source *source, const struct pcr_candidate *candidate)
{
    uint64_t key = hash_combine(candidate->form, candidate->writes);
    for (unsigned i = 0; i < candidate->count; i++) {
        const struct event *event = execution_event(source->rules->execution, candidate->events[i]);
        key = hash_combine(hash_combine(key, event->site), source->turns->data[candidate->events[i]]);
        key = hash_combine(key, candidate->finds[i]);
    }
    return key;
}

enum pcr_news pcr_step_news(const struct pcr_source *source, const struct pcr_candidate *candidate, unsigned step)
{
    uint32_t event = candidate->events[step];
    if (writes(candidate, step))
        return NEWS_NONE;
    return pcr_values_news(source->values, source->rules->execution, event, source->turns->data[event],
                           candidate->finds[step]);
}

enum pcr_news pcr_candidate_news(const struct pcr_source *source, const struct pcr_candidate *candidate)
{
    enum pcr_news best = NEWS_NONE;
    for (unsigned i = 0; i < candidate->count; i++) {
        enum pcr_news news = pcr_step_news(source, candidate, i);
        best = news > best ? news : best;
    }
    return best;
}

/* What the step would find, as the steps before and after it on its variable are to come. */
static uint64_t find(const struct pcr_source *source, const struct pcr_candidate *candidate, unsigned step)
{
    int before = step_before_on_variable(candidate, step);
    uint32_t location = location_of(candidate, step), event = candidate->events[step];
    if (before >= 0)
        return pcr_value_written(source->rules, candidate->events[before], location);
    unsigned after = step + 1;
    while (step_before_on_variable(candidate, after) != (int)step)
        after++;
    return pcr_value_before(source->rules, event, candidate->events[after], location);
}

/* ---- rules --------------------------------------------------------------------------------------------------------- */

bool pcr_candidate_is_covered(const struct pcr_source *source, const struct pcr_candidate *candidate)
{
    struct instance instance;
    const uint64_t *tried = table_get(source->tried, pcr_candidate_key(source, candidate));
    if (tried != NULL && *tried == PCR_TRIED)
        return true;
    if (source->coverage == NULL || pcr_candidate_news(source, candidate) != NEWS_NONE ||
        !pcr_candidate_instance(source, candidate, &instance))
        return false;
    size_t number = coverage_find(source->coverage, &instance);
    return number != SIZE_MAX && coverage_seen(source->coverage, number) > 0;
}

/* ---- the execution ------------------------------------------------------------------------------------------------- */

struct use { /* of a location */
    uint32_t location, event;
    uint16_t task;
    bool writes;
    uint32_t number;   /* among the uses of the location by its task */
    uint32_t variable; /* the location's number among those that are shared */
};
typedef VECTOR(struct use) use_list;

struct maker {
    const struct pcr_source *source;
    pcr_candidates *candidates;
    struct pcr_drops *drops;
    use_list uses;    /* of shared locations, by location, task and event */
    event_list first; /* by variable: its part of uses; with one more at the end */
    use_list by_task; /* the same by task and event */
    event_list at;    /* by event: the first in by_task that is not before it */
    struct pcr_order order;
    uint8_t rows[FORM_COUNT][1 << PATTERN_STEPS];
    struct table alike;    /* key → how many are kept */
    uint64_t looked, most; /* at candidates of a variable */
    bool cut;
};

static const struct execution *execution_of(const struct maker *maker)
{
    return maker->source->rules->execution;
}

static uint16_t task_of(const struct maker *maker, uint32_t event)
{
    return execution_event(execution_of(maker), event)->task;
}

static int compare_uses(const void *left, const void *right)
{
    const struct use *a = left, *b = right;
    if (a->location != b->location)
        return a->location < b->location ? -1 : 1;
    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
    if (a->event != b->event)
        return a->event < b->event ? -1 : 1;
    return (int)a->writes - (int)b->writes;
}

static void gather_uses(struct maker *maker)
{
    const struct rules *rules = maker->source->rules;
    uint32_t count;
    for (uint32_t event = rules->done; event < execution_count(rules->execution); event++) {
        const struct rule_event *own = rules_event(rules, event);
        const struct execution_piece *pieces = execution_pieces(rules->execution, event, &count);
        for (uint32_t i = 0; i < count && i < PIECES_MOST; i++)
            for (int writing = 0; writing < 2; writing++)
                if (writing ? own->writes : own->reads)
                    vector_push(&maker->uses, ((struct use){.location = pieces[i].location,
                                                            .event = event,
                                                            .task = task_of(maker, event),
                                                            .writes = writing}));
    }
    if (maker->uses.count > 0)
        qsort(maker->uses.data, maker->uses.count, sizeof *maker->uses.data, compare_uses);
}

static bool is_shared(const struct use *from, const struct use *to)
{
    bool written = false;
    for (const struct use *use = from; use < to; use++)
        written |= use->writes;
    return written && from->task != to[-1].task;
}

/* Drops the uses of locations that are not shared, and numbers the others. */
static void keep_shared(struct maker *maker)
{
    size_t kept = 0;
    struct use *all = maker->uses.data;
    for (size_t from = 0, to; from < maker->uses.count; from = to) {
        for (to = from; to < maker->uses.count && all[to].location == all[from].location;)
            to++;
        if (!is_shared(all + from, all + to))
            continue;
        vector_push(&maker->first, (uint32_t)kept);
        for (size_t i = from; i < to; i++) {
            bool goes_on = i > from && all[i].task == all[i - 1].task;
            struct use use = all[i];
            use.variable = (uint32_t)maker->first.count - 1;
            use.number = goes_on ? all[kept - 1].number + (use.event != all[kept - 1].event) : 0;
            all[kept++] = use;
        }
    }
    maker->uses.count = kept;
    vector_push(&maker->first, (uint32_t)kept);
}

static int compare_by_task(const void *left, const void *right)
{
    const struct use *a = left, *b = right;
    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
    if (a->event != b->event)
        return a->event < b->event ? -1 : 1;
    return compare_uses(left, right);
}

static void sort_by_task(struct maker *maker)
{
    for (size_t i = 0; i < maker->uses.count; i++)
        vector_push(&maker->by_task, maker->uses.data[i]);
    if (maker->by_task.count > 0)
        qsort(maker->by_task.data, maker->by_task.count, sizeof *maker->by_task.data, compare_by_task);
    for (uint32_t i = 0; i < execution_count(execution_of(maker)); i++)
        vector_push(&maker->at, EVENT_NONE);
    for (size_t i = maker->by_task.count; i-- > 0;)
        maker->at.data[maker->by_task.data[i].event] = (uint32_t)i;
}

/* ---- one candidate ------------------------------------------------------------------------------------------------- */

static bool breaks_order(const struct maker *maker, enum pcr_certainty certainty, const struct pcr_candidate *candidate)
{
    for (unsigned i = 0; i < candidate->count; i++)
        for (unsigned k = i + 1; k < candidate->count; k++)
            if (pcr_order_precedes(&maker->order, certainty, candidate->events[k], candidate->events[i]))
                return true;
    return false;
}

static bool finds_other(const struct maker *maker, const struct pcr_candidate *candidate, unsigned step)
{
    return !writes(candidate, step) &&
           candidate->finds[step] !=
               pcr_value_read(maker->source->rules, candidate->events[step], location_of(candidate, step));
}

static bool changes_state(const struct maker *maker, const struct pcr_candidate *candidate)
{
    for (unsigned i = 0; i < candidate->count; i++) {
        int before = step_before_on_variable(candidate, i);
        bool both_write = before >= 0 && writes(candidate, i) && writes(candidate, (unsigned)before);
        if (finds_other(maker, candidate, i) || (both_write && candidate->events[before] > candidate->events[i]))
            return true;
    }
    return false;
}

static bool is_interrupted(const struct pcr_candidate *candidate, const struct use *const uses[])
{
    return candidate->form == FORM_ABA && uses[2]->number > uses[0]->number + 1;
}

/* Nothing has another value, on both variables. */
static bool exchanges_same(const struct maker *maker, const struct pcr_candidate *candidate)
{
    const struct rules *rules = maker->source->rules;
    for (unsigned i = 0; i < candidate->count; i++) {
        int before = step_before_on_variable(candidate, i);
        uint32_t location = location_of(candidate, i);
        if (finds_other(maker, candidate, i))
            return false;
        if (before >= 0 && writes(candidate, i) && writes(candidate, (unsigned)before) &&
            pcr_value_written(rules, candidate->events[before], location) !=
                pcr_value_written(rules, candidate->events[i], location))
            return false;
    }
    return candidate->count == PATTERN_STEPS;
}

/* A step finds something else while its task holds a lock, and whether it gives it back is not known; another one takes it later. */
static bool waits_for_lock(const struct maker *maker, const struct pcr_candidate *candidate, unsigned step)
{
    for (unsigned later = step + 1; later < candidate->count; later++)
        if (task_of(maker, candidate->events[later]) != task_of(maker, candidate->events[step]) &&
            pcr_order_are_together(&maker->order, candidate->events[step], candidate->events[step],
                                   candidate->events[later]))
            return true;
    return false;
}

/* A step between two others of another task, which are in a critical section. */
static bool breaks_lock(const struct maker *maker, const struct pcr_candidate *candidate)
{
    const uint8_t *thread = forms[candidate->form].thread;
    for (unsigned i = 0; i < candidate->count; i++)
        if (finds_other(maker, candidate, i) && waits_for_lock(maker, candidate, i))
            return true;
    for (unsigned i = 0; i < candidate->count; i++)
        for (unsigned k = i + 2; k < candidate->count; k++)
            for (unsigned between = i + 1; thread[i] == thread[k] && between < k; between++)
                if (thread[between] != thread[i] &&
                    pcr_order_are_together(&maker->order, candidate->events[i], candidate->events[k],
                                           candidate->events[between]))
                    return true;
    return false;
}

/* A use of the variable by the same task that comes between in any case, since a critical section holds it together with `use`. */
static bool is_hidden_by_lock(const struct maker *maker, const struct use *use, const struct use *other, int direction)
{
    const struct use *begin = maker->uses.data + maker->first.data[use->variable];
    const struct use *end = maker->uses.data + maker->first.data[use->variable + 1];
    bool both_write = use->writes && other->writes;
    for (const struct use *next = use + direction; next >= begin && next < end && next->task == use->task;
         next += direction)
        if (next->event != use->event && (next->writes || both_write))
            return pcr_order_are_together(&maker->order, use->event, next->event, other->event);
    return false;
}

/* The event must come after one of the steps from `from` on, and before one of those up to `to`. */
static bool is_between(const struct maker *maker, enum pcr_certainty certainty, const struct pcr_candidate *candidate,
                       uint32_t event, unsigned from, unsigned to)
{
    bool after = false, before = false;
    for (unsigned i = from; i < candidate->count; i++)
        after |= pcr_order_precedes(&maker->order, certainty, candidate->events[i], event);
    for (unsigned i = 0; i <= to; i++)
        before |= pcr_order_precedes(&maker->order, certainty, event, candidate->events[i]);
    return after && before;
}

static bool is_hidden(const struct maker *maker, enum pcr_certainty certainty, const struct pcr_candidate *candidate,
                      const struct use *const uses[], unsigned from, unsigned to)
{
    const struct use *begin = maker->uses.data + maker->first.data[uses[from]->variable];
    const struct use *end = maker->uses.data + maker->first.data[uses[from]->variable + 1];
    bool both_write = uses[from]->writes && uses[to]->writes;
    for (const struct use *use = begin; use < end; use++)
        if (use->event != uses[from]->event && use->event != uses[to]->event && (use->writes || both_write) &&
            is_between(maker, certainty, candidate, use->event, from, to))
            return true;
    return is_hidden_by_lock(maker, uses[from], uses[to], 1) || is_hidden_by_lock(maker, uses[to], uses[from], -1);
}

static bool hides(const struct maker *maker, enum pcr_certainty certainty, const struct pcr_candidate *candidate,
                  const struct use *const uses[])
{
    for (unsigned i = 0; i < candidate->count; i++) {
        int before = step_before_on_variable(candidate, i);
        if (before >= 0 && uses[before]->task != uses[i]->task &&
            is_hidden(maker, certainty, candidate, uses, (unsigned)before, i))
            return true;
    }
    return false;
}

/* A read finds something else, and its task goes on to another step as if it had not. */
static bool breaks_value(const struct maker *maker, const struct pcr_candidate *candidate)
{
    const uint8_t *thread = forms[candidate->form].thread;
    for (unsigned i = 0; i < candidate->count; i++)
        for (unsigned k = i + 1; k < candidate->count; k++)
            if (thread[i] == thread[k] && finds_other(maker, candidate, i))
                return true;
    return false;
}

/* The first rule that leaves it out; PCR_RULE_COUNT: none. */
static enum pcr_rule judge(const struct maker *maker, const struct pcr_candidate *candidate,
                           const struct use *const uses[])
{
    unsigned filter = maker->source->filter;
    if ((filter >> PCR_DEFINED & 1) && candidate->row == NOT_DEFINED)
        return PCR_DEFINED;
    if ((filter >> PCR_COVERED & 1) && pcr_candidate_is_covered(maker->source, candidate))
        return PCR_COVERED;
    if ((filter >> PCR_ORDER & 1) && breaks_order(maker, PCR_CERTAIN, candidate))
        return PCR_ORDER;
    if ((filter >> PCR_STATE & 1) && !changes_state(maker, candidate))
        return PCR_STATE;
    if ((filter >> PCR_INTERRUPTED & 1) && is_interrupted(candidate, uses))
        return PCR_INTERRUPTED;
    if ((filter >> PCR_EXCHANGE & 1) && exchanges_same(maker, candidate))
        return PCR_EXCHANGE;
    return PCR_RULE_COUNT;
}

static uint32_t distance_of(const struct maker *maker, const struct pcr_candidate *candidate)
{
    uint32_t distance = 0;
    for (unsigned i = 0; i < candidate->count; i++)
        for (unsigned k = i + 1; k < candidate->count; k++) {
            uint32_t from = execution_of(maker)->place.data[candidate->events[i]];
            uint32_t to = execution_of(maker)->place.data[candidate->events[k]];
            if (forms[candidate->form].thread[i] == forms[candidate->form].thread[k])
                distance += from < to ? to - from : from - to;
        }
    return distance;
}

/* False: enough was looked at. */
static bool consider(struct maker *maker, enum pcr_form form, const struct use *const uses[])
{
    struct pcr_candidate candidate = {.form = (uint8_t)form, .count = forms[form].count};
    assert(candidate.count >= 2 && candidate.count <= PATTERN_STEPS);
    if (maker->looked == maker->most) {
        maker->cut = true;
        return false;
    }
    maker->looked++;
    maker->drops->looked_at++;
    for (unsigned i = 0; i < candidate.count; i++) {
        assert(uses[i] != NULL);
        candidate.events[i] = uses[i]->event;
        candidate.writes |= (uint8_t)(uses[i]->writes << i);
        candidate.locations[forms[form].variable[i]] = uses[i]->location;
    }
    candidate.row = maker->rows[form][candidate.writes];
    for (unsigned i = 0; i < candidate.count; i++)
        candidate.finds[i] = writes(&candidate, i) ? 0 : find(maker->source, &candidate, i);
    enum pcr_rule rule = judge(maker, &candidate, uses);
    if (rule != PCR_RULE_COUNT) {
        maker->drops->dropped[rule]++;
        return true;
    }
    candidate.alone = form == FORM_AB && breaks_lock(maker, &candidate);
    if (breaks_value(maker, &candidate) || (!candidate.alone && breaks_lock(maker, &candidate)) ||
        hides(maker, PCR_CERTAIN, &candidate, uses)) {
        maker->drops->impossible++;
        return true;
    }
    candidate.brink =
        candidate.alone ? pcr_order_brink(&maker->order, candidate.events[0], candidate.events[1]) : EVENT_NONE;
    candidate.far = breaks_order(maker, PCR_LIKELY, &candidate) || hides(maker, PCR_LIKELY, &candidate, uses);
    candidate.distance = distance_of(maker, &candidate);
    uint64_t *alike = table_put(&maker->alike, pcr_candidate_key(maker->source, &candidate));
    if (*alike < ALIKE_MOST && maker->candidates->count < KEPT_MOST) {
        vector_push(maker->candidates, candidate);
        ++*alike;
    }
    return true;
}

/* ---- all of them --------------------------------------------------------------------------------------------------- */

static bool conflict(const struct use *a, const struct use *b)
{
    return a->task != b->task && (a->writes || b->writes);
}

typedef bool pair_of_uses(struct maker *maker, const struct use *first, const struct use *second);

static bool consider_pair(struct maker *maker, const struct use *first, const struct use *second)
{
    return consider(maker, FORM_AB, (const struct use *[PATTERN_STEPS]){first, second});
}

/* The first with another task's between it and one of the next of its task. */
static bool consider_three(struct maker *maker, const struct use *first, const struct use *second)
{
    const struct use *end = maker->uses.data + maker->first.data[first->variable + 1];
    for (const struct use *last = first + 1; last < end && last->task == first->task && last - first <= REACH; last++)
        if (last->event != first->event && conflict(second, last) &&
            !consider(maker, FORM_ABA, (const struct use *[PATTERN_STEPS]){first, second, last}))
            return false;
    return true;
}

/* The uses of the variable by the task from the event on. */
static const struct use *uses_from(const struct maker *maker, uint32_t variable, uint16_t task, uint32_t event)
{
    size_t low = maker->first.data[variable], high = maker->first.data[variable + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct use *use = &maker->uses.data[middle];
        if (use->task < task || (use->task == task && use->event < event))
            low = middle + 1;
        else
            high = middle;
    }
    return maker->uses.data + low;
}

/* The nearest use of another one's variable, by a task, before or after an event, that conflicts with it; NULL: none. */
static const struct use *nearest(const struct maker *maker, const struct use *other, uint16_t task, uint32_t event,
                                 bool before)
{
    const struct use *begin = maker->uses.data + maker->first.data[other->variable];
    const struct use *end = maker->uses.data + maker->first.data[other->variable + 1];
    const struct use *use = uses_from(maker, other->variable, task, event) - before;
    for (int i = 0; i < REACH && use >= begin && use < end && use->task == task; i++, use += before ? -1 : 1)
        if (use->event != event && conflict(other, use))
            return use;
    return NULL;
}

/* y is accessed by b and then by a; before that a accesses x. */
static bool consider_four(struct maker *maker, const struct use *b_y, const struct use *a_y)
{
    const struct use *begin = maker->by_task.data, *a_x = begin + maker->at.data[a_y->event];
    for (int i = 0; i < NEAR && a_x > begin && a_x[-1].task == a_y->task; i++) {
        a_x--;
        if (a_x->variable == a_y->variable)
            continue;
        const struct use *b_x = nearest(maker, a_x, b_y->task, b_y->event, true);
        if (b_x != NULL && !consider(maker, FORM_XXYY, (const struct use *[PATTERN_STEPS]){a_x, b_x, b_y, a_y}))
            return false;
        b_x = nearest(maker, a_x, b_y->task, b_y->event, false);
        if (b_x != NULL && (!consider(maker, FORM_XYXY, (const struct use *[PATTERN_STEPS]){a_x, b_y, b_x, a_y}) ||
                            !consider(maker, FORM_XYYX, (const struct use *[PATTERN_STEPS]){a_x, b_y, a_y, b_x})))
            return false;
    }
    return true;
}

/* All pairs of each variable, in both orders. */
static void each_pair(struct maker *maker, pair_of_uses *each)
{
    size_t variables = maker->first.count - 1;
    for (size_t v = 0; v < variables; v++) {
        const struct use *begin = maker->uses.data + maker->first.data[v];
        const struct use *end = maker->uses.data + maker->first.data[v + 1];
        bool goes_on = true;
        maker->looked = 0;
        pcr_order_ask_about(&maker->order, begin->location);
        maker->most = LOOKED_MOST / variables + 1;
        for (const struct use *first = begin; first < end && goes_on; first++)
            for (const struct use *second = begin; second < end && goes_on; second++)
                goes_on = !conflict(first, second) || each(maker, first, second);
    }
}

static void fill_rows(struct maker *maker)
{
    for (unsigned form = 0; form < FORM_COUNT; form++)
        for (unsigned writing = 0; writing < 1u << PATTERN_STEPS; writing++)
            maker->rows[form][writing] = row_of(form, (uint8_t)writing);
}

void pcr_candidates_make(const struct pcr_source *source, pcr_candidates *candidates, struct pcr_drops *drops)
{
    struct maker maker = {.source = source, .candidates = candidates, .drops = drops};
    fill_rows(&maker);
    pcr_order_make(&maker.order, source->rules);
    gather_uses(&maker);
    keep_shared(&maker);
    sort_by_task(&maker);
    each_pair(&maker, consider_four);
    each_pair(&maker, consider_three);
    each_pair(&maker, consider_pair);
    drops->cut += maker.cut;
    vector_free(&maker.uses);
    vector_free(&maker.first);
    vector_free(&maker.by_task);
    vector_free(&maker.at);
    pcr_order_free(&maker.order);
    table_free(&maker.alike);
}
