/* SPDX-License-Identifier: MIT
 *
 * page.c - see page.h.
 */
#include "runtime/page.h"

#include <stdint.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

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

#if defined(__x86_64__)
/* The same with registers of 32 bytes, in half the time: this is a tenth of what a small schedule takes. */
__attribute__((target("avx2"))) static void put_back_wide(void *page, const void *copy)
{
    __m256i *x = page;
    const __m256i *y = copy;
    for (int i = 0; i < PAGE_SIZE / 32; i += 4) {
        __m256i difference = (x[i] ^ y[i]) | (x[i + 1] ^ y[i + 1]) | (x[i + 2] ^ y[i + 2]) | (x[i + 3] ^ y[i + 3]);
        if (!_mm256_testz_si256(difference, difference))
            for (int k = 0; k < 4; k++)
                x[i + k] = y[i + k];
    }
}

/* Whether processor and kernel have such registers. */
static bool has_wide(void)
{
    enum { LEAF_FEATURES = 1, LEAF_MORE = 7, XSAVE_ENABLED = 1 << 27, AVX2 = 1 << 5, STATES = 6 };
    unsigned a, b, c, d, states;
    if (!__get_cpuid(LEAF_FEATURES, &a, &b, &c, &d) || !(c & XSAVE_ENABLED))
        return false;
    __asm__("xgetbv" : "=a"(states), "=d"(d) : "c"(0));
    return (states & STATES) == STATES && __get_cpuid_count(LEAF_MORE, 0, &a, &b, &c, &d) && (b & AVX2);
}
#else
static void put_back_wide(void *page, const void *copy)
{
    put_back(page, copy);
}

static bool has_wide(void)
{
    return false;
}
#endif

page_put_back *page_fastest_put_back(void)
{
    return has_wide() ? put_back_wide : put_back;
}
