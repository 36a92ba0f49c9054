// SPDX-License-Identifier: MIT
// asm_ring_publishes_first.c - a ring for one producer and one consumer: the producer moves the head before the slot is filled.
//
// Shape: W(head), the other: R(head), R(slot); then W(slot).
// Why:   the two stores are in the wrong order; the fence between them does not help.
//
// expect: assert
// find: pos within 200
// find: random within 200
// tsan: no (inline assembler)
#include "../asm_x86.h"

#include <assert.h>
#include <pthread.h>

enum { SLOTS = 4, VALUES = 3 };

static int head, tail, slots[SLOTS];

static void *produce(void *unused)
{
    for (int value = 1; value <= VALUES; value++) {
        int at = asm_load(&head);
        asm_store(&head, at + 1);
        asm_fence();
        asm_store(&slots[at % SLOTS], value);
    }
    return unused;
}

int main(void)
{
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    for (int value = 1; value <= VALUES; value++) {
        while (asm_load(&head) == asm_load(&tail))
            asm_pause();
        int at = asm_load(&tail);
        assert(asm_load(&slots[at % SLOTS]) == value);
        asm_store(&tail, at + 1);
    }
    pthread_join(producer, NULL);
    return 0;
}
