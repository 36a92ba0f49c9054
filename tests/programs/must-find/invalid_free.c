// SPDX-License-Identifier: MIT
// invalid_free.c - a cursor into a block is freed instead of its start.
//
// Shape: order violation: the reader has advanced the shared pointer before the owner frees through it.
// Why:   one pointer is used both as the handle of the block and as the read position.
//
// expect: invalid-free
// find: random within 100
// find: pct within 50
// cause: a:W(text)@invalid_free.c:24 << b:R(text)@invalid_free.c:37
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic(char *) text;
static atomic_int stop;

static void *skip_blanks(void *unused)
{
    (void)unused;
    if (!atomic_load(&stop)) {
        char *at = atomic_load(&text);
        atomic_store(&text, at + 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    char *block = malloc(16);
    strcpy(block, " hello");
    atomic_store(&text, block);
    pthread_create(&thread, NULL, skip_blanks, NULL);
    atomic_store(&stop, 1);
    free(atomic_load(&text));
    pthread_join(thread, NULL);
    return 0;
}
