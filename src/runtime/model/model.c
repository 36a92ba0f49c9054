/* SPDX-License-Identifier: MIT
 *
 * model.c - what the models have in common.
 */
#include "runtime/model/model.h"

#include "runtime/access.h"
#include "runtime/model/time.h"

bool model_has_children;

struct patience model_patience(clockid_t clock, const struct timespec *until)
{
    if (!time_valid(until))
        return (struct patience){0, EINVAL, false};
    return (struct patience){time_deadline(clock, until), ETIMEDOUT, until->tv_sec < 0};
}

void model_check_memory(struct task *self, uintptr_t pc, const volatile void *address)
{
    struct span span = {(uintptr_t)address, sizeof(int), ACCESS_WRITE};
    access_check_heap(self, pc, &span);
}

enum wake model_point(struct task *self, struct op *op)
{
    enum wake wake = sched_point(self, op);
    model_check_memory(self, op->pc, (const void *)op->address);
    return wake;
}

void model_shared(const char *what)
{
    sched_uncontrolled(what);
}

void model_task_ended(struct task *task)
{
    mutex_task_ended(task);
    if (task->openmp != NULL)
        task->openmp_ended(task);
}
