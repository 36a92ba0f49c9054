/* SPDX-License-Identifier: MIT
 *
 * shape.c - see shape.h.
 */
#include "pattern/shape.h"

/* The dependencies that a row consists of: steps [source, target], first that of the first step. */
static unsigned row_edges(const struct pattern *shape, uint8_t edges[2][2])
{
    unsigned count = 0;
    int last[2] = {-1, -1}; /* step on the variable that waits for its target */
    for (unsigned i = 0; i < shape->count; i++) {
        int *source = &last[shape->steps[i].variable];
        if (*source >= 0 && count < 2) {
            edges[count][0] = (uint8_t)*source;
            edges[count][1] = (uint8_t)i;
            count++;
            *source = shape->count == 3 ? (int)i : -1; /* of three steps the middle one is target and source */
        } else {
            *source = (int)i;
        }
    }
    if (count == 2 && edges[0][0] != 0) { /* x, y, y, x: that of y was complete first */
        uint8_t source = edges[0][0];
        uint8_t target = edges[0][1];
        edges[0][0] = edges[1][0];
        edges[0][1] = edges[1][1];
        edges[1][0] = source;
        edges[1][1] = target;
    }
    return count;
}

static bool threads_agree(const struct pattern *shape, const struct shape_case *given, const uint8_t end[PATTERN_STEPS])
{
    for (unsigned i = 0; i < shape->count; i++)
        for (unsigned k = 0; k < i; k++)
            if ((shape->steps[i].thread == shape->steps[k].thread) != (given->thread[end[i]] == given->thread[end[k]]))
                return false;
    return true;
}

static bool order_agrees(const struct pattern *shape, const struct shape_case *given, const uint8_t end[PATTERN_STEPS])
{
    for (unsigned i = 0; i < shape->count; i++) {
        for (unsigned k = 0; k < i; k++) {
            bool same_thread = shape->steps[i].thread == shape->steps[k].thread;
            bool ordered = shape->steps[k].group < shape->steps[i].group;
            if (ordered && (given->total || same_thread) && given->rank[end[k]] >= given->rank[end[i]])
                return false;
        }
    }
    return true;
}

static bool uses_one_variable(const struct pattern *shape)
{
    bool one = true;
    for (unsigned i = 0; i < shape->count; i++)
        one = one && shape->steps[i].variable == 0;
    return one;
}

static void add_choice(unsigned row, const struct shape_case *given, bool exchanged, shape_choices *choices)
{
    const struct pattern *shape = family_shape(row);
    uint8_t edges[2][2];
    unsigned count = row_edges(shape, edges);
    struct shape_choice choice = {.row = (uint8_t)row};
    for (unsigned i = 0; i < count; i++) {
        bool is_first = (i == 0) != exchanged;
        choice.end[edges[i][0]] = is_first ? END_A : END_C;
        choice.end[edges[i][1]] = is_first ? END_B : END_D;
        uint8_t relation = shape->steps[edges[i][1]].relation;
        if (is_first)
            choice.first = relation;
        else
            choice.second = relation;
    }
    if (threads_agree(shape, given, choice.end) && order_agrees(shape, given, choice.end))
        vector_push(choices, choice);
}

void shape_list(family_mask wanted, const struct shape_case *given, shape_choices *choices)
{
    vector_clear(choices);
    for (unsigned row = 0; row < family_count; row++) {
        const struct pattern *shape = family_shape(row);
        if (!(wanted >> row & 1) || shape->count != given->steps || uses_one_variable(shape) != given->one_variable)
            continue;
        add_choice(row, given, false, choices);
        if (given->steps == 4)
            add_choice(row, given, true, choices);
    }
}
