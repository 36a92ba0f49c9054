/* SPDX-License-Identifier: MIT
 *
 * process.c - the kernel's number of a process or thread that the program names.
 */
#include "runtime/model/process.h"

#include "runtime/raw.h"
#include "runtime/rt.h"

pid_t process_real_pid(pid_t pid)
{
    if (!rt.attached)
        return pid;
    if (pid == PROCESS_SELF)
        return raw_getpid();
    if (pid == -PROCESS_SELF) /* the process group that a group leader has made of itself */
        return -raw_getpid();
    if (pid == PROCESS_PARENT)
        return (pid_t)syscall_raw(SYS_getppid, 0, 0, 0, 0, 0, 0);
    if (rt_self != NULL && pid == PROCESS_SELF + (pid_t)rt_self->id)
        return raw_gettid();
    return pid;
}
