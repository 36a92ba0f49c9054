/* SPDX-License-Identifier: MIT
 *
 * question.c - see question.h.
 */
#include "solve/question.h"

void question_clear(struct question *question)
{
    vector_clear(&question->needed);
    vector_clear(&question->orders);
    vector_clear(&question->others);
    question->changed = EVENT_NONE;
    question->change = CHANGE_NOTHING;
    question->value = 0;
    question->stuck = question->whole = question->same = false;
}

void question_free(struct question *question)
{
    vector_free(&question->needed);
    vector_free(&question->orders);
    vector_free(&question->others);
}

void question_need(struct question *question, uint32_t event)
{
    assert(event != EVENT_NONE);
    vector_push(&question->needed, event);
}

void question_order(struct question *question, const struct question_order *order)
{
    assert(order->first != order->second);
    question_need(question, order->first);
    question_need(question, order->second);
    vector_push(&question->orders, *order);
}

/* ---- what may not come between --------------------------------------------------------------------------------------- */

static bool hides(const struct rules *rules, const struct question_order *order, uint32_t event)
{
    unsigned count;
    const struct access *accesses = execution_accesses(rules->execution, event, &count);
    for (unsigned i = 0; i < count; i++)
        if (access_overlap(&accesses[i], &order->from) && access_overlap(&accesses[i], &order->to) &&
            access_blocks((enum access_kind)order->from.kind, (enum access_kind)accesses[i].kind,
                          (enum access_kind)order->to.kind))
            return true;
    return false;
}

/* The task of the first event does the same again. */
static bool repeats(const struct rules *rules, const struct question_order *order, uint32_t event)
{
    const struct event *first = execution_event(rules->execution, order->first),
                       *again = execution_event(rules->execution, event);
    if (again->task != first->task || again->site != first->site || event == order->first)
        return false;
    const struct access *access = execution_find_access(rules->execution, event, (enum access_kind)order->from.kind);
    return access != NULL && access_overlap(access, &order->from) && access_overlap(access, &order->to);
}

bool question_order_is_hidden(const struct rules *rules, const struct question_order *order, uint32_t event)
{
    return event != order->first && event != order->second &&
           (hides(rules, order, event) || repeats(rules, order, event));
}

/* ---- answers ---------------------------------------------------------------------------------------------------------- */

void answer_free(struct answer *answer)
{
    vector_free(&answer->order);
    vector_free(&answer->leaves);
    vector_free(&answer->reasons);
}

void answer_copy_order(struct answer *copy, const struct answer *answer)
{
    vector_clear(&copy->order);
    vector_clear(&copy->leaves);
    copy->change = answer->change;
    copy->changed = answer->changed;
    vector_append(&copy->order, answer->order.data, answer->order.count);
    vector_append(&copy->leaves, answer->leaves.data, answer->leaves.count);
}
