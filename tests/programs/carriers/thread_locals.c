// SPDX-License-Identifier: MIT
// thread_locals.c - thread-local variables and errno of a thread that follows on another one's stack
#include "../restart/frame.h"

#include <errno.h>

static __thread int initialised = 7, zero, array[1000];
static __thread char text[] = "text";

static void *change(void *unused)
{
    (void)unused;
    printf("%d %d %d %s %d\n", initialised, zero, array[999], text, errno);
    initialised++;
    zero++;
    array[999]++;
    text[0] = 'n';
    errno = 33;
    return NULL;
}

static void before(void)
{
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, change, NULL);
        pthread_join(thread, NULL);
    }
}

static void after(void)
{
    change(NULL);
}
