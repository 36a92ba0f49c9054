/* SPDX-License-Identifier: MIT
 *
 * lock_query.c - which locks a thread holds before an event.  Events are queried in ascending order.
 *
 * DESIGN
 *   The bars are sorted by their beginnings.  Each thread has a list of bars that have begun; a query removes those
 *   that have ended.  So the total cost is linear in the number of bars plus the number of results.
 */
#include <assert.h>
#include <stdlib.h>

#include "tale/picture.h"
#include "util/memory.h"

typedef VECTOR(uint32_t) bar_list; /* numbers of bars, ascending */

struct lock_query {
    const struct tale *tale;
    uint32_t *order; /* numbers of all bars, sorted by their beginnings */
    size_t next;     /* index into `order`: the first bar that has not begun */
    bar_list *begun; /* per thread */
};

static int compare_beginnings(const void *left, const void *right, void *bars)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    uint32_t from = ((const struct tale_bar *)bars)[a].from, other = ((const struct tale_bar *)bars)[b].from;
    return from != other ? (from < other ? -1 : 1) : (a > b) - (a < b);
}

struct lock_query *lock_query_open(const struct tale *tale)
{
    assert(tale != NULL);
    struct lock_query *query = memory_allocate(1, sizeof *query);
    size_t count = tale->bars.count;
    query->tale = tale;
    query->order = memory_allocate(count + 1, sizeof *query->order);
    query->begun = memory_allocate(tale->threads.count + 1, sizeof *query->begun);
    for (size_t i = 0; i < count; i++)
        query->order[i] = (uint32_t)i;
    qsort_r(query->order, count, sizeof *query->order, compare_beginnings, tale->bars.data);
    return query;
}

/* Bars are numbered in the order of their beginnings, unless the file was edited.  So this nearly always appends. */
static void add_bar(bar_list *list, uint32_t number)
{
    assert(list->count == 0 || list->data[list->count - 1] != number);
    vector_push(list, number);
    for (size_t i = list->count - 1; i > 0 && list->data[i - 1] > number; i--) {
        list->data[i] = list->data[i - 1];
        list->data[i - 1] = number;
    }
}

size_t lock_query_before(struct lock_query *query, uint32_t thread, uint32_t event, const struct tale_bar *bars[],
                         size_t most)
{
    assert(thread < query->tale->threads.count);
    assert(bars != NULL || most == 0);
    const struct tale_bar *all = query->tale->bars.data;
    for (; query->next < query->tale->bars.count && all[query->order[query->next]].from < event; query->next++)
        add_bar(&query->begun[all[query->order[query->next]].thread], query->order[query->next]);
    bar_list *list = &query->begun[thread];
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (all[list->data[i]].until >= event) { /* UINT32_MAX: never released */
            if (kept < most)
                bars[kept] = &all[list->data[i]];
            list->data[kept++] = list->data[i];
        }
    assert(kept <= list->count);
    list->count = kept;
    return kept < most ? kept : most;
}

void lock_query_close(struct lock_query *query)
{
    assert(query->next <= query->tale->bars.count);
    for (size_t i = 0; i < query->tale->threads.count; i++)
        vector_free(&query->begun[i]);
    free(query->begun);
    free(query->order);
    free(query);
}
