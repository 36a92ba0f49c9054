// SPDX-License-Identifier: MIT
// block_before_ready.c - two writers use the last place of a heap block that was allocated before raddle_ready().
//
// Shape: check-then-act on an index, then a write after the end of the block.
// Why:   the check and the use of the index are not one step.
//
// expect: out-of-block
// find: random within 50
// find: pct within 100
// cause: a:R(used)@block_before_ready.c:25 << b:W(used)@block_before_ready.c:26 << a:W(used)@block_before_ready.c:26
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <raddle.h>

enum { ROOM = 3 };

static long *samples;
static atomic_int used = ROOM - 1;

static void *add_sample(void *unused)
{
    (void)unused;
    if (atomic_load(&used) < ROOM) {
        int at = atomic_fetch_add(&used, 1);
        samples[at] = 17;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    samples = calloc(ROOM, sizeof *samples);
    raddle_ready();
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, add_sample, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    free(samples);
    return 0;
}
