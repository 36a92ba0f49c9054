// SPDX-License-Identifier: MIT
// once_by_hand.c - an atomic flag is used as a "once": the second caller goes on before the first has finished.
//
// Shape: order violation: exchange(done), R'(value), W(value).
// Why:   "a thread has begun" is not "it is done"; pthread_once waits, a test-and-set does not.
//
// expect: assert
// find: random within 200
// find: pct within 100
// cause: a:R(limit)@once_by_hand.c:23 << b:W(limit)@once_by_hand.c:22
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_flag begun = ATOMIC_FLAG_INIT;
static atomic_int limit;

static int limit_get(void)
{
    if (!atomic_flag_test_and_set(&begun))
        atomic_store(&limit, 100);
    return atomic_load(&limit);
}

static void *use(void *unused)
{
    (void)unused;
    int got = limit_get();
    assert(got == 100);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
