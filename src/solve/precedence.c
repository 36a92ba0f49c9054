/* SPDX-License-Identifier: MIT
 *
 * precedence.c - see precedence.h.
 */
#include "solve/precedence.h"

#include "solve/scope.h"

enum { NO_EDGE = UINT32_MAX };

static uint16_t task_of(const struct precedence *precedence, uint32_t event)
{
    return execution_event(precedence->rules->execution, event)->task;
}

static uint32_t place_of(const struct precedence *precedence, uint32_t event)
{
    return precedence->rules->execution->place.data[event];
}

static uint32_t event_at(const struct precedence *precedence, uint32_t task, uint32_t place)
{
    return execution_event_at(precedence->rules->execution, (uint16_t)task, place);
}

static bool is_spent(const struct precedence *precedence)
{
    return precedence->impossible || precedence->work >= precedence->stop;
}

/* ---- clocks --------------------------------------------------------------------------------------------------------- */

/* `before` comes before `after`: so does all that comes before it. */
static void raise_clock(struct precedence *precedence, uint32_t before, uint32_t after)
{
    uint32_t *clock = precedence_clock(precedence, after), *other = precedence_clock(precedence, before);
    bool changed = false;
    for (uint32_t task = 0; task < precedence->tasks; task++) {
        uint32_t least = task == task_of(precedence, before) ? place_of(precedence, before) + 1 : other[task];
        changed |= clock[task] < least;
        clock[task] = clock[task] < least ? least : clock[task];
    }
    precedence->work += precedence->tasks;
    if (changed)
        vector_push(&precedence->queue, after);
    if (changed && clock[task_of(precedence, after)] > place_of(precedence, after) && !precedence->impossible) {
        precedence->impossible = true;
        precedence->cycle = after;
    }
}

static void follow(struct precedence *precedence)
{
    while (precedence->queue.count > 0 && !is_spent(precedence)) {
        uint32_t event = precedence->queue.data[--precedence->queue.count];
        uint32_t next = rules_next(precedence->rules, event);
        if (next != EVENT_NONE && precedence_must(precedence, next))
            raise_clock(precedence, event, next);
        for (uint32_t edge = precedence->first.data[precedence->row.data[event]]; edge != 0 && !is_spent(precedence);
             edge = precedence->edges.data[edge - 1].next)
            raise_clock(precedence, event, precedence->edges.data[edge - 1].after);
    }
}

/* ---- what must be done ---------------------------------------------------------------------------------------------- */

static void add_member(struct precedence *precedence, uint32_t event)
{
    size_t row = precedence->members.count;
    precedence->row.data[event] = (uint32_t)row;
    vector_push(&precedence->members, event);
    vector_push(&precedence->first, 0);
    vector_reserve(&precedence->clocks, (row + 1) * precedence->tasks);
    memset(precedence->clocks.data + row * precedence->tasks, 0, precedence->tasks * sizeof *precedence->clocks.data);
    precedence->must.data[task_of(precedence, event)]++;
    precedence->work += precedence->tasks;
    if (place_of(precedence, event) > 0)
        raise_clock(precedence, event_at(precedence, task_of(precedence, event), place_of(precedence, event) - 1),
                    event);
}

/* The event must be done, and those of its task before it. */
static void need(struct precedence *precedence, uint32_t event, uint32_t edge)
{
    uint16_t task = task_of(precedence, event);
    if (precedence_must(precedence, event))
        return;
    for (uint32_t place = precedence->must.data[task]; place <= place_of(precedence, event); place++)
        add_member(precedence, event_at(precedence, task, place));
    vector_push(&precedence->segments,
                ((struct precedence_segment){.task = task, .upto = place_of(precedence, event) + 1, .edge = edge}));
}

/* The edge follows; both of its events must be done, then. */
static void add_edge(struct precedence *precedence, const struct precedence_edge *edge)
{
    if (is_spent(precedence))
        return;
    uint32_t number = (uint32_t)precedence->edges.count;
    bool known = precedence_must(precedence, edge->before) && precedence_must(precedence, edge->after) &&
                 precedence_precedes(precedence, edge->before, edge->after);
    if (known || edge->before == edge->after)
        return;
    vector_push(&precedence->edges, *edge);
    need(precedence, edge->before, number);
    need(precedence, edge->after, number);
    uint32_t *first = &precedence->first.data[precedence->row.data[edge->before]];
    precedence->edges.data[number].next = *first;
    *first = number + 1;
    raise_clock(precedence, edge->before, edge->after);
}

/* It follows that there is no order. */
static void exclude_all(struct precedence *precedence, const struct precedence_edge *edge)
{
    if (precedence->impossible)
        return;
    vector_push(&precedence->edges, *edge);
    precedence->impossible = true;
    precedence->cycle = EVENT_NONE;
}

static struct precedence_edge plain_edge(uint32_t before, uint32_t after, struct reason reason)
{
    return (struct precedence_edge){.before = before,
                                    .after = after,
                                    .reason = reason,
                                    .from = EVENT_NONE,
                                    .to = EVENT_NONE,
                                    .needs = {EVENT_NONE, EVENT_NONE}};
}

static void add_rule_edges(struct precedence *precedence, uint32_t event)
{
    uint32_t count;
    const struct rule_edge *edges = rules_edges(precedence->rules, event, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (precedence->certain_only && !edges[i].certain)
            continue;
        struct reason reason = {REASON_EDGE, edges[i].certain, edges[i].before, event};
        struct precedence_edge edge = plain_edge(edges[i].before, event, reason);
        edge.needs[0] = event;
        add_edge(precedence, &edge);
    }
}

/* ---- values --------------------------------------------------------------------------------------------------------- */

static void add_source(struct precedence *precedence, const struct precedence_source *source)
{
    vector_push(&precedence->sources, *source);
    if (source->writer == EVENT_NONE)
        return;
    struct precedence_edge edge = plain_edge(source->writer, source->read, source->reason);
    edge.needs[0] = source->needs;
    edge.needs[1] = source->read;
    edge.premises = source->premises;
    edge.ways = source->ways;
    add_edge(precedence, &edge);
}

/* The last event of the task up to this one that must be done; EVENT_NONE. */
static uint32_t last_must(const struct precedence *precedence, uint32_t event)
{
    uint16_t task = task_of(precedence, event);
    uint32_t must = precedence->must.data[task], place = place_of(precedence, event);
    return must == 0 ? EVENT_NONE : event_at(precedence, task, place < must ? place : must - 1);
}

static void add_premise(struct precedence *precedence, uint32_t from, uint32_t to)
{
    vector_push(&precedence->premises, ((struct precedence_way){from, to}));
}

/* Both must be done, and it comes between them. */
static bool is_between(const struct precedence *precedence, uint32_t before, uint32_t event, uint32_t after)
{
    return event != before && event != after && precedence_must(precedence, event) &&
           (before == EVENT_NONE || precedence_precedes(precedence, before, event)) &&
           precedence_precedes(precedence, event, after);
}

/* Another write comes between a write (EVENT_NONE: the beginning) and the read in any case. */
static bool is_overwritten(struct precedence *precedence, uint32_t write, uint32_t read, uint32_t location)
{
    struct event_range writes = execution_writes(precedence->rules->execution, location);
    precedence->work += writes.count;
    for (uint32_t i = 0; i < writes.count; i++) {
        if (!is_between(precedence, write, writes.data[i], read))
            continue;
        if (write != EVENT_NONE)
            add_premise(precedence, write, writes.data[i]);
        add_premise(precedence, writes.data[i], read);
        return true;
    }
    return false;
}

/* A write that must come after the read is none that it found, and one that another write hides. */
static bool is_no_source(struct precedence *precedence, uint32_t read, uint32_t write, uint32_t location)
{
    uint32_t last = last_must(precedence, write);
    if (last != EVENT_NONE && last != read && precedence_precedes(precedence, read, last)) {
        add_premise(precedence, read, last);
        return true;
    }
    return precedence_must(precedence, write) && is_overwritten(precedence, write, read, location);
}

/* The writes that the read may find; how many, with what was there at the beginning.  Why others are none is in `premises`. */
static size_t sources_of(struct precedence *precedence, const struct precedence_read *read, bool *initial)
{
    uint32_t location = rules_location(precedence->rules, read->event);
    size_t kept = 0;
    *initial = scope_sources(precedence->rules, read->event, read->value, &precedence->writes) &&
               !is_overwritten(precedence, EVENT_NONE, read->event, location);
    precedence->work += execution_writes(precedence->rules->execution, location).count;
    for (size_t i = 0; i < precedence->writes.count; i++) {
        uint32_t write = precedence->writes.data[i];
        if (write != precedence->question->changed && !is_no_source(precedence, read->event, write, location))
            precedence->writes.data[kept++] = write;
    }
    precedence->writes.count = kept;
    return kept + *initial;
}

/* False: there are several writes that it may be from. */
static bool settle_read(struct precedence *precedence, const struct precedence_read *read)
{
    bool initial;
    uint32_t premises = (uint32_t)precedence->premises.count, location = rules_location(precedence->rules, read->event);
    size_t count = sources_of(precedence, read, &initial);
    struct precedence_edge edge = plain_edge(EVENT_NONE, EVENT_NONE, read->reason);
    edge.needs[0] = read->needs;
    edge.needs[1] = read->event;
    edge.premises = premises;
    edge.ways = (uint32_t)precedence->premises.count - premises;
    if (count > 1)
        precedence->premises.count = premises;
    if (count == 0)
        exclude_all(precedence, &edge);
    if (count == 1)
        add_source(precedence,
                   &(struct precedence_source){location, initial ? EVENT_NONE : precedence->writes.data[0], read->event,
                                               read->reason, read->needs, premises, edge.ways});
    return count <= 1;
}

static void find_value(struct precedence *precedence, uint32_t event, uint64_t value, struct reason reason,
                       uint32_t needs)
{
    struct precedence_read read = {event, value, reason, needs};
    if (!settle_read(precedence, &read))
        vector_push(&precedence->reads, read);
}

/* Of those that had several writes some may have one now, or none. */
static void settle_reads(struct precedence *precedence)
{
    size_t kept = 0;
    for (size_t i = 0; i < precedence->reads.count; i++) {
        struct precedence_read read = precedence->reads.data[i];
        if (is_spent(precedence) || !settle_read(precedence, &read))
            precedence->reads.data[kept++] = read;
    }
    precedence->reads.count = kept;
}

/* The event finds what it found. */
static void keep_value(struct precedence *precedence, uint32_t event, uint32_t needs)
{
    const struct rules *rules = precedence->rules;
    uint64_t value;
    uint32_t count;
    bool known = rules_read(rules, event, &value);
    struct reason reason = {REASON_VALUE, known || rules_reads_beginning(rules, event), event, EVENT_NONE};
    if (known) {
        find_value(precedence, event, value, reason, needs);
        return;
    }
    const struct execution_piece *pieces = execution_pieces(rules->execution, event, &count);
    for (uint32_t i = 0; i < count; i++)
        add_source(precedence,
                   &(struct precedence_source){pieces[i].location, pieces[i].writer, event, reason, needs, 0, 0});
}

static void change_value(struct precedence *precedence, uint32_t event)
{
    const struct question *question = precedence->question;
    struct reason reason = {REASON_CHANGE, true, event, EVENT_NONE};
    uint32_t location = rules_location(precedence->rules, event);
    if (location == UINT32_MAX || rules_event(precedence->rules, event)->role == ROLE_LOOKS)
        return;
    if (question->change == CHANGE_VALUE)
        find_value(precedence, event, question->value, reason, event);
    if (question->change == CHANGE_BEGINNING)
        add_source(precedence, &(struct precedence_source){location, EVENT_NONE, event, reason, event, 0, 0});
}

static void check_value(struct precedence *precedence, uint32_t event)
{
    const struct question *question = precedence->question;
    uint32_t next = rules_next(precedence->rules, event);
    bool goes_on = next != EVENT_NONE && precedence_must(precedence, next);
    if (event == question->changed)
        change_value(precedence, event);
    else if (rules_event(precedence->rules, event)->reads && (goes_on || question->same || question->stuck))
        keep_value(precedence, event, goes_on ? next : event);
}

/* New members: what they wait for, and the values that they and those before them have found. */
static void check_members(struct precedence *precedence)
{
    while (precedence->checked < precedence->members.count && !is_spent(precedence)) {
        uint32_t event = precedence->members.data[precedence->checked++], place = place_of(precedence, event);
        bool is_last = precedence->must.data[task_of(precedence, event)] == place + 1;
        bool all_same = precedence->question->same || precedence->question->stuck;
        add_rule_edges(precedence, event);
        if (!is_last || all_same || event == precedence->question->changed)
            check_value(precedence, event);
        else if (rules_event(precedence->rules, event)->reads)
            vector_push(&precedence->deferred, event);
    }
}

/* Reads after which their task goes on now. */
static void check_deferred(struct precedence *precedence)
{
    size_t kept = 0, count = precedence->deferred.count;
    for (size_t i = 0; i < count; i++) {
        uint32_t event = precedence->deferred.data[i];
        if (precedence->must.data[task_of(precedence, event)] > place_of(precedence, event) + 1)
            check_value(precedence, event);
        else
            precedence->deferred.data[kept++] = event;
    }
    precedence->deferred.count = kept;
}

/* Other writes come before the write that was found, or after the read. */
static void part_write(struct precedence *precedence, const struct precedence_source *source, uint32_t write)
{
    struct precedence_edge edge = plain_edge(source->read, write, source->reason);
    edge.needs[0] = source->needs;
    edge.needs[1] = write;
    edge.premises = source->premises;
    edge.ways = source->ways;
    bool first = source->writer == EVENT_NONE;
    if (!first && precedence_precedes(precedence, source->writer, write)) {
        edge.from = source->writer;
        edge.to = write;
        first = true;
    }
    if (first) {
        add_edge(precedence, &edge);
        return;
    }
    if (!precedence_precedes(precedence, write, source->read))
        return;
    edge.before = edge.from = write;
    edge.after = source->writer;
    edge.to = source->read;
    add_edge(precedence, &edge);
}

static void part_writes(struct precedence *precedence)
{
    for (size_t i = 0; i < precedence->sources.count && !is_spent(precedence); i++) {
        struct precedence_source source = precedence->sources.data[i];
        struct event_range writes = execution_writes(precedence->rules->execution, source.location);
        precedence->work += writes.count;
        for (uint32_t k = 0; k < writes.count; k++)
            if (writes.data[k] != source.writer && writes.data[k] != source.read &&
                precedence_must(precedence, writes.data[k]))
                part_write(precedence, &source, writes.data[k]);
    }
}

/* ---- locks ---------------------------------------------------------------------------------------------------------- */

/* The section is begun in any case. */
static bool is_begun(const struct precedence *precedence, const struct rule_section *section)
{
    const struct question *question = precedence->question;
    return precedence_must(precedence, section->first) &&
           !(section->first == question->changed && question->change == CHANGE_FINDS_NONE);
}

/* The last event of the section that is known to be done. */
static uint32_t last_of(const struct precedence *precedence, const struct rule_section *section)
{
    if (section->last != EVENT_NONE && precedence_must(precedence, section->last))
        return section->last;
    return event_at(precedence, section->task, precedence->must.data[section->task] - 1);
}

/* If `one` begins before something of `other`, it ends before that begins. */
static void part_sections(struct precedence *precedence, const struct rule_section *one,
                          const struct rule_section *other)
{
    uint32_t last = last_of(precedence, other);
    if (!precedence_precedes(precedence, one->first, last))
        return;
    struct reason reason = {REASON_LOCK, true, one->first, other->first};
    struct precedence_edge edge = plain_edge(one->last, other->first, reason);
    edge.from = edge.needs[0] = one->first;
    edge.to = last;
    edge.needs[1] = other->first;
    if (one->last == EVENT_NONE)
        exclude_all(precedence, &edge);
    else
        add_edge(precedence, &edge);
}

static void part_lock(struct precedence *precedence, const struct rule_lock *lock)
{
    for (size_t i = 0; i < lock->sections.count && !is_spent(precedence); i++) {
        const struct rule_section *one = &lock->sections.data[i];
        precedence->work++;
        if (!is_begun(precedence, one))
            continue;
        for (size_t k = 0; k < lock->sections.count && !is_spent(precedence); k++) {
            const struct rule_section *other = &lock->sections.data[k];
            precedence->work++;
            if (one->task != other->task && !(one->shared && other->shared) && is_begun(precedence, other))
                part_sections(precedence, one, other);
        }
    }
}

/* ---- the question --------------------------------------------------------------------------------------------------- */

static void add_order(struct precedence *precedence, const struct question_order *order)
{
    struct precedence_edge edge =
        plain_edge(order->first, order->second, (struct reason){REASON_TARGET, true, order->first, order->second});
    add_edge(precedence, &edge);
}

/* What hides the first event from the second one comes before the one, or after the other. */
static void part_hider(struct precedence *precedence, const struct question_order *order, uint32_t event)
{
    struct precedence_edge edge =
        plain_edge(event, order->first, (struct reason){REASON_TARGET, true, order->first, order->second});
    edge.needs[0] = event;
    if (precedence_precedes(precedence, event, order->second)) {
        edge.from = event;
        edge.to = order->second;
        add_edge(precedence, &edge);
    }
    if (!is_spent(precedence) && precedence_precedes(precedence, order->first, event)) {
        edge.before = order->second;
        edge.after = event;
        edge.from = order->first;
        edge.to = event;
        add_edge(precedence, &edge);
    }
}

static void part_hiders(struct precedence *precedence)
{
    for (size_t i = 0; i < precedence->question->orders.count; i++) {
        const struct question_order *order = &precedence->question->orders.data[i];
        size_t count = order->immediate ? precedence->members.count : 0;
        precedence->work += count;
        for (size_t k = 0; k < count && !is_spent(precedence); k++)
            if (question_order_is_hidden(precedence->rules, order, precedence->members.data[k]))
                part_hider(precedence, order, precedence->members.data[k]);
    }
}

/* ---- why ------------------------------------------------------------------------------------------------------------ */

/* How a task was reached on a way: with the event at this place, by this edge, from that arrival. */
struct arrival {
    uint16_t task;
    uint32_t place, edge, from; /* from: its number + 1; 0: it is the beginning */
};

struct collecting {
    struct precedence *precedence;
    struct answer *answer;
    event_list tasks; /* by task: the arrival with the least place, + 1; 0: none */
    VECTOR(struct arrival) arrivals;
    event_list pending; /* edges whose reasons are to be collected */
};

static void collect_edge(struct collecting *collecting, uint32_t number)
{
    struct precedence_edge *edge = &collecting->precedence->edges.data[number];
    if (edge->collected)
        return;
    edge->collected = true;
    collecting->answer->certain &= edge->reason.certain;
    vector_push(&collecting->answer->reasons, edge->reason);
    vector_push(&collecting->pending, number);
}

/* Why it must be done. */
static void collect_member(struct collecting *collecting, uint32_t event)
{
    struct precedence *precedence = collecting->precedence;
    for (size_t i = 0; event != EVENT_NONE && i < precedence->segments.count; i++) {
        struct precedence_segment *segment = &precedence->segments.data[i];
        if (segment->task != task_of(precedence, event) || segment->upto <= place_of(precedence, event))
            continue;
        if (segment->edge != NO_EDGE && !segment->collected)
            collect_edge(collecting, segment->edge);
        segment->collected = true;
        return;
    }
}

static void arrive(struct collecting *collecting, struct arrival arrival)
{
    assert(collecting->tasks.data != NULL && arrival.task < collecting->tasks.count);
    vector_push(&collecting->arrivals, arrival);
    collecting->tasks.data[arrival.task] = (uint32_t)collecting->arrivals.count;
}

/* Goes on by the edges below this number, until it has come to the event or one of its task before it. */
static uint32_t find_way(struct collecting *collecting, uint32_t to, uint32_t below)
{
    struct precedence *precedence = collecting->precedence;
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (uint32_t number = 0; number < below; number++) {
            const struct precedence_edge *edge = &precedence->edges.data[number];
            uint32_t from = collecting->tasks.data[task_of(precedence, edge->before)];
            uint32_t known = collecting->tasks.data[task_of(precedence, edge->after)];
            if (from == 0 || collecting->arrivals.data[from - 1].place > place_of(precedence, edge->before))
                continue;
            uint32_t place = place_of(precedence, edge->after);
            bool arrives =
                task_of(precedence, edge->after) == task_of(precedence, to) && place <= place_of(precedence, to);
            if (!arrives && known != 0 && collecting->arrivals.data[known - 1].place <= place)
                continue;
            arrive(collecting, (struct arrival){task_of(precedence, edge->after), place, number, from});
            if (arrives)
                return (uint32_t)collecting->arrivals.count;
            goes_on = true;
        }
    }
    return 0;
}

/* Why one event comes before another one, by the edges below this number. */
static void collect_way(struct collecting *collecting, uint32_t from, uint32_t to, uint32_t below)
{
    struct precedence *precedence = collecting->precedence;
    if (from == EVENT_NONE || (task_of(precedence, from) == task_of(precedence, to) && from < to))
        return;
    vector_clear(&collecting->arrivals);
    vector_clear(&collecting->tasks);
    for (uint32_t task = 0; task < precedence->tasks; task++)
        vector_push(&collecting->tasks, 0);
    arrive(collecting, (struct arrival){task_of(precedence, from), place_of(precedence, from), NO_EDGE, 0});
    uint32_t last = find_way(collecting, to, below);
    assert(last != 0);
    event_list way = {0};
    for (; collecting->arrivals.data[last - 1].from != 0; last = collecting->arrivals.data[last - 1].from)
        vector_push(&way, collecting->arrivals.data[last - 1].edge);
    for (size_t i = way.count; i-- > 0;)
        collect_edge(collecting, way.data[i]);
    vector_free(&way);
}

static void collect(struct precedence *precedence, struct answer *answer)
{
    struct collecting collecting = {.precedence = precedence, .answer = answer};
    uint32_t count = (uint32_t)precedence->edges.count;
    if (precedence->cycle == EVENT_NONE)
        collect_edge(&collecting, count - 1);
    else
        collect_way(&collecting, precedence->cycle, precedence->cycle, count);
    while (collecting.pending.count > 0) {
        uint32_t number = collecting.pending.data[--collecting.pending.count];
        struct precedence_edge edge = precedence->edges.data[number];
        collect_way(&collecting, edge.from, edge.to, number);
        for (uint32_t i = 0; i < edge.ways; i++) {
            struct precedence_way way = precedence->premises.data[edge.premises + i];
            collect_way(&collecting, way.from, way.to, number);
            collect_member(&collecting, way.from);
            collect_member(&collecting, way.to);
        }
        collect_member(&collecting, edge.needs[0]);
        collect_member(&collecting, edge.needs[1]);
    }
    vector_free(&collecting.tasks);
    vector_free(&collecting.arrivals);
    vector_free(&collecting.pending);
}

/* ---- all ------------------------------------------------------------------------------------------------------------ */

static void begin(struct precedence *precedence, const struct rules *rules, const struct question *question)
{
    precedence->rules = rules;
    precedence->question = question;
    precedence->tasks = execution_task_count(rules->execution);
    precedence->checked = 0;
    precedence->impossible = false;
    precedence->stop = precedence->work + PRECEDENCE_WORK;
    vector_clear(&precedence->must);
    vector_clear(&precedence->members);
    vector_clear(&precedence->clocks);
    vector_clear(&precedence->first);
    vector_clear(&precedence->edges);
    vector_clear(&precedence->sources);
    vector_clear(&precedence->segments);
    vector_clear(&precedence->reads);
    vector_clear(&precedence->premises);
    vector_clear(&precedence->queue);
    vector_clear(&precedence->deferred);
    vector_reserve(&precedence->row, execution_count(rules->execution));
    for (uint32_t task = 0; task < precedence->tasks; task++)
        vector_push(&precedence->must, 0);
}

static void ask_for(struct precedence *precedence, uint32_t also)
{
    const struct question *question = precedence->question;
    for (size_t i = 0; i < question->needed.count; i++)
        need(precedence, question->needed.data[i], NO_EDGE);
    if (question->changed != EVENT_NONE)
        need(precedence, question->changed, NO_EDGE);
    if (also != EVENT_NONE)
        need(precedence, also, NO_EDGE);
    for (size_t i = 0; i < question->orders.count; i++)
        add_order(precedence, &question->orders.data[i]);
}

/* Everything that follows from what has followed so far. */
static void derive(struct precedence *precedence)
{
    check_members(precedence);
    check_deferred(precedence);
    follow(precedence);
    part_hiders(precedence);
    for (size_t i = 0; i < precedence->rules->locks.count && !is_spent(precedence); i++)
        part_lock(precedence, &precedence->rules->locks.data[i]);
    part_writes(precedence);
    follow(precedence);
    settle_reads(precedence);
    follow(precedence);
}

bool precedence_exclude(struct precedence *precedence, const struct rules *rules, const struct question *question,
                        uint32_t also, struct answer *answer)
{
    size_t edges, members;
    begin(precedence, rules, question);
    ask_for(precedence, also);
    do {
        edges = precedence->edges.count;
        members = precedence->members.count;
        derive(precedence);
    } while (!is_spent(precedence) && (precedence->edges.count > edges || precedence->members.count > members));
    if (precedence->impossible)
        collect(precedence, answer);
    return precedence->impossible;
}

void precedence_free(struct precedence *precedence)
{
    vector_free(&precedence->must);
    vector_free(&precedence->members);
    vector_free(&precedence->row);
    vector_free(&precedence->clocks);
    vector_free(&precedence->first);
    vector_free(&precedence->edges);
    vector_free(&precedence->sources);
    vector_free(&precedence->segments);
    vector_free(&precedence->reads);
    vector_free(&precedence->premises);
    vector_free(&precedence->queue);
    vector_free(&precedence->writes);
    vector_free(&precedence->deferred);
}
