// SPDX-License-Identifier: MIT
// locale_per_thread.c - uselocale gives a thread a locale of its own.
//
// expect: none
#include "correct.h"

#include <locale.h>

static int finished;

static void *work(void *unused)
{
    (void)unused;
    locale_t mine = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    CHECK(mine != (locale_t)0);
    locale_t old = uselocale(mine);
    char text[32];
    snprintf(text, sizeof text, "%.2f", 1.5);
    CHECK(strcmp(text, "1.50") == 0);
    sched_yield();
    CHECK(uselocale((locale_t)0) == mine);
    uselocale(old);
    freelocale(mine);
    __atomic_fetch_add(&finished, 1, __ATOMIC_RELAXED);
    return NULL;
}

int main(void)
{
    CHECK(setlocale(LC_ALL, "C") != NULL);
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    CHECK(finished == 2);
    return 0;
}
