/* SPDX-License-Identifier: MIT
 *
 * order.h - happens-before edges of atomic operations, by the memory orders of C11.
 */
#ifndef RADDLE_ORDER_H
#define RADDLE_ORDER_H

#include "runtime/oracle/race.h"

/* self has read the atomic object in these bytes of the record's cell. */
void order_load(struct task *self, struct record *record, unsigned mask, int order);
/* self has written it; `modifies`: by a read-modify-write.  The caller ticks once (order_released) after all cells. */
void order_store(struct task *self, struct record *record, unsigned mask, int order, bool modifies);
void order_released(struct task *self, int order);
void order_fence(struct task *self, int order);
void order_drop(struct record *record);

#endif
