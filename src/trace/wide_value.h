/* SPDX-License-Identifier: MIT
 *
 * wide_value.h - a value of 16 bytes as text: a pair of fields, a pointer with a tag, a number.
 */
#ifndef RADDLE_TRACE_WIDE_VALUE_H
#define RADDLE_TRACE_WIDE_VALUE_H

#include "trace/object.h"

/* Whether the event is an access to 16 bytes whose value was recorded as a whole (PLAN_ORIGINS). */
bool wide_value_is_known(const struct wire_event *event);

/* "{count = 3, total = 20}", "{&heap#3, 7}", "0x10000000000000001".  After objects_event of the event; returns `buffer`. */
char *wide_value_text(struct objects *objects, const struct wire_event *event, char buffer[OBJECT_NAME]);

#endif
