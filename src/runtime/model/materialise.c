/* SPDX-License-Identifier: MIT
 *
 * materialise.c - writes the state of the model into the real objects.
 *
 * A forked child is not controlled: libc's own functions use the objects' memory.  It has one thread, the one that forked.
 * Locks that this thread holds must be held by it in the real objects.  Locks of other threads stay locked for ever, as POSIX says.  Spin locks and
 * semaphores have their state in the memory anyway.
 */
#include "runtime/model/model.h"

void model_before_fork(struct task *forker)
{
    (void)forker;
    model_has_children = true;
    cond_before_fork();
}

void model_materialise(struct task *forker)
{
    mutex_materialise(forker);
    cond_materialise();
    rwlock_materialise(forker);
    once_materialise(forker);
}
