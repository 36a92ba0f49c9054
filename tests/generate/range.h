/* SPDX-License-Identifier: MIT */
/* range.h - a range of whole numbers with a hash that is computed once. */
#ifndef RANGE_H
#define RANGE_H
#include <stdbool.h>
struct range;
struct range *range_new(int low, int high);
void range_free(struct range *range);
void range_set(struct range *range, int low, int high);
bool range_contains(struct range *range, int value);
unsigned range_hash(struct range *range);
#endif
