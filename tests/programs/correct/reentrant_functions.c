// SPDX-License-Identifier: MIT
// reentrant_functions.c - strtok_r, strerror_r, localtime_r, gmtime_r, asctime_r and rand_r keep their state with the caller.
//
// expect: none
#include "correct.h"

static int finished;

static void *work(void *unused)
{
    (void)unused;
    char text[] = "a:b:c", *state, message[64], date[26];
    int words = 0;
    for (char *word = strtok_r(text, ":", &state); word != NULL; word = strtok_r(NULL, ":", &state)) {
        words++;
        sched_yield();
    }
    CHECK(words == 3);
    CHECK(strlen(strerror_r(ENOENT, message, sizeof message)) > 5);
    time_t day = 86400;
    struct tm tm, local;
    CHECK(gmtime_r(&day, &tm) == &tm && tm.tm_mday == 2 && localtime_r(&day, &local) == &local);
    CHECK(strncmp(asctime_r(&tm, date), "Fri Jan  2", 10) == 0);
    unsigned seed = 1, same = 1;
    for (int i = 0; i < 3; i++)
        CHECK(rand_r(&seed) == rand_r(&same));
    __atomic_fetch_add(&finished, 1, __ATOMIC_RELAXED);
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    CHECK(finished == 2);
    return 0;
}
