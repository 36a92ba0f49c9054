// SPDX-License-Identifier: MIT
// asm_ticket_lock.c - a ticket lock of inline assembler (lock xadd, mov) around plain data; three threads.
//
// expect: none
// tsan: no (inline assembler)
#include "../asm_x86.h"

#include <assert.h>
#include <pthread.h>

enum { THREADS = 3 };

static int next_ticket, serving, counter;

static void *work(void *unused)
{
    int ticket = asm_fetch_add(&next_ticket, 1);
    while (asm_load(&serving) != ticket)
        asm_pause();
    counter++;
    asm_store(&serving, ticket + 1);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(counter == THREADS);
    return 0;
}
