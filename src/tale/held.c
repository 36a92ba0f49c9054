/* SPDX-License-Identifier: MIT
 *
 * held.c - the locks that a thread holds before an event, asked for from the first event to the last.
 *
 * DESIGN
 *   One walk: bars by where they begin.  Each thread has a list of bars that have begun; those that have ended are dropped when
 *   somebody looks.  So all questions together take as long as there are bars, however many are asked.
 */
#include <stdlib.h>

#include "tale/picture.h"
#include "util/memory.h"

typedef VECTOR(uint32_t) bar_list; /* numbers of bars, ascending */

struct held_locks {
    const struct tale *tale;
    uint32_t *order; /* numbers of all bars, by their beginnings */
    size_t next;     /* of them: the first that has not begun */
    bar_list *begun; /* by thread */
};

static int compare_beginnings(const void *left, const void *right, void *bars)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    uint32_t from = ((const struct tale_bar *)bars)[a].from, other = ((const struct tale_bar *)bars)[b].from;
    return from != other ? (from < other ? -1 : 1) : (a > b) - (a < b);
}

struct held_locks *held_open(const struct tale *tale)
{
    struct held_locks *held = memory_allocate(1, sizeof *held);
    size_t count = tale->bars.count;
    held->tale = tale;
    held->order = memory_allocate(count + 1, sizeof *held->order);
    held->begun = memory_allocate(tale->threads.count + 1, sizeof *held->begun);
    for (size_t i = 0; i < count; i++)
        held->order[i] = (uint32_t)i;
    qsort_r(held->order, count, sizeof *held->order, compare_beginnings, tale->bars.data);
    return held;
}

/* Bars are numbered as they begin, unless somebody has changed the file: nearly always this adds at the end. */
static void add_bar(bar_list *list, uint32_t number)
{
    vector_push(list, number);
    for (size_t i = list->count - 1; i > 0 && list->data[i - 1] > number; i--) {
        list->data[i] = list->data[i - 1];
        list->data[i - 1] = number;
    }
}

size_t held_before(struct held_locks *held, uint32_t thread, uint32_t event, const struct tale_bar *bars[], size_t most)
{
    const struct tale_bar *all = held->tale->bars.data;
    for (; held->next < held->tale->bars.count && all[held->order[held->next]].from < event; held->next++)
        add_bar(&held->begun[all[held->order[held->next]].thread], held->order[held->next]);
    bar_list *list = &held->begun[thread];
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (all[list->data[i]].until >= event) { /* UINT32_MAX: never given back */
            if (kept < most)
                bars[kept] = &all[list->data[i]];
            list->data[kept++] = list->data[i];
        }
    list->count = kept;
    return kept < most ? kept : most;
}

void held_close(struct held_locks *held)
{
    for (size_t i = 0; i < held->tale->threads.count; i++)
        vector_free(&held->begun[i]);
    free(held->begun);
    free(held->order);
    free(held);
}
