// SPDX-License-Identifier: MIT
// asm_test_then_set.c - a spin lock of inline assembler that looks and takes in two instructions.
//
// Shape: R(lock)=0, the other: R(lock)=0; both W(lock)=1: two are inside.
// Why:   a mov each, where one xchg is needed.
//
// expect: assert
// find: pos within 300
// find: random within 300
// tsan: no (inline assembler)
#include "../asm_x86.h"

#include <assert.h>
#include <pthread.h>

static int lock, inside;

static void *enter(void *unused)
{
    while (asm_load(&lock) != 0)
        asm_pause();
    asm_store(&lock, 1);
    assert(asm_fetch_add(&inside, 1) == 0);
    asm_fetch_add(&inside, -1);
    asm_store(&lock, 0);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, enter, NULL);
    pthread_create(&b, NULL, enter, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
