// SPDX-License-Identifier: MIT
// memcpy_twice.c - a record is copied twice while another thread replaces it; all of it by the C library, from optimised code.
//
// Shape: memcpy(R), other: memcpy(W), memcpy(R): two different copies.
// Why:   the two copies were meant to be one reading. The calls are the only accesses: a tool that does not see them sees nothing shared.
//
// build: -O2
// expect: assert
// find: random within 200
// find: pct within 200
// cause: a:R(record)@memcpy_twice.c:36 << b:W(record)@memcpy_twice.c:26 << a:R(record)@memcpy_twice.c:37
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static char record[64];
static volatile size_t size = sizeof record; // or the compiler copies by itself

static void *replace(void *unused)
{
    char text[sizeof record];
    (void)unused;
    size_t length = size;
    memset(text, 'x', length);
    memcpy(record, text, length);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    char first[sizeof record], second[sizeof record];
    size_t length = size;
    pthread_create(&thread, NULL, replace, NULL);
    memcpy(first, record, length);
    memcpy(second, record, length);
    assert(memcmp(first, second, length) == 0);
    pthread_join(thread, NULL);
    return 0;
}
