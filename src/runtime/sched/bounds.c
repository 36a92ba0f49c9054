/* SPDX-License-Identifier: MIT
 *
 * bounds.c - the ends of a run that does not end by itself: a hang, too many steps.
 */
#include "runtime/sched/state.h"

#include "runtime/init.h"
#include "runtime/record.h"
#include "runtime/sched/watch.h"

void sched_progress(void)
{
    if (unlikely(rt.watching))
        watch_end();
    sched.progress_point = rt.points;
    sched.progress_step = rt.wire->result.step_count;
}

void sched_tell_progress(void)
{
    rt.wire->result.progress = sched.progress_point;
}

static void report_hang(void)
{
    struct wire_result *result = &rt.wire->result;
    sched_list_blocked();
    struct task *self = rt.current;
    struct wire_finding *finding =
        finding_add(self, KIND_HANG, self->pending != NULL ? self->pending->pc : 0, 0,
                    "no thread has changed anything in the last %lu steps", (unsigned long)sched.hang_points);
    result->step_count = sched.progress_step; /* after that the tasks only waited */
    finding_fail(finding);
}

void sched_cut(enum wire_end end)
{
    rt.wire->result.end = end;
    sched_run_ended(end);
    rt_end_process(RT_EXIT_FAILURE);
}

void sched_bound_reached(void)
{
    if (rt.points - sched.progress_point >= sched.hang_points)
        switch (watch_ask()) {
        case WATCH_WAITS:
            report_hang();
            break;
        case WATCH_COMPUTES:
            sched_progress();
            break;
        case WATCH_GOES_ON:
            break;
        }
    if (rt.points > sched.max_points)
        sched_cut(END_STEPS);
}
