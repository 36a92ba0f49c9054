// SPDX-License-Identifier: MIT
// maple_circular_list.c - two workers take the first element of a circular list, serve it, and append it again.
//
// Shape: atomicity violation on the list as a whole: the remove and append of one worker come between those of the other.
// Why:   each step is locked, the turn that they make up is not; the order of the list is lost.
//
// expect: assert
// find: surw within 200
// find: pct within 500
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { SIZE = 8, MEMBERS = 5 };

static struct {
    pthread_mutex_t lock;
    int member[SIZE];
    int first, count;
} ring = {PTHREAD_MUTEX_INITIALIZER, {10, 11, 12, 13, 14}, 0, MEMBERS};

static struct {
    pthread_mutex_t lock;
    long served, load;
} meter = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int ring_remove_first(void)
{
    pthread_mutex_lock(&ring.lock);
    int member = ring.member[ring.first];
    ring.first = (ring.first + 1) % SIZE;
    ring.count--;
    pthread_mutex_unlock(&ring.lock);
    return member;
}

static void ring_append(int member)
{
    pthread_mutex_lock(&ring.lock);
    ring.member[(ring.first + ring.count) % SIZE] = member;
    ring.count++;
    pthread_mutex_unlock(&ring.lock);
}

static void meter_add(long load)
{
    pthread_mutex_lock(&meter.lock);
    meter.served++;
    meter.load += load;
    pthread_mutex_unlock(&meter.lock);
}

static long measure(int member)
{
    long table[16], sum = 0;
    for (int i = 0; i < 16; i++)
        table[i] = (long)member * i % 7;
    for (int i = 0; i < 16; i++)
        sum += table[i];
    return sum;
}

struct worker {
    pthread_t thread;
    int before, after; /* requests that have nothing to do with the list */
};

static void *serve(void *argument)
{
    const struct worker *self = argument;
    for (int i = 0; i < self->before; i++)
        meter_add(measure(i));
    int member = ring_remove_first();
    long load = measure(member);
    ring_append(member);
    meter_add(load);
    for (int i = 0; i < self->after; i++)
        meter_add(measure(i));
    return NULL;
}

int main(void)
{
    struct worker workers[2] = {{.before = 1, .after = 14}, {.before = 20, .after = 1}};
    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i].thread, NULL, serve, &workers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i].thread, NULL);
    assert(ring.count == MEMBERS && meter.served == 2 + 1 + 14 + 20 + 1);
    for (int i = 1; i < MEMBERS; i++) { /* turned, but not mixed up */
        int here = ring.member[(ring.first + i - 1) % SIZE], next = ring.member[(ring.first + i) % SIZE];
        assert(next == here + 1 || (here == 14 && next == 10));
    }
    return 0;
}
