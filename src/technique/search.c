/* SPDX-License-Identifier: MIT
 *
 * search.c - depth-first search.
 */
#include "technique/search.h"

enum {
    ABOVE = 6
}; /* a checkpoint lies so many choices above the one that changes: it serves about two to the power of that */

static void step_back(struct search *search)
{
    while (search->path.count > 0) {
        struct wire_choice *last = &search->path.data[search->path.count - 1];
        if (last->chosen + 1 < last->count) {
            last->chosen++;
            return;
        }
        search->path.count--;
    }
    search->finished = true;
}

/* Holds the run a little above the choice that changes next, if nothing is held near there. */
static void plan_checkpoint(const struct search *search, struct checkpoints *checkpoints, struct server *server,
                            int from, struct wire_plan *plan)
{
    uint32_t changed = search->path.count > 0 ? (uint32_t)search->path.count - 1 : 0;
    uint32_t wanted = changed > ABOVE ? changed - ABOVE : 0;
    if (checkpoints_may_ask(checkpoints) && (from < 0 || wanted >= checkpoints->places[from].steps.count + ABOVE))
        checkpoints_ask(checkpoints, server, plan, CHECKPOINT_AT(wanted), 0);
}

int search_checkpoint(struct search *search, struct checkpoints *checkpoints, struct server *server,
                      struct wire_plan *plan)
{
    vector_clear(&search->steps);
    for (size_t i = 0; i < search->path.count; i++)
        vector_push(&search->steps, checkpoints_choice(search->path.data[i]));
    const struct checkpoints_wish wish = {search->steps.data, search->steps.count, plan->flags};
    checkpoints_keep(checkpoints, server, &wish); /* the search does not come back to what it has left */
    int from = checkpoints_find(checkpoints, server, &wish);
    plan_checkpoint(search, checkpoints, server, from, plan);
    return from;
}

static void add_passed(struct search *search, const struct wire_passed *passed)
{
    size_t i = 0;
    while (i < search->passed.count && search->passed.data[i].pc != passed->pc)
        i++;
    if (i == search->passed.count)
        vector_push(&search->passed, ((struct wire_passed){.pc = passed->pc}));
    search->passed.data[i].times += passed->times;
    search->passed.data[i].writes |= passed->writes;
}

void search_observe(struct search *search, const struct wire_copy *copy)
{
    vector_clear(&search->path);
    if (copy->result.shared_sites != search->sites) {
        search->sites = copy->result.shared_sites;
        search->schedules = 0;
        search->cut = false;
        vector_clear(&search->passed);
        return;
    }
    search->schedules++;
    search->waits |= copy->result.waits;
    search->cut |= (copy->result.lost & LOST_CHOICES) != 0;
    for (uint32_t i = 0; i < copy->result.passed_count; i++)
        add_passed(search, &copy->result.passed[i]);
    vector_append(&search->path, copy->choices.data, copy->choices.count);
    step_back(search);
}

void search_free(struct search *search)
{
    vector_free(&search->path);
    vector_free(&search->passed);
    vector_free(&search->steps);
}
