// SPDX-License-Identifier: MIT
// spin.c - rows S of docs/posix.md.
#include "rows.h"
static pthread_spinlock_t spin;
static int tryspin(void *s)
{
    int e = pthread_spin_trylock(s);
    if (!e)
        pthread_spin_unlock(s);
    return e;
}
int main(void)
{
    ROW("S1", pthread_spin_init(&spin, 0));
    ROW("S2", pthread_spin_lock(&spin));
    ROW("S3", pthread_spin_trylock(&spin));
    ROW("S3", ELSEWHERE(tryspin, &spin));
    ROW("S4", pthread_spin_unlock(&spin));
    ROW("S3", ELSEWHERE(tryspin, &spin));
    ROW("S5", pthread_spin_destroy(&spin));
    pthread_spin_init(&spin, 0);
    ROW("S6", tryspin((void *)&spin));
    return 0;
}
