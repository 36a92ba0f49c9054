/* SPDX-License-Identifier: MIT
 *
 * follow_align.c - see follow_align.h.
 */
#include "explain/follow_align.h"

#include <assert.h>
#include <stdlib.h>

#include "util/memory.h"
#include "util/stop.h"

enum { MOST_CELLS = 32 << 20, LEAST_BAND = 64 };
enum { SAME_OP = 2, SAME_FAMILY = 1, SAME_FUNCTION = 4, SAME_OBJECT = 4, SAME_PLACE = 2 };
enum { MOST_LIKE = SAME_OP + SAME_FUNCTION + SAME_OBJECT + SAME_PLACE };
enum way { BOTH, SKIP_OLD, SKIP_NEW };

uint32_t align_likeness(const struct align_item *a, const struct align_item *b)
{
    if (a->family != b->family || (a->function != b->function && a->object != b->object))
        return 0;
    return (a->op == b->op ? SAME_OP : SAME_FAMILY) + (a->function == b->function ? SAME_FUNCTION : 0) +
           (a->object == b->object ? SAME_OBJECT : 0) + (a->place == b->place ? SAME_PLACE : 0);
}

/* The part of the table that is computed: in row i `width` columns, from first(i) on. */
struct band {
    const struct align_item *a, *b;
    size_t n, m, width;
    uint64_t *row, *below; /* best sums of the remaining items, by column - first */
    unsigned char *ways;   /* n rows of width */
};

static size_t first_column(const struct band *band, size_t i)
{
    assert(band->n > 0 && i <= band->n);
    if (band->width > band->m)
        return 0;
    size_t middle = (size_t)((unsigned __int128)i * band->m / band->n), half = band->width / 2;
    size_t first = middle > half ? middle - half : 0;
    return first + band->width > band->m + 1 ? band->m + 1 - band->width : first;
}

/* The sum of the best alignment of a[i…] and b[j…], from the row below; 0 outside the band. */
static uint64_t rest_below(const struct band *band, size_t i, size_t j)
{
    size_t first = first_column(band, i + 1);
    return i + 1 > band->n || j < first || j - first >= band->width ? 0 : band->below[j - first];
}

static void fill_row(struct band *band, size_t i)
{
    assert(i < band->n);
    assert(first_column(band, i) + band->width <= band->m + 1);
    size_t first = first_column(band, i);
    for (size_t k = band->width; k-- > 0;) {
        size_t j = first + k;
        uint64_t skip_old = rest_below(band, i, j);
        uint64_t skip_new = k + 1 < band->width && j < band->m ? band->row[k + 1] : 0;
        uint32_t likeness = j < band->m ? align_likeness(&band->a[i], &band->b[j]) : 0;
        uint64_t both = likeness > 0 ? likeness + rest_below(band, i, j + 1) : 0;
        enum way way = SKIP_OLD;
        uint64_t best = skip_old;
        if (j < band->m && skip_new > best)
            best = skip_new, way = SKIP_NEW;
        if (likeness > 0 && both >= best)
            best = both, way = BOTH;
        assert(best >= skip_old);
        band->row[k] = best;
        band->ways[i * band->width + k] = (unsigned char)way;
    }
}

static uint64_t walk(const struct band *band, int32_t *match)
{
    uint64_t sum = 0;
    for (size_t i = 0, j = 0; i < band->n;) {
        size_t first = first_column(band, i), k = j - first;
        if (j < first) { /* left of the band: next to its edge */
            j = first;
            continue;
        }
        enum way way = k < band->width ? (enum way)band->ways[i * band->width + k] : SKIP_OLD;
        match[i] = ALIGN_NONE;
        if (way == BOTH) {
            sum += align_likeness(&band->a[i], &band->b[j]);
            assert(j < band->m);
            match[i] = (int32_t)j++;
        }
        if (way == SKIP_NEW)
            j++;
        else
            i++;
    }
    return sum;
}

static uint64_t align_middle(const struct align_item *a, size_t n, const struct align_item *b, size_t m, size_t cells,
                             int32_t *match)
{
    assert(cells > 0);
    for (size_t i = 0; i < n; i++)
        match[i] = ALIGN_NONE;
    if (n == 0 || m == 0)
        return 0;
    size_t width = cells / n < LEAST_BAND ? LEAST_BAND : cells / n;
    if (width > m + 1)
        width = m + 1;
    assert(width >= 1 && width <= m + 1);
    struct band band = {.a = a, .b = b, .n = n, .m = m, .width = width};
    band.row = memory_allocate(width, sizeof *band.row);
    band.below = memory_allocate(width, sizeof *band.below);
    band.ways = memory_allocate(n, width);
    for (size_t i = n; i-- > 0 && !stop_requested();) {
        fill_row(&band, i);
        uint64_t *row = band.row;
        band.row = band.below;
        band.below = row;
    }
    uint64_t sum = walk(&band, match);
    free(band.row);
    free(band.below);
    free(band.ways);
    return sum;
}

uint64_t align_sequences(const struct align_item *a, size_t n, const struct align_item *b, size_t m, size_t cells,
                         int32_t *match)
{
    assert(n <= INT32_MAX && m <= INT32_MAX);
    assert(match != NULL || n == 0);
    size_t begin = 0, end = 0;
    /* Equal items at both ends can be matched without loss. */
    while (begin < n && begin < m && align_likeness(&a[begin], &b[begin]) == MOST_LIKE) {
        match[begin] = (int32_t)begin;
        begin++;
    }
    while (end < n - begin && end < m - begin && align_likeness(&a[n - 1 - end], &b[m - 1 - end]) == MOST_LIKE) {
        match[n - 1 - end] = (int32_t)(m - 1 - end);
        end++;
    }
    assert(begin + end <= n && begin + end <= m);
    uint64_t sum = (uint64_t)(begin + end) * MOST_LIKE;
    sum += align_middle(a + begin, n - begin - end, b + begin, m - begin - end, cells > 0 ? cells : MOST_CELLS,
                        match + begin);
    for (size_t i = begin; i < n - end; i++)
        if (match[i] != ALIGN_NONE)
            match[i] += (int32_t)begin;
    return sum;
}
