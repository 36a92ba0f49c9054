// SPDX-License-Identifier: MIT
// subject_axis_range.c - the lower and the upper bound of an axis are set and got in a critical section each: a reader gets the new one and
// the old one, which is harmless unless the range has moved far.
//
// Shape: NumberAxis (JFreeChart); two variables, depends on the values.
// expect: assert
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lower = 0, upper = 10, labels = 3, redrawn;

static int get(const int *value)
{
    pthread_mutex_lock(&lock);
    int is = *value;
    pthread_mutex_unlock(&lock);
    return is;
}

static void set(int *value, int to)
{
    pthread_mutex_lock(&lock);
    *value = to;
    pthread_mutex_unlock(&lock);
}

static void axis_set_range(int from, int to)
{
    call_begin();
    set(&lower, from);
    set(&upper, to);
    call_end();
}

static int axis_length(void)
{
    call_begin();
    int first = get(&lower);
    int last = get(&upper);
    call_end();
    return last - first;
}

static void axis_set_labels(int count)
{
    call_begin();
    set(&labels, count);
    call_end();
}

static void axis_redraw(void)
{
    call_begin();
    for (int i = get(&labels); i > 0; i--)
        set(&redrawn, get(&redrawn) + 1);
    call_end();
}

static void *draw(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        assert(axis_length() >= 0);
        axis_redraw();
    }
    return NULL;
}

static void *zoom(void *unused)
{
    (void)unused;
    axis_set_range(5, 15);
    axis_set_labels(4);
    axis_set_range(8, 18);
    axis_set_range(30, 40);
    return NULL;
}

int main(void)
{
    subject_run(2, (subject_task[]){draw, zoom});
    return 0;
}
