// SPDX-License-Identifier: MIT
// subject_xy_series.c - points are inserted under a lock, but the largest value so far is updated without it: of two updates the one with the
// larger value is lost.
//
// Shape: XYSeries (JFreeChart); lost update of a statistic, three threads, depends on the values.
// expect: assert
#include "subject.h"

enum { ROOM = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, x[ROOM], y[ROOM];
static volatile int largest; // each use reads it again

static void insert(int at_x, int at_y)
{
    pthread_mutex_lock(&lock);
    int at = count++;
    for (; at > 0 && x[at - 1] > at_x; at--) {
        x[at] = x[at - 1];
        y[at] = y[at - 1];
    }
    x[at] = at_x;
    y[at] = at_y;
    pthread_mutex_unlock(&lock);
}

static void series_add(int at_x, int at_y)
{
    call_begin();
    insert(at_x, at_y);
    if (at_y > largest)
        largest = at_y;
    call_end();
}

static void *rise(void *unused)
{
    (void)unused;
    for (int i = 1; i <= 3; i++)
        series_add(i, i * 2);
    return NULL;
}

static void *fall(void *unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++)
        series_add(20 - i, 5 - i);
    return NULL;
}

static void *jump(void *unused)
{
    (void)unused;
    series_add(9, 1);
    series_add(10, 9);
    return NULL;
}

int main(void)
{
    int most = 0;
    subject_run(3, (subject_task[]){rise, fall, jump});
    for (int i = 0; i < count; i++)
        if (y[i] > most)
            most = y[i];
    assert(largest == most);
    return 0;
}
