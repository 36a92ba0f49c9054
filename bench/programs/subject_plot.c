// SPDX-License-Identifier: MIT
// subject_plot.c - a function that adds many series switches notification off and puts the old setting back at the end: when two of them
// overlap, the second one puts back what the first one had set, and notification stays off.
//
// Shape: XYPlot (JFreeChart); saved and restored value, each access under the lock.
// expect: assert
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool notify = true;
static int series, notified;

static bool set_notify(bool to)
{
    pthread_mutex_lock(&lock);
    bool was = notify;
    notify = to;
    pthread_mutex_unlock(&lock);
    return was;
}

static void add_one(void)
{
    pthread_mutex_lock(&lock);
    series++;
    if (notify)
        notified++;
    pthread_mutex_unlock(&lock);
}

static void plot_add(void)
{
    call_begin();
    add_one();
    call_end();
}

static void plot_add_many(int count)
{
    call_begin();
    bool was = set_notify(false);
    for (int i = 0; i < count; i++)
        add_one();
    set_notify(was);
    call_end();
}

static int plot_series(void)
{
    call_begin();
    pthread_mutex_lock(&lock);
    int count = series;
    pthread_mutex_unlock(&lock);
    call_end();
    return count;
}

static void *load(void *unused)
{
    (void)unused;
    plot_add_many(1);
    for (int i = 0; i < 4; i++)
        plot_add();
    return NULL;
}

static void *import(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++)
        plot_series();
    plot_add_many(2);
    return NULL;
}

int main(void)
{
    subject_run(2, (subject_task[]){load, import});
    assert(notify && series == 7);
    return 0;
}
