// SPDX-License-Identifier: MIT
// set_results.c - a result is counted, and added to the sum in a second step: the mean is wrong between the two.
//
// Shape: montecarlo (Java Grande).  Nothing fails.
// expect: serializability
// run: --fail-on serializability
#include "set.h"

struct results {
    pthread_mutex_t lock;
    long sum;
    int count;
    long least, most;
};

LIBRARY struct results *results_new(void)
{
    struct results *r = calloc(1, sizeof *r);
    object_lock_init(&r->lock);
    return r;
}

LIBRARY int results_count_one(struct results *r)
{
    pthread_mutex_lock(&r->lock);
    int count = ++r->count;
    pthread_mutex_unlock(&r->lock);
    return count;
}

// BUG: not a whole.
LIBRARY void results_add(struct results *r, long value)
{
    whole_begin(&r->lock);
    bool first = results_count_one(r) == 1;
    pthread_mutex_lock(&r->lock);
    r->sum += value;
    if (first || value < r->least)
        r->least = value;
    if (first || value > r->most)
        r->most = value;
    pthread_mutex_unlock(&r->lock);
    whole_end(&r->lock);
}

LIBRARY long results_mean(struct results *r)
{
    pthread_mutex_lock(&r->lock);
    long mean = r->count > 0 ? r->sum / r->count : 0;
    pthread_mutex_unlock(&r->lock);
    return mean;
}

LIBRARY long results_range(struct results *r)
{
    pthread_mutex_lock(&r->lock);
    long range = r->count > 1 ? r->most - r->least : 0;
    pthread_mutex_unlock(&r->lock);
    return range;
}

static struct results *results;

static void *simulate(void *unused)
{
    (void)unused;
    results_add(results, 10);
    work(WORK);
    results_add(results, 20);
    return NULL;
}

static void *simulate_later(void *unused)
{
    (void)unused;
    work(WORK);
    results_add(results, 30);
    return NULL;
}

static void *report(void *unused)
{
    (void)unused;
    work(WORK * 2);
    results_mean(results);
    results_range(results);
    return NULL;
}

int main(void)
{
    results = results_new();
    const set_thread threads[] = {simulate, simulate_later, report};
    set_run(3, threads);
    free(results);
    return 0;
}
