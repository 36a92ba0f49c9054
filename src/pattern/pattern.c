/* SPDX-License-Identifier: MIT
 *
 * pattern.c - patterns: rules, comparison, print.  Reading them: parse.c.
 */
#include "pattern/pattern.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "pattern/family.h"

int pattern_previous_on_variable(const struct pattern *pattern, unsigned step)
{
    assert(step < pattern->count);
    for (int i = (int)step - 1; i >= 0; i--)
        if (pattern->steps[i].variable == pattern->steps[step].variable &&
            pattern->steps[i].group < pattern->steps[step].group)
            return i;
    return -1;
}

int pattern_previous_of_thread(const struct pattern *pattern, unsigned step)
{
    assert(step < pattern->count);
    int i = (int)step - 1;
    while (i >= 0 && pattern->steps[i].thread != pattern->steps[step].thread)
        i--;
    return i;
}

bool pattern_has_shape(const struct pattern *pattern, const struct pattern *shape)
{
    if (pattern->count != shape->count)
        return false;
    for (unsigned i = 0; i < pattern->count; i++) {
        const struct pattern_step *step = &pattern->steps[i];
        const struct pattern_step *other = &shape->steps[i];
        if (step->thread != other->thread || step->variable != other->variable || step->group != other->group ||
            !access_fits(other->kind, step->kind))
            return false;
    }
    return true;
}

static bool step_equal(const struct pattern_step *a, const struct pattern_step *b)
{
    return a->thread == b->thread && a->variable == b->variable && a->kind == b->kind && a->group == b->group &&
           a->relation == b->relation && a->window == b->window && a->site == b->site &&
           a->occurrence == b->occurrence && a->context == b->context;
}

bool pattern_equal(const struct pattern *a, const struct pattern *b)
{
    if (a->count != b->count || a->family != b->family)
        return false;
    for (unsigned i = 0; i < a->count; i++)
        if (!step_equal(&a->steps[i], &b->steps[i]))
            return false;
    return true;
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

static bool check_group(const struct pattern *pattern, unsigned first, struct error *error)
{
    bool reaches_back = false;
    bool has_earlier_step = false;
    unsigned i = first;
    for (; i < pattern->count && pattern->steps[i].group == pattern->steps[first].group; i++) {
        for (unsigned j = first; j < i; j++)
            if (pattern->steps[j].thread == pattern->steps[i].thread)
                return error_set(error, EXIT_USAGE, "steps %u and %u are of one thread: < is missing between them",
                                 j + 1, i + 1);
        int source = pattern_previous_on_variable(pattern, i);
        reaches_back |= source >= 0 && pattern->steps[source].thread != pattern->steps[i].thread;
        has_earlier_step |= pattern_previous_of_thread(pattern, i) >= 0;
    }
    if (pattern->steps[first].relation == RELATION_IMMEDIATE && !reaches_back)
        return error_set(error, EXIT_USAGE, "<< before step %u: there is no earlier step of the other thread on %s",
                         first + 1, pattern->variables[pattern->steps[first].variable]);
    if (pattern->steps[first].window > 0 && !has_earlier_step)
        return error_set(error, EXIT_USAGE, "the window before step %u: its thread has no earlier step", first + 1);
    return true;
}

bool pattern_check(const struct pattern *pattern, struct error *error)
{
    if (pattern->count < 2)
        return error_set(error, EXIT_USAGE, "a pattern has at least two steps: < and another step are missing");
    bool both = false;
    for (unsigned i = 0; i < pattern->count; i++)
        both |= pattern->steps[i].thread == 1;
    if (!both)
        return error_set(error, EXIT_USAGE, "all steps are of one thread: a pattern has two, a and b");
    for (unsigned i = 0; i < pattern->count; i++)
        if ((i == 0 || pattern->steps[i].group != pattern->steps[i - 1].group) && !check_group(pattern, i, error))
            return false;
    return true;
}

/* ---- print ------------------------------------------------------------------------------------------------------- */

static void print_step(const struct pattern *pattern, const struct pattern_step *step, const struct sites *sites,
                       enum site_detail detail, struct buffer *out)
{
    const char *variable = pattern->variables[step->variable];
    if (*variable == '\0')
        variable = step->variable == 0 ? "x" : "y";
    buffer_printf(out, "%c:%s(%s)", 'a' + step->thread, access_kind_name(step->kind), variable);
    if (step->site != SITE_ANY) {
        buffer_add_char(out, '@');
        sites_print(sites, step->site, detail, out);
    }
    if (step->context != 0)
        buffer_printf(out, "~%" PRIx64, step->context);
    if (step->occurrence != 0)
        buffer_printf(out, "*%" PRIu32, step->occurrence);
}

void pattern_print(const struct pattern *pattern, const struct sites *sites, enum site_detail detail,
                   struct buffer *out)
{
    if (pattern->family != NULL)
        buffer_printf(out, "%s ", pattern->family->name);
    for (unsigned i = 0; i < pattern->count; i++) {
        const struct pattern_step *step = &pattern->steps[i];
        if (i > 0 && step->group == pattern->steps[i - 1].group) {
            buffer_add_string(out, " | ");
        } else if (i > 0) {
            buffer_add_string(out, step->relation == RELATION_IMMEDIATE ? " <<" : " <");
            if (step->window != 0)
                buffer_printf(out, "[%" PRIu32 "]", step->window);
            buffer_add_char(out, ' ');
        }
        print_step(pattern, step, sites, detail, out);
    }
}
