// SPDX-License-Identifier: MIT
// asm_ring.c - a ring for one producer and one consumer: plain slots, head and tail by mov, fences between.
//
// expect: none
// tsan: no (inline assembler)
#include "../asm_x86.h"

#include <assert.h>
#include <pthread.h>

enum { SLOTS = 2, VALUES = 4 };

static int head, tail, slots[SLOTS];

static void *produce(void *unused)
{
    for (int value = 1; value <= VALUES; value++) {
        int at = asm_load(&head);
        while (at - asm_load(&tail) == SLOTS)
            asm_pause();
        slots[at % SLOTS] = value;
        __asm__ volatile("sfence" : : : "memory");
        asm_store(&head, at + 1);
    }
    return unused;
}

int main(void)
{
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    for (int value = 1; value <= VALUES; value++) {
        int at = asm_load(&tail);
        while (asm_load(&head) == at)
            asm_pause();
        __asm__ volatile("lfence" : : : "memory");
        assert(slots[at % SLOTS] == value);
        asm_fence();
        asm_store(&tail, at + 1);
    }
    pthread_join(producer, NULL);
    return 0;
}
