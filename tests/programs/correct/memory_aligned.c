// SPDX-License-Identifier: MIT
// memory_aligned.c - aligned blocks of all kinds, allocated in one thread and freed in another.
//
// expect: none
// tsan: no (it stops at the wrong alignment that is asked for on purpose)
#include "correct.h"

#include <malloc.h>

static void *blocks[4];
static pthread_barrier_t barrier;

static void *give_back(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 4; i++)
        free(blocks[i]);
    return NULL;
}

int main(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_t thread = start(give_back, NULL);
    blocks[0] = aligned_alloc(64, 256);
    CHECK(posix_memalign(&blocks[1], 4096, 100) == 0);
    blocks[2] = memalign(32, 33);
    blocks[3] = valloc(10);
    CHECK((uintptr_t)blocks[0] % 64 == 0 && (uintptr_t)blocks[1] % 4096 == 0);
    CHECK((uintptr_t)blocks[2] % 32 == 0 && (uintptr_t)blocks[3] % 4096 == 0);
    CHECK(posix_memalign(&(void *){NULL}, 3, 8) == EINVAL && malloc_usable_size(blocks[2]) >= 33);
    for (int i = 0; i < 4; i++)
        memset(blocks[i], i, 10);
    pthread_barrier_wait(&barrier);
    join(thread);
    return 0;
}
