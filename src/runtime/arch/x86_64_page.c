/* SPDX-License-Identifier: MIT
 *
 * x86_64_page.c - restoring pages with registers of 32 bytes.
 */
#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#include "runtime/page.h"

/* page.c has the same with registers of 16 bytes.  This takes half the time, and that is a tenth of what a small schedule takes. */
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

arch_put_back *arch_find_put_back(void)
{
    return has_wide() ? put_back_wide : NULL;
}

#endif
