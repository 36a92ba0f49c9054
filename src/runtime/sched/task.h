/* SPDX-License-Identifier: MIT
 *
 * task.h - the life of a task: made, carried, ended, reaped.
 */
#ifndef RADDLE_TASK_H
#define RADDLE_TASK_H

#include "runtime/rt.h"

struct task *task_by_handle(pthread_t handle); /* NULL: not a live (unjoined) task */
/* Ends the calling task (clean-up handlers and destructors have run) and hands over the baton.  Returns only when the real thread may
   end: after that no code of the program may run in it. */
void task_end(struct task *self);
/* pthread_exit for the calling task, which is inside the runtime (guard held): unwinds. */
__attribute__((noreturn)) void task_unwind(struct task *self, void *result);
struct task *task_new(struct task *parent);
/* Undoes task_new for the newest task. */
void task_discard(struct task *task);
/* Gives the task a thread and admits it to the scheduler with OP_START; nothing of it runs before it gets the baton. 0, or an error
   number: then call task_discard. */
int task_carry(struct task *task, const pthread_attr_t *attributes);
/* The thread or context of an ended task may be used again. */
void task_reap(struct task *task);
/* Before the fork point: the calling thread will be main. / Adopts it as the main task. */
void task_learn_main(void);
void task_adopt_main(void);
/* Runs the program's main in the main task; also where pthread_exit in main ends. */
int task_run_main(int (*program)(int, char **, char **), int argc, char **argv, char **envp);
bool task_main_entered(void);

#endif
