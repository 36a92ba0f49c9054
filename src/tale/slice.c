/* SPDX-License-Identifier: MIT
 *
 * slice.c - which events matter.
 */
#include "tale/tale_private.h"

void tale_slice(struct tale *tale)
{
    for (size_t i = 0; i < tale->events.count; i++)
        tale->events.data[i].marks |= TALE_MATTERS;
}
