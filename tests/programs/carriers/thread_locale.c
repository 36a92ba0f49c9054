// SPDX-License-Identifier: MIT
// thread_locale.c - the locale and h_errno of a thread that follows on another one's stack
#include "../restart/frame.h"

#include <ctype.h>
#include <locale.h>
#include <netdb.h>

static void *look(void *unused)
{
    (void)unused;
    printf("%d %d %d\n", uselocale(NULL) == LC_GLOBAL_LOCALE, h_errno, isalpha('x') != 0);
    h_errno = 2;
    uselocale(newlocale(LC_ALL_MASK, "C.UTF-8", NULL));
    return NULL;
}

static void before(void)
{
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, look, NULL);
        pthread_join(thread, NULL);
    }
}

static void after(void)
{
    before();
}
