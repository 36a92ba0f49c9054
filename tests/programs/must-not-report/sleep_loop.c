// SPDX-License-Identifier: MIT
// sleep_loop.c - a watcher polls an atomic in a sleep loop; time goes on meanwhile, and never backwards.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static atomic_int progress;

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        usleep(2000);
        atomic_fetch_add(&progress, 1);
    }
    return NULL;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(void)
{
    pthread_t thread;
    double start = now(), last = start;
    pthread_create(&thread, NULL, work, NULL);
    while (atomic_load(&progress) < 3) {
        usleep(500);
        double t = now();
        assert(t >= last);
        last = t;
    }
    pthread_join(thread, NULL);
    assert(now() - start >= 0.006);
    return 0;
}
