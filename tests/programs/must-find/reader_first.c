// SPDX-License-Identifier: MIT
// reader_first.c - a service is taken down by a thread that has only looked at things until then.
//
// Shape: R(limit) ... R(limit) W(open)=0 < R'(open): the one that looks must get to its end before the other one has asked five times.
// Why:   a thread that reads the same shared value again and again may be working, not waiting: in each round with its own numbers, or with
//        another part of a table (-DTABLE: under a lock).
//
// expect: assert
// find: random within 100
// find: pct within 50
// find: pos within 50
// find: dfs within 50
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { ENTRIES = 12, REQUESTS = 5 };

struct settings {
    int limit;
    int costs[ENTRIES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int open_now = 1, served;
int budget[ENTRIES]; /* of the one thread's own; not static, or it were known that no settings lie there */

static void plan_budget(const struct settings *settings)
{
#ifdef TABLE
    for (int i = 0; i < ENTRIES; i++) {
        pthread_mutex_lock(&lock);
        budget[i] = settings->costs[i] * 2;
        pthread_mutex_unlock(&lock);
    }
#else
    (void)lock;
    for (int i = 0; i < settings->limit; i++)
        budget[i] = i * i + 1;
#endif
}

static void *take_down(void *argument)
{
    plan_budget(argument);
    atomic_store(&open_now, 0);
    return NULL;
}

static void *serve(void *unused)
{
    for (int i = 0; i < REQUESTS; i++)
        atomic_fetch_add(&served, 1);
    assert(atomic_load(&open_now));
    return unused;
}

int main(void)
{
    struct settings settings = {.limit = ENTRIES};
    pthread_t thread[2];
    for (int i = 0; i < ENTRIES; i++)
        settings.costs[i] = i;
    pthread_create(&thread[0], NULL, take_down, &settings);
    pthread_create(&thread[1], NULL, serve, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
