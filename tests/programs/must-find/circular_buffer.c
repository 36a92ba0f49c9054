// SPDX-License-Identifier: MIT
// circular_buffer.c - the fill count of a circular buffer is changed outside the lock of its ends.
//
// Shape: two-variable invariant (first, count) and a lost update of count.
// Why:   insert and remove lock their own end, and both change the count.
//
// expect: assert
// find: random within 20
// find: pct within 100
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { SIZE = 4, ITEMS = 2 };

static pthread_mutex_t front = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t back = PTHREAD_MUTEX_INITIALIZER;
static int element[SIZE] = {1, 1, 0, 0}, first, next = 2, count = 2;

static void *insert(void *unused)
{
    (void)unused;
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&back);
        element[next] = 1;
        next = (next + 1) % SIZE;
        count = count + 1;
        pthread_mutex_unlock(&back);
    }
    return NULL;
}

static void *drain(void *unused)
{
    (void)unused;
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&front);
        element[first] = 0;
        first = (first + 1) % SIZE;
        count = count - 1;
        pthread_mutex_unlock(&front);
    }
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;
    pthread_create(&writer, NULL, insert, NULL);
    pthread_create(&reader, NULL, drain, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    assert(count == 2);
    return 0;
}
