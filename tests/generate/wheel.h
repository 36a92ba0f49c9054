/* SPDX-License-Identifier: MIT */
/* wheel.h - timers in the slots of a wheel. */
#ifndef WHEEL_H
#define WHEEL_H
#include <stdbool.h>
#include <stddef.h>
struct wheel;
struct wheel *wheel_new(void);
void wheel_free(struct wheel *wheel);
bool wheel_add(struct wheel *wheel, int id, unsigned delay);
bool wheel_cancel(struct wheel *wheel, int id);
size_t wheel_tick(struct wheel *wheel);
size_t wheel_pending(struct wheel *wheel);
#endif
