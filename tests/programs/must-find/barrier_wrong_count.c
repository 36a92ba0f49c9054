// SPDX-License-Identifier: MIT
// barrier_wrong_count.c - four workers meet at a barrier for two.
//
// Shape: barrier misuse: some workers begin the second phase while others have not begun the first.
// Why:   the number of workers was doubled, the barrier was not; because the numbers divide, nothing hangs.
//
// expect: assert
// run: --early-timeouts 0.2
// find: random within 100
// find: pct within 50
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

enum { WORKERS = 4 };

static pthread_barrier_t barrier;
static atomic_int filled;

static void *work(void *unused)
{
    (void)unused;
    atomic_fetch_add(&filled, 1);
    usleep(2000); /* the slow part of the first phase */
    pthread_barrier_wait(&barrier);
    int all = atomic_load(&filled); /* second phase: all threads have filled their parts */
    assert(all == WORKERS);
    return NULL;
}

int main(void)
{
    pthread_t thread[WORKERS];
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 1; i < WORKERS; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    work(NULL);
    for (int i = 1; i < WORKERS; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
