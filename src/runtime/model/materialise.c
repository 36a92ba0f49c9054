/* SPDX-License-Identifier: MIT
 *
 * materialise.c - from the model back into the real objects.
 *
 * A forked child runs free, with libc's own functions on the objects' memory.  It has one thread, the one that forked:
 * what that one holds, it must really hold; what others held stays locked for ever, as POSIX says.  Spin locks and
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
