// SPDX-License-Identifier: MIT
// io_eventfd_counter.c - an eventfd adds up what is written until it is read.
//
// expect: none
#include "correct.h"

#include <sys/eventfd.h>

static int counter;

static void *add(void *amount)
{
    uint64_t value = (uint64_t)(intptr_t)amount;
    CHECK(write(counter, &value, sizeof value) == sizeof value);
    return NULL;
}

int main(void)
{
    counter = eventfd(0, EFD_CLOEXEC);
    pthread_t a = start(add, (void *)3), b = start(add, (void *)4);
    uint64_t total = 0, value;
    while (total < 7) {
        CHECK(read(counter, &value, sizeof value) == sizeof value && value > 0);
        total += value;
    }
    CHECK(total == 7);
    join(a);
    join(b);
    close(counter);
    return 0;
}
