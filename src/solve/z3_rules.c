/* SPDX-License-Identifier: MIT
 *
 * z3_rules.c - the rules of an execution (rules.h) as formulas: for each event that may be done a position, and whether it is done.
 */
#include "solve/z3_terms.h"

static const struct event *event_of(const struct terms *terms, uint32_t event)
{
    return execution_event(terms->rules->execution, event);
}

static bool may(const struct terms *terms, uint32_t event)
{
    return scope_may(terms->scope, terms->rules, event);
}

static bool is_changed(const struct terms *terms, uint32_t event)
{
    return terms->question->changed == event;
}

/* ---- tasks, edges --------------------------------------------------------------------------------------------------- */

static void write_task(struct terms *terms, uint16_t task)
{
    struct event_range own = execution_task(terms->rules->execution, task);
    uint32_t count = terms->scope->may.data[task];
    assert(count <= own.count && (count == 0 || own.data != NULL));
    if (count > 0)
        term_assert(terms,
                    Z3_mk_ge(terms->z3, term_position(terms, own.data[0]), Z3_mk_int(terms->z3, 0, terms->integer)));
    for (uint32_t i = 1; i < count; i++) {
        term_assert(terms, term_less(terms, term_position(terms, own.data[i - 1]), term_position(terms, own.data[i])));
        term_assert(terms,
                    term_or(terms, term_not(terms, term_done(terms, own.data[i])), term_done(terms, own.data[i - 1])));
    }
}

static void write_edges(struct terms *terms, uint32_t event)
{
    uint32_t count;
    const struct rule_edge *edges = rules_edges(terms->rules, event, &count);
    for (uint32_t i = 0; i < count; i++) {
        struct reason reason = {REASON_EDGE, edges[i].certain, edges[i].before, event};
        Z3_ast literal = term_begin(terms, &reason), done = term_done(terms, event);
        term_assert_if(terms, literal, done, term_done(terms, edges[i].before));
        term_assert_if(terms, literal, done, term_before(terms, edges[i].before, event));
    }
}

/* ---- locks ---------------------------------------------------------------------------------------------------------- */

/* A section that ends before something that begins. */
static Z3_ast ends_before(struct terms *terms, const struct rule_section *section, uint32_t event)
{
    if (section->last == EVENT_NONE || !may(terms, section->last))
        return terms->no;
    return term_and(terms, term_done(terms, section->last), term_before(terms, section->last, event));
}

/* It does not end before something that comes later than its beginning. */
static Z3_ast ends_after(struct terms *terms, const struct rule_section *section, uint32_t event)
{
    if (section->last == EVENT_NONE || !may(terms, section->last))
        return terms->yes;
    return term_or(terms, term_not(terms, term_done(terms, section->last)), term_before(terms, event, section->last));
}

static bool exclude(const struct rule_section *a, const struct rule_section *b)
{
    return a->task != b->task && !(a->shared && b->shared);
}

/* The call did not take the lock this time. */
static bool is_no_section(const struct terms *terms, const struct rule_section *section)
{
    return !may(terms, section->first) ||
           (is_changed(terms, section->first) && terms->question->change == CHANGE_FINDS_NONE);
}

static void write_two_sections(struct terms *terms, const struct rule_section *a, const struct rule_section *b)
{
    struct reason reason = {REASON_LOCK, true, a->first, b->first};
    Z3_ast both = term_and(terms, term_done(terms, a->first), term_done(terms, b->first));
    term_assert_if(terms, term_begin(terms, &reason), both,
                   term_or(terms, ends_before(terms, a, b->first), ends_before(terms, b, a->first)));
}

Z3_ast z3_rules_taken(struct terms *terms, uint32_t event, uint32_t lock, bool shared)
{
    const struct rule_lock *facts = &terms->rules->locks.data[lock];
    uint16_t task = event_of(terms, event)->task;
    Z3_ast taken = terms->no;
    for (size_t i = 0; i < facts->sections.count; i++) {
        const struct rule_section *section = &facts->sections.data[i];
        if (section->task == task || (shared && section->shared) || is_no_section(terms, section))
            continue;
        Z3_ast begun = term_and(terms, term_done(terms, section->first), term_before(terms, section->first, event));
        taken = term_or(terms, taken, term_and(terms, begun, ends_after(terms, section, event)));
    }
    return taken;
}

Z3_ast z3_rules_left_taken(struct terms *terms, uint16_t task, uint32_t lock, bool shared)
{
    const struct rule_lock *facts = &terms->rules->locks.data[lock];
    Z3_ast taken = terms->no;
    for (size_t i = 0; i < facts->sections.count; i++) {
        const struct rule_section *section = &facts->sections.data[i];
        if (section->task == task || (shared && section->shared) || is_no_section(terms, section))
            continue;
        taken = term_or(
            terms, taken,
            term_and(terms, term_done(terms, section->first), term_not(terms, term_done(terms, section->last))));
    }
    return taken;
}

static void write_lock(struct terms *terms, const struct rule_lock *lock)
{
    for (size_t i = 0; i < lock->sections.count; i++)
        for (size_t k = i + 1; k < lock->sections.count; k++) {
            const struct rule_section *a = &lock->sections.data[i], *b = &lock->sections.data[k];
            if (exclude(a, b) && !is_no_section(terms, a) && !is_no_section(terms, b))
                write_two_sections(terms, a, b);
        }
}

static void write_failure(struct terms *terms, uint32_t event)
{
    if (is_changed(terms, event))
        return;
    struct reason reason = {REASON_TAKEN, true, event, EVENT_NONE};
    bool shared = op_effect(event_of(terms, event)->op) == EFFECT_RDLOCK;
    term_assert_if(terms, term_begin(terms, &reason), term_done(terms, event),
                   z3_rules_taken(terms, event, rules_event(terms->rules, event)->object, shared));
}

/* ---- positions that differ ---------------------------------------------------------------------------------------------- */

static void list_positions(struct terms *terms, const event_list *events, term_list *positions)
{
    for (size_t i = 0; i < events->count; i++)
        if (may(terms, events->data[i]))
            vector_push(positions, term_position(terms, events->data[i]));
}

static void write_distinct(struct terms *terms, term_list *positions)
{
    if (positions->count > 1)
        term_assert(terms, Z3_mk_distinct(terms->z3, (unsigned)positions->count, positions->data));
    vector_free(positions);
}

/* ---- values --------------------------------------------------------------------------------------------------------- */

/* The last events of tasks find what they found, too. */
static bool all_same(const struct terms *terms)
{
    return terms->question->stuck || terms->question->same;
}

/* An update whose task does no more may find anything.  Then what it writes is not known. */
static bool is_loose(const struct terms *terms, uint32_t event)
{
    return rules_event(terms->rules, event)->reads && rules_event(terms->rules, event)->writes && !all_same(terms) &&
           !scope_keeps_value(terms->scope, terms->rules, event);
}

/* The event writes what it wrote. */
static Z3_ast writes_same(struct terms *terms, uint32_t event)
{
    Z3_ast *same = &terms->as_it_was.data[event];
    if (!is_loose(terms, event))
        return terms->yes;
    if (*same == NULL)
        *same = term_new_boolean(terms);
    return *same;
}

/* An update that comes out otherwise may write where it did not. */
static bool is_changed_update(const struct terms *terms, uint32_t location)
{
    uint32_t changed = terms->question->changed;
    return changed != EVENT_NONE && rules_updates(terms->rules, changed) &&
           rules_location(terms->rules, changed) == location;
}

/* The other event comes after the read, or, unless `early` holds, is not done. */
static void write_away(struct terms *terms, Z3_ast literal, Z3_ast condition, uint32_t event, uint32_t other,
                       Z3_ast early)
{
    Z3_ast away = term_or(terms, early, term_before(terms, event, other));
    term_assert_if(terms, literal, condition, term_or(terms, term_not(terms, term_done(terms, other)), away));
}

/* No write to the location comes between `writer` (EVENT_NONE: the beginning) and the read. */
static void write_nothing_between(struct terms *terms, Z3_ast literal, Z3_ast condition, uint32_t location,
                                  uint32_t writer, uint32_t event)
{
    struct event_range all = execution_writes(terms->rules->execution, location);
    for (uint32_t i = 0; i < all.count; i++) {
        uint32_t other = all.data[i];
        if (other == writer || other == event || !may(terms, other))
            continue;
        write_away(terms, literal, condition, event, other,
                   writer != EVENT_NONE ? term_before(terms, other, writer) : terms->no);
    }
    uint32_t changed = terms->question->changed;
    if (is_changed_update(terms, location) && changed != event)
        write_away(terms, literal, condition, event, changed,
                   writer != EVENT_NONE ? term_before(terms, changed, writer) : terms->no);
}

static void write_writer(struct terms *terms, Z3_ast literal, Z3_ast condition, uint32_t location, uint32_t writer,
                         uint32_t event)
{
    if (writer != EVENT_NONE) {
        term_assert_if(terms, literal, condition,
                       term_and(terms, term_done(terms, writer), writes_same(terms, writer)));
        term_assert_if(terms, literal, condition, term_before(terms, writer, event));
    }
    write_nothing_between(terms, literal, condition, location, writer, event);
}

/* It reads what it read from the same writes. */
static void write_same_writers(struct terms *terms, Z3_ast literal, Z3_ast condition, uint32_t event)
{
    uint32_t count;
    const struct execution_piece *pieces = execution_pieces(terms->rules->execution, event, &count);
    for (uint32_t i = 0; i < count; i++)
        write_writer(terms, literal, condition, pieces[i].location, pieces[i].writer, event);
}

/* The position of a write says which one it is. */
static void write_distinct_writes(struct terms *terms, uint32_t location)
{
    for (size_t i = 0; i < terms->distinct.count; i++)
        if (terms->distinct.data[i] == location)
            return;
    vector_push(&terms->distinct, location);
    struct event_range all = execution_writes(terms->rules->execution, location);
    const event_list writes = {(uint32_t *)all.data, all.count, all.count};
    term_list positions = {0};
    list_positions(terms, &writes, &positions);
    if (is_changed_update(terms, location) && !rules_event(terms->rules, terms->question->changed)->writes)
        vector_push(&positions, term_position(terms, terms->question->changed));
    write_distinct(terms, &positions);
}

/* One of several: `last` is where it stands. */
static void write_one_of(struct terms *terms, Z3_ast literal, Z3_ast condition, uint32_t event, uint32_t location,
                         bool initial)
{
    Z3_ast last = term_new_integer(terms), choice = terms->no;
    write_distinct_writes(terms, location);
    if (initial)
        choice = term_equal(terms, last, Z3_mk_int(terms->z3, -1, terms->integer));
    for (size_t i = 0; i < terms->scratch.count; i++) {
        uint32_t writer = terms->scratch.data[i];
        Z3_ast there = term_and(terms, term_done(terms, writer), term_before(terms, writer, event));
        there = term_and(terms, there, writes_same(terms, writer));
        choice = term_or(terms, choice, term_and(terms, there, term_equal(terms, last, term_position(terms, writer))));
    }
    term_assert_if(terms, literal, condition, choice);
    struct event_range all = execution_writes(terms->rules->execution, location);
    for (uint32_t i = 0; i < all.count; i++) {
        uint32_t other = all.data[i];
        if (other == event || !may(terms, other))
            continue;
        write_away(terms, literal, condition, event, other, Z3_mk_le(terms->z3, term_position(terms, other), last));
    }
    uint32_t changed = terms->question->changed;
    if (is_changed_update(terms, location) && changed != event)
        write_away(terms, literal, condition, event, changed, Z3_mk_le(terms->z3, term_position(terms, changed), last));
}

void z3_rules_beginning(struct terms *terms, Z3_ast literal, uint32_t event)
{
    assert(rules_location(terms->rules, event) != UINT32_MAX);
    write_writer(terms, literal, terms->yes, rules_location(terms->rules, event), EVENT_NONE, event);
}

void z3_rules_value(struct terms *terms, Z3_ast literal, Z3_ast condition, uint32_t event, bool known, uint64_t value)
{
    uint32_t location = rules_location(terms->rules, event);
    if (location == UINT32_MAX || !known) {
        write_same_writers(terms, literal, condition, event);
        return;
    }
    bool initial = scope_sources(terms->rules, event, value, &terms->scratch);
    size_t kept = 0;
    for (size_t i = 0; i < terms->scratch.count; i++)
        if (may(terms, terms->scratch.data[i]) && !is_changed(terms, terms->scratch.data[i]))
            terms->scratch.data[kept++] = terms->scratch.data[i];
    terms->scratch.count = kept;
    if (kept + initial == 0)
        term_assert_if(terms, literal, condition, terms->no);
    else if (kept + initial == 1)
        write_writer(terms, literal, condition, location, initial ? EVENT_NONE : terms->scratch.data[0], event);
    else
        write_one_of(terms, literal, condition, event, location, initial);
}

static void write_value(struct terms *terms, uint32_t event)
{
    const struct rules *rules = terms->rules;
    bool updates = rules_event(rules, event)->writes;
    bool kept = scope_keeps_value(terms->scope, rules, event) || all_same(terms);
    if (is_changed(terms, event) || (!kept && !updates))
        return;
    uint64_t value;
    bool known = rules_read(rules, event, &value);
    struct reason reason = {REASON_VALUE, known || rules_reads_beginning(rules, event), event, EVENT_NONE};
    Z3_ast condition = is_loose(terms, event)       ? writes_same(terms, event)
                       : updates || all_same(terms) ? term_done(terms, event)
                                                    : term_done(terms, rules_next(rules, event));
    z3_rules_value(terms, term_begin(terms, &reason), condition, event, known, value);
}

/* ---- semaphores ------------------------------------------------------------------------------------------------------ */

static bool gets_post(const struct terms *terms, uint32_t event)
{
    uint8_t role = rules_event(terms->rules, event)->role;
    if (role == ROLE_LOOKS)
        return false;
    return role == ROLE_WAITS ? !is_changed(terms, event)
                              : is_changed(terms, event) && terms->question->change == CHANGE_GETS;
}

/* Those that are done, before the event if there is one. */
static void list_done(struct terms *terms, const event_list *events, uint32_t event, term_list *list)
{
    for (size_t i = 0; i < events->count; i++) {
        uint32_t other = events->data[i];
        bool takes_none = is_changed(terms, other) && terms->question->change == CHANGE_FINDS_NONE;
        if (other == event || takes_none || !may(terms, other))
            continue;
        Z3_ast done = term_done(terms, other);
        vector_push(list, event == EVENT_NONE ? done : term_and(terms, done, term_before(terms, other, event)));
    }
}

Z3_ast z3_rules_remaining(struct terms *terms, uint32_t semaphore, uint32_t event)
{
    const struct rule_semaphore *facts = &terms->rules->semaphores.data[semaphore];
    term_list posts = {0}, waits = {0};
    list_done(terms, &facts->posts, event, &posts);
    list_done(terms, &facts->waits, event, &waits);
    Z3_ast sum[] = {Z3_mk_int(terms->z3, (int)facts->initial, terms->integer), term_count(terms, &posts)};
    Z3_ast difference[] = {Z3_mk_add(terms->z3, 2, sum), term_count(terms, &waits)};
    vector_free(&posts);
    vector_free(&waits);
    return Z3_mk_sub(terms->z3, 2, difference);
}

/* So many remain when the event finds as many as it found, or as it is to find. */
static uint64_t looked_value(const struct terms *terms, uint32_t event)
{
    bool looks = rules_event(terms->rules, event)->role == ROLE_LOOKS;
    return is_changed(terms, event) && looks ? terms->question->value : looks ? event_of(terms, event)->value : 0;
}

static void write_semaphore_event(struct terms *terms, uint32_t event)
{
    const struct rule_event *own = rules_event(terms->rules, event);
    struct reason reason = {REASON_SEMAPHORE, terms->rules->semaphores.data[own->object].certain, event, EVENT_NONE};
    Z3_ast literal = term_begin(terms, &reason), remaining = z3_rules_remaining(terms, own->object, event);
    Z3_ast none = Z3_mk_int(terms->z3, (int)looked_value(terms, event), terms->integer);
    if (gets_post(terms, event))
        term_assert_if(terms, literal, term_done(terms, event), term_less(terms, none, remaining));
    else
        term_assert_if(terms, literal, term_done(terms, event), term_equal(terms, none, remaining));
}

/* ---- condition variables --------------------------------------------------------------------------------------------- */

static struct wait_terms *wait_terms_of(struct terms *terms, const struct rule_wait *wait)
{
    for (size_t i = 0; i < terms->waits.count; i++)
        if (terms->waits.data[i].begin == wait->begin)
            return &terms->waits.data[i];
    vector_push(&terms->waits, ((struct wait_terms){wait->begin, term_new_boolean(terms), term_new_integer(terms)}));
    return &terms->waits.data[terms->waits.count - 1];
}

Z3_ast z3_rules_left(struct terms *terms, uint32_t event)
{
    const struct rule_condition *condition = &terms->rules->conditions.data[terms->rules->condition_of.data[event] - 1];
    for (size_t i = 0; i < condition->waits.count; i++)
        if (condition->waits.data[i].begin == event || condition->waits.data[i].end == event)
            return wait_terms_of(terms, &condition->waits.data[i])->left;
    return terms->yes;
}

/* It ends by itself, by time or for no reason. */
static bool is_left_alone(const struct terms *terms, const struct rule_wait *wait)
{
    return wait->end != EVENT_NONE && wait->woken == is_changed(terms, wait->end);
}

Z3_ast z3_rules_over(struct terms *terms, uint32_t end)
{
    if (terms->rules->condition_of.data[end] == 0 || event_of(terms, end)->op != OP_COND_WAKE)
        return NULL;
    const struct rule_condition *condition = &terms->rules->conditions.data[terms->rules->condition_of.data[end] - 1];
    for (size_t i = 0; i < condition->waits.count; i++)
        if (condition->waits.data[i].end == end && is_left_alone(terms, &condition->waits.data[i]))
            return wait_terms_of(terms, &condition->waits.data[i])->when;
    return NULL;
}

/* It has begun and not ended when the event comes. */
static Z3_ast waits_at(struct terms *terms, const struct rule_wait *wait, uint32_t event)
{
    const struct wait_terms *own = wait_terms_of(terms, wait);
    Z3_ast gone = term_and(terms, own->left, term_less(terms, own->when, term_position(terms, event)));
    Z3_ast begun = term_and(terms, term_done(terms, wait->begin), term_before(terms, wait->begin, event));
    return term_and(terms, begun, term_not(terms, gone));
}

/* The event wakes the wait: a variable that implies it. */
static Z3_ast wakes(struct terms *terms, Z3_ast literal, uint32_t event, const struct rule_wait *wait)
{
    Z3_ast woken = term_new_boolean(terms);
    struct wait_terms own = *wait_terms_of(terms, wait);
    Z3_ast begun = term_and(terms, term_done(terms, wait->begin), term_before(terms, wait->begin, event));
    Z3_ast then = term_and(terms, own.left, term_equal(terms, own.when, term_position(terms, event)));
    term_assert_if(terms, literal, woken, term_and(terms, term_done(terms, event), term_and(terms, begun, then)));
    return woken;
}

static bool concern(const struct terms *terms, const struct rule_wait *wait, uint32_t event)
{
    return may(terms, wait->begin) && may(terms, event) &&
           event_of(terms, wait->begin)->task != event_of(terms, event)->task;
}

/* It wakes one wait, or there is none. */
static void write_signal(struct terms *terms, const struct rule_condition *condition, uint32_t event, term_list *wakers)
{
    struct reason reason = {REASON_SIGNAL, true, event, EVENT_NONE};
    Z3_ast literal = term_begin(terms, &reason), done = term_done(terms, event);
    term_list woken = {0};
    for (size_t i = 0; i < condition->waits.count; i++) {
        if (!concern(terms, &condition->waits.data[i], event))
            continue;
        Z3_ast wake = wakes(terms, literal, event, &condition->waits.data[i]);
        vector_push(&wakers[i], wake);
        vector_push(&woken, wake);
    }
    term_assert_if(terms, literal, terms->yes, term_at_most_one(terms, &woken));
    Z3_ast one = term_any(terms, &woken);
    for (size_t i = 0; i < condition->waits.count; i++)
        if (concern(terms, &condition->waits.data[i], event))
            term_assert_if(terms, literal, done,
                           term_or(terms, one, term_not(terms, waits_at(terms, &condition->waits.data[i], event))));
    vector_free(&woken);
}

static void write_broadcast(struct terms *terms, const struct rule_condition *condition, uint32_t event,
                            term_list *wakers)
{
    struct reason reason = {REASON_SIGNAL, true, event, EVENT_NONE};
    Z3_ast literal = term_begin(terms, &reason), done = term_done(terms, event);
    for (size_t i = 0; i < condition->waits.count; i++) {
        if (!concern(terms, &condition->waits.data[i], event))
            continue;
        Z3_ast wake = wakes(terms, literal, event, &condition->waits.data[i]);
        vector_push(&wakers[i], wake);
        term_assert_if(terms, literal, done,
                       term_or(terms, wake, term_not(terms, waits_at(terms, &condition->waits.data[i], event))));
    }
}

/* The lock is held by another task when something happens that is no event. */
static Z3_ast is_taken_then(struct terms *terms, const struct rule_wait *wait, Z3_ast when)
{
    const struct rule_event *own = rules_event(terms->rules, wait->end);
    const struct rule_lock *lock = &terms->rules->locks.data[own->object];
    Z3_ast taken = terms->no;
    for (size_t i = 0; i < lock->sections.count && own->role == ROLE_TAKES; i++) {
        const struct rule_section *section = &lock->sections.data[i];
        if (section->task == event_of(terms, wait->end)->task || is_no_section(terms, section))
            continue;
        Z3_ast begun = term_and(terms, term_done(terms, section->first),
                                term_less(terms, term_position(terms, section->first), when));
        Z3_ast lasts = section->last == EVENT_NONE || !may(terms, section->last)
                           ? terms->yes
                           : term_or(terms, term_not(terms, term_done(terms, section->last)),
                                     term_less(terms, when, term_position(terms, section->last)));
        taken = term_or(terms, taken, term_and(terms, begun, lasts));
    }
    return taken;
}

/* It leaves the queue by itself: when it has its mutex again, or before that, while it cannot have it. */
static Z3_ast ends_by_itself(struct terms *terms, Z3_ast literal, const struct rule_wait *wait)
{
    struct wait_terms own = *wait_terms_of(terms, wait);
    Z3_ast itself = term_new_boolean(terms), end = term_position(terms, wait->end);
    Z3_ast early = term_and(terms, term_less(terms, own.when, end), is_taken_then(terms, wait, own.when));
    Z3_ast begun = term_less(terms, term_position(terms, wait->begin), own.when);
    term_assert_if(terms, literal, itself, term_and(terms, own.left, term_done(terms, wait->begin)));
    term_assert_if(terms, literal, itself,
                   term_and(terms, begun, term_or(terms, term_equal(terms, own.when, end), early)));
    return itself;
}

static void write_wait(struct terms *terms, const struct rule_wait *wait, const term_list *wakers)
{
    struct wait_terms own = *wait_terms_of(terms, wait);
    struct reason reason = {REASON_WAKE, true, wait->end != EVENT_NONE ? wait->end : wait->begin, EVENT_NONE};
    Z3_ast literal = term_begin(terms, &reason), woken = term_any(terms, wakers), itself = terms->no;
    Z3_ast ended = term_done(terms, wait->end);
    if (ended != terms->no && is_left_alone(terms, wait)) {
        itself = ends_by_itself(terms, literal, wait);
        term_assert_if(terms, literal, ended, itself);
        term_assert_if(terms, literal, itself, term_not(terms, woken));
    } else if (ended != terms->no) {
        term_assert_if(terms, literal, ended, woken);
        term_assert_if(terms, literal, ended, term_less(terms, own.when, term_position(terms, wait->end)));
    }
    term_assert_if(terms, literal, own.left, term_or(terms, woken, itself));
}

/* Who is woken depends on the order. */
static void write_condition_order(struct terms *terms, const struct rule_condition *condition)
{
    term_list positions = {0};
    for (size_t i = 0; i < condition->waits.count; i++)
        if (may(terms, condition->waits.data[i].begin))
            vector_push(&positions, term_position(terms, condition->waits.data[i].begin));
    list_positions(terms, &condition->signals, &positions);
    list_positions(terms, &condition->broadcasts, &positions);
    write_distinct(terms, &positions);
}

static void write_condition(struct terms *terms, const struct rule_condition *condition)
{
    size_t count = condition->waits.count;
    term_list *wakers = memory_allocate(count + 1, sizeof *wakers);
    write_condition_order(terms, condition);
    for (size_t i = 0; i < condition->signals.count; i++)
        if (may(terms, condition->signals.data[i]))
            write_signal(terms, condition, condition->signals.data[i], wakers);
    for (size_t i = 0; i < condition->broadcasts.count; i++)
        if (may(terms, condition->broadcasts.data[i]))
            write_broadcast(terms, condition, condition->broadcasts.data[i], wakers);
    for (size_t i = 0; i < count; i++) {
        if (may(terms, condition->waits.data[i].begin))
            write_wait(terms, &condition->waits.data[i], &wakers[i]);
        vector_free(&wakers[i]);
    }
    free(wakers);
}

/* ---- all -------------------------------------------------------------------------------------------------------------- */

/* Nothing comes after the end of the process. */
static void write_exit(struct terms *terms)
{
    uint32_t end = terms->rules->exit;
    if (end == EVENT_NONE || !may(terms, end))
        return;
    for (uint32_t task = 0; task < execution_task_count(terms->rules->execution); task++)
        for (uint32_t i = 0; i < terms->scope->may.data[task]; i++) {
            uint32_t event = execution_event_at(terms->rules->execution, (uint16_t)task, i);
            if (task == event_of(terms, end)->task)
                continue;
            struct reason reason = {REASON_EXIT, true, end, event};
            Z3_ast both = term_and(terms, term_done(terms, event), term_done(terms, end));
            term_assert_if(terms, term_begin(terms, &reason), both, term_before(terms, event, end));
        }
}

static void write_event(struct terms *terms, uint32_t event)
{
    const struct rule_event *own = rules_event(terms->rules, event);
    write_edges(terms, event);
    if (own->reads)
        write_value(terms, event);
    if (own->role == ROLE_FAILS)
        write_failure(terms, event);
    if (own->role == ROLE_WAITS || own->role == ROLE_FINDS_NONE || own->role == ROLE_LOOKS)
        write_semaphore_event(terms, event);
}

void z3_rules_write(struct terms *terms)
{
    const struct rules *rules = terms->rules;
    for (uint32_t task = 0; task < execution_task_count(rules->execution); task++) {
        write_task(terms, (uint16_t)task);
        for (uint32_t i = 0; i < terms->scope->may.data[task]; i++)
            write_event(terms, execution_event_at(rules->execution, (uint16_t)task, i));
    }
    for (size_t i = 0; i < rules->locks.count; i++)
        write_lock(terms, &rules->locks.data[i]);
    for (size_t i = 0; i < rules->conditions.count; i++)
        write_condition(terms, &rules->conditions.data[i]);
    write_exit(terms);
}
