/* SPDX-License-Identifier: MIT */
/* axis.c - both ends are set under the lock, but one after the other: in between there is a range that no call has set. */
#include "axis.h"

#include <pthread.h>
#include <stdlib.h>

struct axis {
    pthread_mutex_t lock;
    int lower, upper;
};

struct axis *axis_new(void)
{
    struct axis *axis = calloc(1, sizeof *axis);
    if (axis == NULL)
        return NULL;
    pthread_mutex_init(&axis->lock, NULL);
    axis->upper = 1;
    return axis;
}

void axis_free(struct axis *axis)
{
    free(axis);
}

void axis_set_range(struct axis *axis, int lower, int upper)
{
    pthread_mutex_lock(&axis->lock);
    axis->lower = lower;
#ifndef CORRECT
    pthread_mutex_unlock(&axis->lock);
    pthread_mutex_lock(&axis->lock);
#endif
    axis->upper = upper;
    pthread_mutex_unlock(&axis->lock);
}

void axis_get_range(struct axis *axis, int *lower, int *upper)
{
    pthread_mutex_lock(&axis->lock);
    *lower = axis->lower;
    *upper = axis->upper;
    pthread_mutex_unlock(&axis->lock);
}

int axis_length(struct axis *axis)
{
    pthread_mutex_lock(&axis->lock);
    int length = (int)((unsigned)axis->upper - (unsigned)axis->lower);
    pthread_mutex_unlock(&axis->lock);
    return length;
}

void axis_include(struct axis *axis, int value)
{
    pthread_mutex_lock(&axis->lock);
    if (value < axis->lower)
        axis->lower = value;
    if (value > axis->upper)
        axis->upper = value;
    pthread_mutex_unlock(&axis->lock);
}
