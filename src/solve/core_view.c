/* SPDX-License-Identifier: MIT
 *
 * core_view.c - the critical sections of an execution, and the sentence of a core; see core.h.
 */
#include <inttypes.h>

#include "solve/core.h"
#include "util/hash.h"

/* ---- sections -------------------------------------------------------------------------------------------------------- */

/* What a task holds: indexes of sections, and how often it has taken the lock. */
struct holding {
    uint32_t section, depth;
};

struct holder {
    VECTOR(struct holding) all;
};

static size_t find_held(const struct core_view *view, const struct holder *holder, uint64_t lock)
{
    size_t i = 0;
    while (i < holder->all.count && view->sections.data[holder->all.data[i].section].lock != lock)
        i++;
    return i;
}

static void take(struct core_view *view, struct holder *holder, uint32_t event, uint64_t lock, bool shared)
{
    size_t i = find_held(view, holder, lock);
    if (i == holder->all.count) {
        vector_push(&holder->all, ((struct holding){(uint32_t)view->sections.count, 0}));
        vector_push(&view->sections, ((struct core_section){lock, event, EVENT_NONE, shared}));
    }
    holder->all.data[i].depth++;
}

static void give(struct core_view *view, struct holder *holder, uint32_t event, uint64_t lock)
{
    size_t i = find_held(view, holder, lock);
    if (i == holder->all.count) { /* a lock of another task */
        view->certain = false;
        return;
    }
    if (--holder->all.data[i].depth > 0)
        return;
    view->sections.data[holder->all.data[i].section].last = event;
    holder->all.data[i] = holder->all.data[--holder->all.count];
}

static void note_held(struct core_view *view, const struct holder *holder)
{
    for (size_t i = 0; i < holder->all.count; i++)
        vector_push(&view->held, holder->all.data[i].section);
}

static bool is_uncertain(const struct event *event)
{
    switch (event->op) {
    case OP_HANDLER:
    case OP_CANCELLED:
    case OP_MUTEX_CONSISTENT:
        return true;
    default:
        return op_takes_lock(event->op) && (event->flags & EVENT_FAILED) && event_succeeded(event);
    }
}

/* An event that takes a lock lies in the section, and one that gives it back, too. */
static void read_event(struct core_view *view, struct holder *holder, uint32_t number)
{
    unsigned count;
    const struct access *accesses = execution_accesses(view->execution, number, &count);
    vector_push(&view->first_held, (uint32_t)view->held.count);
    view->certain &= !is_uncertain(execution_event(view->execution, number));
    for (unsigned i = 0; i < count; i++)
        if (accesses[i].kind == ACCESS_LOCK || accesses[i].kind == ACCESS_RDLOCK)
            take(view, holder, number, accesses[i].lo, accesses[i].kind == ACCESS_RDLOCK);
    note_held(view, holder);
    for (unsigned i = 0; i < count; i++)
        if (accesses[i].kind == ACCESS_UNLOCK || accesses[i].kind == ACCESS_RDUNLOCK)
            give(view, holder, number, accesses[i].lo);
}

void core_view_make(struct core_view *view, const struct execution *execution)
{
    uint32_t tasks = execution_task_count(execution);
    struct holder *holders = memory_allocate(tasks + 1, sizeof *holders);
    view->execution = execution;
    view->certain = !execution->lost_events && execution->left_out == 0;
    vector_clear(&view->sections);
    vector_clear(&view->held);
    vector_clear(&view->first_held);
    site_events_make(&view->sites, execution);
    for (uint32_t i = 0; i < execution_count(execution); i++)
        read_event(view, &holders[execution_event(execution, i)->task], i);
    vector_push(&view->first_held, (uint32_t)view->held.count);
    for (uint32_t i = 0; i < tasks; i++)
        vector_free(&holders[i].all);
    free(holders);
}

void core_view_free(struct core_view *view)
{
    site_events_free(&view->sites);
    vector_free(&view->sections);
    vector_free(&view->held);
    vector_free(&view->first_held);
    *view = (struct core_view){0};
}

/* ---- sentences ------------------------------------------------------------------------------------------------------- */

static void print_site(const struct core_names *names, uint32_t site, struct buffer *out)
{
    names->site(names->context, site, out);
}

static void print_lock(const struct core_item *item, const struct core_names *names, struct buffer *out)
{
    print_site(names, item->b, out);
    buffer_add_string(out, " needs ");
    names->lock(names->context, item->lock, out);
    buffer_add_string(out, ", which ");
    print_site(names, item->a, out);
    buffer_add_string(out, item->until != 0 ? " holds until " : " takes and does not give back");
    if (item->until != 0)
        print_site(names, item->until, out);
}

static const char *words_of(uint8_t kind)
{
    static const char *const words[] = {
        [REASON_TAKEN] = " has found a lock taken", [REASON_VALUE] = " must read the value that it has read",
        [REASON_CHANGE] = " comes out otherwise",   [REASON_SEMAPHORE] = " needs a post of the semaphore",
        [REASON_WAKE] = " must be woken",           [REASON_SIGNAL] = " wakes a thread that waits",
        [REASON_EXIT] = " ends the process"};
    return kind < sizeof words / sizeof words[0] && words[kind] != NULL ? words[kind] : " has a part in it";
}

static void print_item(const struct core_item *item, const struct core_names *names, struct buffer *out)
{
    if (item->kind == REASON_LOCK) {
        print_lock(item, names, out);
        return;
    }
    print_site(names, item->kind == REASON_EDGE ? item->b : item->a, out);
    if (item->kind == REASON_EDGE) {
        buffer_add_string(out, " comes only after ");
        print_site(names, item->a, out);
    } else {
        buffer_add_string(out, words_of(item->kind));
    }
}

void core_print(const struct core *core, const struct core_names *names, struct buffer *out)
{
    if (core->count == 0)
        buffer_add_string(out, "no two threads come to these places in this order");
    for (unsigned i = 0; i < core->count; i++) {
        buffer_add_string(out, i == 0 ? "" : i + 1 == core->count ? ", and " : ", ");
        print_item(&core->items[i], names, out);
    }
}

/* ---- from reasons ------------------------------------------------------------------------------------------------------- */

static uint32_t site_of(const struct rules *rules, uint32_t event)
{
    return event != EVENT_NONE ? execution_event(rules->execution, event)->site : 0;
}

void core_from_reasons(struct core *core, const struct rules *rules, const struct answer *answer)
{
    core->count = 0;
    for (size_t i = 0; i < answer->reasons.count && core->count < CORE_MOST; i++) {
        const struct reason *reason = &answer->reasons.data[i];
        struct core_item item = {.kind = reason->kind, .a = site_of(rules, reason->a), .b = site_of(rules, reason->b)};
        if (reason->kind == REASON_TARGET || reason->kind == REASON_STUCK || reason->kind == REASON_OTHER)
            continue;
        if (reason->kind == REASON_LOCK) {
            const struct rule_event *first = rules_event(rules, reason->a);
            const struct rule_lock *lock = &rules->locks.data[first->object];
            item.lock = lock->address;
            item.until = site_of(rules, lock->sections.data[first->section].last);
        }
        core->items[core->count++] = item;
    }
}
