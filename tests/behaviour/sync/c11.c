// SPDX-License-Identifier: MIT
// c11.c - rows T of docs/posix.md.
#include "rows.h"
#include <threads.h>
static int nothing(void *u)
{
    (void)u;
    return 0;
}
int main(void)
{
    mtx_t m;
    cnd_t c;
    ROW("T1", mtx_init(&m, mtx_plain));
    ROW("T1", mtx_lock(&m));
    ROW("T2", mtx_trylock(&m));
    ROW("T3", mtx_timedlock(&m, &past));
    ROW("T3", mtx_timedlock(&m, &no_time));
    ROW("T4", cnd_init(&c));
    ROW("T4", cnd_timedwait(&c, &m, &past));
    ROW("T4", cnd_signal(&c));
    ROW("T4", cnd_broadcast(&c));
    cnd_destroy(&c);
    ROW("T1", mtx_unlock(&m));
    mtx_destroy(&m);
    ROW("T5", mtx_init(&m, mtx_recursive | mtx_timed));
    ROW("T5", mtx_lock(&m));
    ROW("T5", mtx_lock(&m));
    ROW("T5", mtx_unlock(&m));
    ROW("T5", mtx_unlock(&m));
    ROW("T5", mtx_unlock(&m));
    mtx_destroy(&m);
    ELSEWHERE(nothing, NULL); /* one thread is no concurrency */
    return 0;
}
