// SPDX-License-Identifier: MIT
// subject_time_series.c - an iterator takes the lock for each step and keeps a pointer to its item in between; a writer removes and frees
// items that are too old.
//
// Shape: TimeSeries (JFreeChart); stale iterator, three threads, each access under the lock.
// expect: use-after-free
#include "subject.h"

enum { MOST = 5 };

struct item {
    int period, value;
    struct item *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct item *oldest, *newest;
static int count;

static void remove_aged(void)
{
    while (count > MOST) {
        struct item *aged = oldest;
        oldest = aged->next;
        count--;
        free(aged);
    }
}

static void series_add(int period, int value)
{
    struct item *item = malloc(sizeof *item);
    if (item == NULL)
        abort();
    *item = (struct item){period, value, NULL};
    call_begin();
    pthread_mutex_lock(&lock);
    if (oldest == NULL)
        oldest = item;
    else
        newest->next = item;
    newest = item;
    count++;
    remove_aged();
    pthread_mutex_unlock(&lock);
    call_end();
}

static const struct item *next_of(const struct item *item)
{
    pthread_mutex_lock(&lock);
    const struct item *next = item != NULL ? item->next : oldest;
    pthread_mutex_unlock(&lock);
    return next;
}

static int series_sum(void)
{
    int sum = 0;
    call_begin();
    for (const struct item *item = next_of(NULL); item != NULL; item = next_of(item))
        sum += item->period;
    call_end();
    return sum;
}

static int series_count(void)
{
    call_begin();
    pthread_mutex_lock(&lock);
    int now = count;
    pthread_mutex_unlock(&lock);
    call_end();
    return now;
}

static void *sum_up(void *unused)
{
    (void)unused;
    assert(series_sum() > 0);
    return NULL;
}

static void *measure(void *unused)
{
    (void)unused;
    series_add(3, 30);
    if (series_count() < MOST)
        series_add(4, 40);
    return NULL;
}

static void *measure_more(void *unused)
{
    (void)unused;
    series_add(5, 50);
    if (series_count() > MOST - 2)
        series_add(6, 60);
    return NULL;
}

int main(void)
{
    series_add(1, 10);
    series_add(2, 20);
    subject_run(3, (subject_task[]){sum_up, measure, measure_more});
    while (oldest != NULL) {
        struct item *next = oldest->next;
        free(oldest);
        oldest = next;
    }
    return 0;
}
