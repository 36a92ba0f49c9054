// SPDX-License-Identifier: MIT
// lost_update_plain.c - two threads add to a plain counter and one addition is lost.
//
// Shape: R(x) W'(x) W(x), single-variable atomicity violation.
// Why:   `hits++` is a read and a write, and nothing keeps the other thread out in between.
//
// expect: assert
// find: random within 50
// find: pct within 100
// cause: a:R(hits)@lost_update_plain.c:20 << b:W(hits)@lost_update_plain.c:20 << a:W(hits)@lost_update_plain.c:20
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int hits;

static void *count(void *unused)
{
    (void)unused;
    hits++;
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(hits == 2);
    return 0;
}
