/* SPDX-License-Identifier: MIT
 *
 * lock_order.h - locks that two tasks take in both orders.
 */
#ifndef RADDLE_LOCK_ORDER_H
#define RADDLE_LOCK_ORDER_H

#include "runtime/rt.h"

/* The task has done `op` on a synchronisation object; value and flags as in its event.  Reports an inversion as KIND_LOCK_ORDER. */
void lock_order_event(struct task *self, const struct op *op, uint64_t value, uint8_t flags);

#endif
