/* SPDX-License-Identifier: MIT
 *
 * processor.c - see processor.h.
 */
#include "control/processor.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

static cpu_set_t at_first, here;
static bool kept; /* the process is bound to one processor; at_first is the set before */

void processor_release(void)
{
    if (kept)
        kept = sched_setaffinity(0, sizeof at_first, &at_first) != 0;
}

void processor_keep(pid_t one, pid_t other)
{
    int number = sched_getcpu();
    if (number < 0 || number >= CPU_SETSIZE || (!kept && sched_getaffinity(0, sizeof at_first, &at_first) != 0))
        return;
    CPU_ZERO(&here);
    CPU_SET((size_t)number, &here);
    kept |= sched_setaffinity(0, sizeof here, &here) == 0;
    if (one > 0)
        sched_setaffinity(one, sizeof here, &here);
    if (other > 0)
        sched_setaffinity(other, sizeof here, &here);
}

void processor_join(pid_t one)
{
    if (kept)
        sched_setaffinity(one, sizeof here, &here);
}
