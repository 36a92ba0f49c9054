// SPDX-License-Identifier: MIT
// environment_read.c - getenv from many threads while no one writes; setenv before they begin.
//
// expect: none
#include "correct.h"

static int seen;

static void *work(void *unused)
{
    (void)unused;
    const char *value = getenv("CORRECT_VALUE");
    CHECK(value != NULL && strcmp(value, "set early") == 0);
    CHECK(secure_getenv("CORRECT_NONE") == NULL);
    __atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
    return NULL;
}

int main(void)
{
    CHECK(setenv("CORRECT_VALUE", "set early", 1) == 0 && unsetenv("CORRECT_NONE") == 0);
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    CHECK(seen == 2);
    return 0;
}
