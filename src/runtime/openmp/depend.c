/* SPDX-License-Identifier: MIT
 *
 * depend.c - depend clauses: which children of a task must end before another of them begins.
 *
 * A task waits for each sibling that was generated before it, has not ended, and names an address that it names too, unless both only
 * read there.  Sets of mutually exclusive tasks (mutexinoutset) are executed in the order of generation, which is allowed.
 */
#include "runtime/model/object.h"
#include "runtime/openmp/openmp.h"
#include "runtime/oracle/clock.h"

static bool conflict(const struct work *a, const struct work *b)
{
    for (uint32_t i = 0; i < a->dependence_count; i++)
        for (uint32_t k = 0; k < b->dependence_count; k++)
            if (a->dependences[i].address == b->dependences[k].address &&
                (a->dependences[i].writes || b->dependences[k].writes))
                return true;
    return false;
}

/* ---- what is ordered -------------------------------------------------------------------------------------------------- */

static struct depend_past *past_of(struct work *parent, uintptr_t address)
{
    struct depend_past *past = parent->past;
    while (past != NULL && past->address != address)
        past = past->next;
    return past;
}

/* The new task also comes after tasks that have ended. */
static void learn_past(struct work *work)
{
    for (uint32_t i = 0; i < work->dependence_count; i++) {
        const struct dependence *dependence = &work->dependences[i];
        const struct depend_past *past = past_of(work->parent, dependence->address);
        if (past != NULL)
            clock_join(&work->ready->clock, dependence->writes ? past->all : past->writers);
    }
}

static void become_past(struct task *self, const struct work *work)
{
    for (uint32_t i = 0; i < work->dependence_count; i++) {
        const struct dependence *dependence = &work->dependences[i];
        struct depend_past *past = past_of(work->parent, dependence->address);
        if (past == NULL) {
            past = rt_alloc(sizeof *past);
            *past = (struct depend_past){.next = work->parent->past, .address = dependence->address};
            work->parent->past = past;
        }
        clock_join(&past->all, self->clock);
        if (dependence->writes)
            clock_join(&past->writers, self->clock);
    }
}

void depend_forget(struct work *work)
{
    while (work->past != NULL) {
        struct depend_past *past = work->past;
        work->past = past->next;
        clock_drop(&past->all);
        clock_drop(&past->writers);
        rt_free(past, sizeof *past);
    }
}

/* ---- which task waits for which ----------------------------------------------------------------------------------------- */

void depend_enter(struct work *work, const struct dependence *dependences, uint32_t count)
{
    if (count == 0)
        return;
    work->dependence_count = count;
    work->dependences = rt_alloc(count * sizeof *dependences);
    for (uint32_t i = 0; i < count; i++)
        work->dependences[i] = dependences[i];
    struct work **link = &work->parent->siblings;
    for (; *link != NULL; link = &(*link)->next_sibling)
        work->waits += conflict(*link, work);
    *link = work;
    learn_past(work);
}

void depend_ended(struct task *self, struct work *work)
{
    if (work->dependence_count == 0)
        return;
    become_past(self, work);
    struct work **link = &work->parent->siblings;
    while (*link != work)
        link = &(*link)->next_sibling;
    *link = work->next_sibling;
    for (struct work *later = work->next_sibling; later != NULL; later = later->next_sibling) {
        if (!conflict(work, later))
            continue;
        clock_join(&later->ready->clock, self->clock);
        later->waits--;
    }
    rt_free(work->dependences, work->dependence_count * sizeof *work->dependences);
}
