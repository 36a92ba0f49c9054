/* SPDX-License-Identifier: MIT
 *
 * page.c - see page.h.
 */
#include "runtime/page.h"

#include <stdint.h>

typedef uint64_t vector __attribute__((vector_size(16), may_alias));

void page_copy(void *to, const void *from)
{
    vector *target = to;
    const vector *source = from;
    for (int i = 0; i < PAGE_SIZE / 16; i += 4) {
        vector a = source[i], b = source[i + 1], c = source[i + 2], d = source[i + 3];
        target[i] = a;
        target[i + 1] = b;
        target[i + 2] = c;
        target[i + 3] = d;
    }
}

/* Whether the eight vectors from x on differ from those from y on. */
static inline bool line_differs(const vector *x, const vector *y)
{
    vector difference = (x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3]) | (x[4] ^ y[4]) | (x[5] ^ y[5]) |
                        (x[6] ^ y[6]) | (x[7] ^ y[7]);
    return (difference[0] | difference[1]) != 0;
}

bool page_differs(const void *a, const void *b)
{
    const vector *x = a, *y = b;
    for (int i = 0; i < PAGE_SIZE / 16; i += 8)
        if (line_differs(x + i, y + i))
            return true;
    return false;
}

/* Of most pages that a run has written a few lines differ. */
static void put_back(void *page, const void *copy)
{
    vector *x = page;
    const vector *y = copy;
    for (int i = 0; i < PAGE_SIZE / 16; i += 8)
        if (line_differs(x + i, y + i))
            for (int k = 0; k < 8; k++)
                x[i + k] = y[i + k];
}

page_put_back *page_fastest_put_back(void)
{
    page_put_back *wide = arch_find_put_back();
    return wide != NULL ? wide : put_back;
}
