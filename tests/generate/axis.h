/* SPDX-License-Identifier: MIT */
/* axis.h - the axis of a chart: the part of the numbers that it shows. */
#ifndef AXIS_H
#define AXIS_H
struct axis;
struct axis *axis_new(void);
void axis_free(struct axis *axis);
void axis_set_range(struct axis *axis, int lower, int upper);
void axis_get_range(struct axis *axis, int *lower, int *upper);
int axis_length(struct axis *axis);
void axis_include(struct axis *axis, int value);
#endif
