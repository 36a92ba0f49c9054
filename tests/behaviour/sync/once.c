// SPDX-License-Identifier: MIT
// once.c - rows O of docs/posix.md.
#include "rows.h"
#include <threads.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs, leave_by;
static void routine(void)
{
    runs++;
    if (leave_by == 1)
        pthread_exit(NULL);
    if (leave_by == 2) {
        pthread_cancel(pthread_self());
        pthread_testcancel();
    }
}
static void *do_once(void *u)
{
    (void)u;
    return (void *)(long)pthread_once(&once, routine);
}
static once_flag flag = ONCE_FLAG_INIT;
int main(void)
{
    pthread_t t[1];
    ROW("O1", pthread_once(&once, routine));
    ROW("O2", pthread_once(&once, routine));
    ROW("O2", runs - 1);
    ROW("O2", once - 2);
    once = PTHREAD_ONCE_INIT;
    ROW("O3", pthread_once(&once, routine));
    ROW("O3", runs - 2);
    for (leave_by = 1; leave_by < 3; leave_by++) {
        once = PTHREAD_ONCE_INIT;
        runs = 0;
        pthread_create(&t[0], NULL, do_once, NULL);
        pthread_join(t[0], NULL);
        int was = leave_by;
        leave_by = 0;
        ROW("O4", pthread_once(&once, routine));
        ROW("O4", runs - 2);
        leave_by = was;
    }
    leave_by = 0;
    runs = 0;
    call_once(&flag, routine);
    call_once(&flag, routine);
    ROW("O5", runs - 1);
    return 0;
}
