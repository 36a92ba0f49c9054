// SPDX-License-Identifier: MIT
// asm_increment_unlocked.c - `incl` on memory is one instruction and two accesses.
//
// Shape: a: R(counter), b: R(counter), W(counter); a: W(counter): an update is lost.
// Why:   the lock prefix is missing.
//
// expect: assert
// find: pos within 100
// find: random within 100
// find: maple within 200
// tsan: no (inline assembler)
#include "../asm_x86.h"

#include <assert.h>
#include <pthread.h>

static int counter;

static void *count(void *unused)
{
    asm_increment(&counter);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(asm_load(&counter) == 2);
    return 0;
}
