/* SPDX-License-Identifier: MIT
 *
 * debug.c - what gdb needs to know of a run (`raddle replay --gdb`).
 *
 * DESIGN
 *   A debugger stops the run in one of three empty functions, which are called only under HEAD_DEBUG.  It finds them, and the
 *   runtime's tables, by one address, which the driver passes on from wire->head.debug: no symbol is needed, so it works for a stripped
 *   program and for the preloaded library.  At that address lies `debug_view`: numbers, and their names in the
 *   same order.  The script (src/cli/raddle_gdb.py) asks for them by name.
 *
 *   Nothing here changes what the run does: no operation is counted, nothing is decided.
 */
#include "runtime/debug.h"

#include <linux/prctl.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"
#include "runtime/init.h"
#include "runtime/model/model.h"
#include "runtime/model/object.h"

bool debug_wanted;
static RT_RARE int32_t thread_ids[WIRE_TASKS]; /* of the threads that carry the tasks; 0: not known yet */

static const char op_names[] =
#define X(name, text, ...) text " "
    WIRE_OPS(X)
#undef X
    ;

/* X(name, number): addresses of variables and functions, offsets in structures, values of enumerations. */
#define VIEW(X)                                                                                                        \
    X(begin, (uintptr_t)&debug_stop_begin)                                                                             \
    X(switch, (uintptr_t)&debug_stop_switch)                                                                           \
    X(end, (uintptr_t)&debug_stop_end)                                                                                 \
    X(code_lo, (uintptr_t)__start_raddle_text)                                                                         \
    X(code_hi, (uintptr_t)__stop_raddle_text)                                                                          \
    X(modules, (uintptr_t)init_modules)                                                                                \
    X(module_count, (uintptr_t)&init_module_count)                                                                     \
    X(op_names, (uintptr_t)op_names)                                                                                   \
    X(thread_ids, (uintptr_t)thread_ids)                                                                               \
    X(tasks, (uintptr_t)rt.tasks)                                                                                      \
    X(task_count, (uintptr_t)&rt.task_count)                                                                           \
    X(current, (uintptr_t)&rt.current)                                                                                 \
    X(task_id, offsetof(struct task, id))                                                                              \
    X(task_operations, offsetof(struct task, operations))                                                              \
    X(task_state, offsetof(struct task, state))                                                                        \
    X(task_ready, offsetof(struct task, ready))                                                                        \
    X(task_pending, offsetof(struct task, pending))                                                                    \
    X(task_start, offsetof(struct task, start))                                                                        \
    X(task_name, offsetof(struct task, name))                                                                          \
    X(task_end, offsetof(struct task, end))                                                                            \
    X(state_external, TASK_EXTERNAL)                                                                                   \
    X(state_ended, TASK_ENDED)                                                                                         \
    X(ready_no, READY_NO)                                                                                              \
    X(ready_late, READY_LATE)                                                                                          \
    X(op_kind, offsetof(struct op, kind))                                                                              \
    X(op_address, offsetof(struct op, address))                                                                        \
    X(op_object, offsetof(struct op, object))                                                                          \
    X(op_object2, offsetof(struct op, object2))                                                                        \
    X(object_kind, offsetof(struct object, kind))                                                                      \
    X(kind_mutex, OBJECT_MUTEX)                                                                                        \
    X(kind_file, OBJECT_FILE)                                                                                          \
    X(kind_spin, OBJECT_SPIN)                                                                                          \
    X(kind_rwlock, OBJECT_RWLOCK)                                                                                      \
    X(kind_once, OBJECT_ONCE)                                                                                          \
    X(mutex_owner, offsetof(struct object, mutex.owner))                                                               \
    X(spin_owner, offsetof(struct object, spin.owner))                                                                 \
    X(rwlock_writer, offsetof(struct object, rwlock.writer))                                                           \
    X(rwlock_held, offsetof(struct object, rwlock.held))                                                               \
    X(once_running, offsetof(struct object, once.running))                                                             \
    X(holder_task, offsetof(struct holder, task))                                                                      \
    X(plan_steps, (uintptr_t)rt.wire->plan_steps)                                                                      \
    X(plan_step_count, (uintptr_t)&rt.wire->plan.plan_step_count)                                                      \
    X(steps, (uintptr_t)rt.wire->steps)                                                                                \
    X(step_count, (uintptr_t)&rt.wire->result.step_count)                                                              \
    X(step_size, sizeof(struct wire_step))                                                                             \
    X(step_type, offsetof(struct wire_step, type))                                                                     \
    X(step_task, offsetof(struct wire_step, task))                                                                     \
    X(step_value, offsetof(struct wire_step, value))                                                                   \
    X(step_until, offsetof(struct wire_step, until))                                                                   \
    X(step_is_run, STEP_RUN)                                                                                           \
    X(result_end, (uintptr_t)&rt.wire->result.end)                                                                     \
    X(result_failure, (uintptr_t)&rt.wire->result.failure)                                                             \
    X(result_exit_status, (uintptr_t)&rt.wire->result.exit_status)                                                     \
    X(result_text, (uintptr_t)rt.wire->result.text)                                                                    \
    X(findings, (uintptr_t)rt.wire->result.findings)                                                                   \
    X(finding_size, sizeof(struct wire_finding))                                                                       \
    X(finding_task, offsetof(struct wire_finding, here.task))                                                          \
    X(finding_text, offsetof(struct wire_finding, text))                                                               \
    X(end_failure, END_FAILURE)                                                                                        \
    X(end_exit, END_EXIT)                                                                                              \
    X(end_steps, END_STEPS)                                                                                            \
    X(end_diverged, END_DIVERGED)

enum {
#define X(name, number) VIEW_##name,
    VIEW(X)
#undef X
        VIEW_COUNT
};

static const char view_names[] =
#define X(name, number) #name " "
    VIEW(X)
#undef X
    ;

static RT_RARE struct {
    uint64_t attached; /* set by the debugger */
    uint64_t names, count;
    uint64_t numbers[VIEW_COUNT];
} debug_view;

void debug_prepare(void)
{
    debug_wanted = true;
    /* The debugger is not our parent.  Where the system does not restrict tracing, this fails and is not needed. */
    syscall_raw(SYS_prctl, PR_SET_PTRACER, (long)PR_SET_PTRACER_ANY, 0, 0, 0, 0);
    debug_view.names = (uintptr_t)view_names;
    debug_view.count = VIEW_COUNT;
#define X(name, number) debug_view.numbers[VIEW_##name] = (uint64_t)(number);
    VIEW(X)
#undef X
    rt.wire->head.debug = (uintptr_t)&debug_view;
}

void debug_await(void)
{
    struct timespec moment = {0, 10000000};
    while (__atomic_load_n(&debug_view.attached, __ATOMIC_ACQUIRE) == 0)
        syscall_raw(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
}

void debug_carries(const struct task *task)
{
    if (debug_wanted)
        thread_ids[task->id] = (int32_t)syscall_raw(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

/* ---- where the debugger stops: nothing may be optimised away here ---------------------------------------------------------- */

__attribute__((noinline, noipa)) void debug_stop_begin(void)
{
    __asm__ volatile("" : : : "memory");
}

__attribute__((noinline, noipa)) void debug_stop_switch(void)
{
    __asm__ volatile("" : : : "memory");
}

__attribute__((noinline, noipa)) void debug_stop_end(void)
{
    __asm__ volatile("" : : : "memory");
}
