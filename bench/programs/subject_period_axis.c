// SPDX-License-Identifier: MIT
// subject_period_axis.c - the ticks of an axis are counted and made room for, then drawn up to the last period, which is read again for each
// and has moved.
//
// Shape: PeriodAxis (JFreeChart); bound of a loop read again, no lock.
// expect: assert
#include "subject.h"

enum { TICKS = 40 };

static volatile int first = 2, last = 4; // each use reads them again
static volatile int label[TICKS];
static int drawn;

static void axis_draw(void)
{
    int tick[TICKS];
    call_begin();
    int count = last - first + 1;
    for (int i = first; i <= last; i++) {
        assert(i - first < count);
        tick[i - first] = label[i];
        drawn += tick[i - first] > 0;
    }
    call_end();
}

static void axis_set_label(int at, int to)
{
    call_begin();
    label[at] = to;
    call_end();
}

static void axis_set_last(int to)
{
    call_begin();
    if (to > last && to < TICKS)
        last = to;
    call_end();
}

static void axis_set_first(int to)
{
    call_begin();
    if (to >= 0 && to <= last)
        first = to;
    call_end();
}

static void *draw(void *unused)
{
    (void)unused;
    axis_draw();
    return NULL;
}

static void *configure(void *unused)
{
    (void)unused;
    for (int i = 2; i < 30; i++)
        axis_set_label(i, 100 + i);
    axis_set_first(3);
    for (int i = 30; i < TICKS; i++)
        axis_set_label(i, 100 + i);
    axis_set_last(9);
    return NULL;
}

int main(void)
{
    subject_run(2, (subject_task[]){draw, configure});
    return 0;
}
