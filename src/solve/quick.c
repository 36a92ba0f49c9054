/* SPDX-License-Identifier: MIT
 *
 * quick.c - see quick.h.
 */
#include "solve/quick.h"

#include "solve/greedy.h"

enum {
    OTHERS_MOST = 64, /* alternatives that are looked at one by one */
    QUICK_EACH = 256, /* so much work here is about one of Z3's units */
};

/* Why there is no order is in the answer.  Not by rules alone that are not certain, if a search may prove it without them. */
static bool is_excluded(struct quick *quick, const struct rules *rules, const struct question *question, uint32_t also,
                        struct answer *answer)
{
    size_t before = answer->reasons.count;
    bool certain = answer->certain;
    quick->precedence.certain_only = false;
    if (!precedence_exclude(&quick->precedence, rules, question, also, answer))
        return false;
    if (answer->certain || !rules->certain)
        return true;
    answer->reasons.count = before;
    answer->certain = certain;
    quick->precedence.certain_only = true;
    return precedence_exclude(&quick->precedence, rules, question, also, answer);
}

/* There is no order in which the event is done, or one was found. */
enum alternative { ALTERNATIVE_EXCLUDED, ALTERNATIVE_FOUND, ALTERNATIVE_OPEN };

static enum alternative try_alternative(struct quick *quick, const struct rules *rules, const struct question *question,
                                        uint32_t also, struct answer *answer)
{
    if (is_excluded(quick, rules, question, also, answer))
        return ALTERNATIVE_EXCLUDED;
    bool open = !quick->precedence.impossible && !quick->precedence.certain_only;
    return open && greedy_find(&quick->precedence, answer) ? ALTERNATIVE_FOUND : ALTERNATIVE_OPEN;
}

/* One event of each list must be done: an order is excluded if all events of a list are. */
static bool try_others(struct quick *quick, const struct rules *rules, const struct question *question,
                       struct answer *answer)
{
    const event_list *others = &question->others;
    bool open = false;
    for (size_t i = 0; i < others->count; i++) {
        if (others->data[i] == EVENT_NONE) {
            if (!open)
                return true;
            open = false;
            answer->certain = rules->certain;
            vector_clear(&answer->reasons);
            continue;
        }
        enum alternative found = open && i > OTHERS_MOST
                                     ? ALTERNATIVE_OPEN
                                     : try_alternative(quick, rules, question, others->data[i], answer);
        if (found == ALTERNATIVE_FOUND) {
            answer->kind = ANSWER_FOUND;
            return true;
        }
        open |= found == ALTERNATIVE_OPEN;
    }
    return false;
}

bool quick_ask(struct quick *quick, const struct rules *rules, const struct question *question, struct answer *answer)
{
    uint64_t work = quick->precedence.work;
    bool answered;
    vector_clear(&answer->order);
    vector_clear(&answer->leaves);
    vector_clear(&answer->reasons);
    answer->kind = ANSWER_IMPOSSIBLE;
    answer->certain = rules->certain;
    if (question->others.count == 0) {
        enum alternative found = try_alternative(quick, rules, question, EVENT_NONE, answer);
        answered = found != ALTERNATIVE_OPEN;
        answer->kind = found == ALTERNATIVE_FOUND ? ANSWER_FOUND : ANSWER_IMPOSSIBLE;
    } else {
        answered = try_others(quick, rules, question, answer);
        if (answered && answer->kind == ANSWER_IMPOSSIBLE)
            vector_push(&answer->reasons, ((struct reason){REASON_OTHER, true, EVENT_NONE, EVENT_NONE}));
    }
    if (answer->kind == ANSWER_FOUND)
        vector_clear(&answer->reasons);
    answer->work = (quick->precedence.work - work) / QUICK_EACH;
    return answered;
}

void quick_free(struct quick *quick)
{
    precedence_free(&quick->precedence);
}
