/* SPDX-License-Identifier: MIT
 *
 * goal.c - see goal.h.
 */
#include "direct/goal.h"

#include <assert.h>
#include <string.h>

/* ---- operations by kind ------------------------------------------------------------------------------------------- */

/* What is wanted of a step, and whether what an update reads or writes is enough. */
struct wanted_access {
    enum access_kind kind;
    bool exactly;
};

static bool turns_out_as(uint8_t op, uint8_t outcome, struct wanted_access wanted)
{
    struct event event = {.address = 1, .size = 1, .op = op, .flags = outcome};
    struct access accesses[EVENT_ACCESSES];
    unsigned count = event_accesses(&event, op == OP_COND_WAIT || op == OP_COND_WAKE, accesses);
    for (unsigned i = 0; i < count; i++)
        if (wanted.exactly ? accesses[i].kind == wanted.kind : access_fits(wanted.kind, accesses[i].kind))
            return true;
    return false;
}

/* Operations that can turn out as the access: which will, is known only when it has been done. */
static void set_ops(struct wire_goal_step *step, struct wanted_access wanted)
{
    _Static_assert(WIRE_OP_COUNT <= 128, "wire_goal_step.ops has 128 bits");
    for (unsigned op = 0; op < WIRE_OP_COUNT; op++) {
        uint64_t bit = 1ull << (op % 64);
        bool fits[OUTCOMES] = {[OUTCOME_DONE] = turns_out_as((uint8_t)op, 0, wanted) ||
                                                turns_out_as((uint8_t)op, EVENT_READING, wanted),
                               [OUTCOME_FAILED] = turns_out_as((uint8_t)op, EVENT_FAILED, wanted),
                               [OUTCOME_UNCHANGED] = turns_out_as((uint8_t)op, EVENT_UNCHANGED, wanted)};
        if (!fits[OUTCOME_DONE] && !fits[OUTCOME_FAILED] && !fits[OUTCOME_UNCHANGED])
            continue;
        step->ops[op / 64] |= bit;
        for (unsigned outcome = 0; outcome < OUTCOMES; outcome++)
            step->refused[outcome][op / 64] |= fits[outcome] ? 0 : bit;
    }
}

/* ---- steps ---------------------------------------------------------------------------------------------------------- */

/* before: the witness of the thread's step before; NULL: it is the first. */
static void insist_on(struct wire_goal_step *step, const struct witness *witness, const struct witness *before,
                      unsigned what)
{
    if (what & GOAL_TASK) {
        step->task = witness->task;
        step->unit_depth = witness->unit_depth;
    }
    if ((what & GOAL_SECTION_ENTRY) && witness->section_entry < witness->operation && before == NULL)
        step->section_entry = witness->section_entry;
    if (before != NULL) { /* the next one of its kind; witnesses of two steps need not be of one execution */
        if ((what & GOAL_SECTION_ENTRY) && witness->section_entry < witness->operation &&
            witness->section_entry > before->operation)
            step->section_entry = witness->section_entry - before->operation;
        if ((what & GOAL_CONTEXTS) && step->context == 0)
            step->context = (uint32_t)witness->context;
        return;
    }
    if ((what & GOAL_OCCURRENCE) && step->occurrence == 0) /* what the pattern says counts for more */
        step->occurrence = witness->occurrence;
    if ((what & (GOAL_CONTEXT | GOAL_CONTEXTS)) && step->context == 0)
        step->context = (uint32_t)witness->context;
}

static void make_step(struct wire_goal_step *step, const struct pattern *pattern, unsigned index)
{
    const struct pattern_step *wanted = &pattern->steps[index];
    *step = (struct wire_goal_step){.thread = wanted->thread,
                                    .variable = wanted->variable,
                                    .group = wanted->group,
                                    .strong = access_is_strong((enum access_kind)wanted->kind),
                                    .of_mutex = wanted->kind == ACCESS_LOCK || wanted->kind == ACCESS_UNLOCK,
                                    .task = UINT16_MAX,
                                    .occurrence = wanted->occurrence,
                                    .context = (uint32_t)wanted->context};
    /* A family that takes any access tells instances apart by what each was. */
    const struct pattern *shape = pattern->family != NULL ? family_shape((unsigned)(pattern->family - families)) : NULL;
    set_ops(step, (struct wanted_access){.kind = (enum access_kind)wanted->kind,
                                         .exactly = shape != NULL && shape->steps[index].kind == ACCESS_ANY &&
                                                    wanted->kind != ACCESS_ANY});
    if (wanted->relation == RELATION_IMMEDIATE)
        step->immediate = (uint8_t)(pattern_previous_on_variable(pattern, index) + 1);
}

bool goal_make(struct wire_goal *goal, const struct pattern *pattern, uint32_t window, const struct witness *witnesses,
               unsigned insist, goal_pcs *pcs, void *context, unsigned *missing)
{
    assert(pattern->count >= 2 && pattern->count <= PATTERN_STEPS);
    *goal = (struct wire_goal){.count = pattern->count};
    if (pattern->family != NULL && (pattern->family->flags & FAMILY_UNINTERRUPTED))
        goal->flags |= GOAL_UNINTERRUPTED;
    if (pattern->family != NULL && (pattern->family->flags & FAMILY_WINDOW))
        goal->window = window;
    for (unsigned i = 0; i < pattern->count; i++) {
        struct wire_goal_step *step = &goal->steps[i];
        make_step(step, pattern, i);
        uint32_t own = pattern->steps[i].window;
        if (own != 0 && (goal->window == 0 || own < goal->window))
            goal->window = own;
        int before = pattern_previous_of_thread(pattern, i);
        if (witnesses != NULL)
            insist_on(step, &witnesses[i], before < 0 ? NULL : &witnesses[before], insist);
        uint32_t site = pattern->steps[i].site;
        if (site != SITE_ANY && pcs(context, site, step->pcs, GOAL_PCS) == 0) {
            *missing = i;
            return false;
        }
    }
    return true;
}

void goal_order(struct wire_goal *goal, unsigned turned)
{
    for (unsigned i = 0; i + 1 < goal->count; i++) {
        if (goal->steps[i].group != goal->steps[i + 1].group)
            continue;
        for (unsigned j = i + 2; j < goal->count; j++)
            goal->steps[j].group++;
        goal->steps[turned & 1 ? i : i + 1].group++;
        turned >>= 1;
        i++;
    }
}

/* ---- prefix --------------------------------------------------------------------------------------------------------- */

/* The step of the schedule during which the task does its operation. */
static size_t segment_of(const struct wire_step *steps, size_t count, uint16_t task, uint64_t operation)
{
    for (size_t i = 0; i < count; i++)
        if (steps[i].type == STEP_RUN && steps[i].task == task && steps[i].until > operation)
            return i;
    return count;
}

void goal_prefix(const struct wire_step *steps, size_t count, const struct witness *witnesses, unsigned witness_count,
                 bool to_section, goal_steps *prefix)
{
    size_t cut = count;
    uint64_t until = UINT64_MAX;
    assert(witness_count <= PATTERN_STEPS);
    for (unsigned i = 0; i < witness_count; i++) {
        uint64_t operation =
            to_section && witnesses[i].section_entry != 0 ? witnesses[i].section_entry : witnesses[i].operation;
        size_t at = segment_of(steps, count, witnesses[i].task, operation);
        if (at < cut || (at == cut && at < count && operation < until)) {
            cut = at;
            until = operation;
        }
    }
    assert(cut <= count);
    vector_clear(prefix);
    for (size_t i = 0; i < cut; i++)
        vector_push(prefix, steps[i]);
    if (cut == count)
        return;
    struct wire_step last = steps[cut];
    last.until = until;
    vector_push(prefix, last);
    for (size_t i = cut + 1; i < count && steps[i].type == STEP_CHOICE && steps[i].until < until; i++)
        vector_push(prefix, steps[i]);
}
