/* SPDX-License-Identifier: MIT
 *
 * once.c - pthread_once, call_once, and the guards of C++ function-local statics; the model is model/once.c.
 *
 * The guard functions belong to the C++ run-time library, which may be linked statically: then there is no other
 * definition to call.  So the uncontrolled case is done here too, with the bits that libstdc++ uses.
 */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <threads.h>

#include "runtime/arch/arch.h"
#include "runtime/init.h"
#include "runtime/model/model.h"

REAL_FUNCTION(pthread_once);
REAL_FUNCTION(call_once);

/* ---- routines --------------------------------------------------------------------------------------------------- */

struct once_run {
    uint32_t *word;
    uintptr_t pc;
    bool returned;
};

/* Also reached by an exception, by pthread_exit and by cancellation in the routine: then it does not count as run. */
static void finish_run(struct once_run *run)
{
    struct task *self = rt_enter();
    if (self != NULL) {
        once_end(self, run->pc, run->word, &once_pthread, run->returned);
        rt_leave(self);
        return;
    }
    /* The routine has forked, and this is the child. */
    __atomic_store_n(run->word, run->returned ? once_pthread.done : 0, __ATOMIC_RELEASE);
    syscall_raw(SYS_futex, (long)run->word, FUTEX_WAKE_PRIVATE, INT32_MAX, 0, 0, 0);
}

static void run_once(struct task *self, uintptr_t pc, uint32_t *word, void (*routine)(void))
{
    bool mine = once_begin(self, pc, word, &once_pthread);
    rt_leave(self);
    if (!mine)
        return;
    __attribute__((cleanup(finish_run))) struct once_run run = {word, pc, false};
    routine();
    run.returned = true;
}

RT_HOOK int pthread_once(pthread_once_t *control, void (*routine)(void))
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(pthread_once)(control, routine);
    run_once(self, CALLER, (uint32_t *)control, routine);
    return 0;
}

RT_HOOK void call_once(once_flag *flag, void (*routine)(void))
{
    struct task *self = rt_enter();
    if (self == NULL)
        REAL(call_once)(flag, routine);
    else
        run_once(self, CALLER, (uint32_t *)flag, routine);
}

/* ---- guards ----------------------------------------------------------------------------------------------------- */

int __cxa_guard_acquire(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard);

enum { GUARD_DONE = 1, GUARD_RUNNING = 0x100, GUARD_WAITED_FOR = 0x10000 };

static int guard_acquire_free(uint32_t *word)
{
    for (;;) {
        uint32_t seen = 0;
        if (__atomic_compare_exchange_n(word, &seen, GUARD_RUNNING, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return 1;
        if (seen & GUARD_DONE)
            return 0;
        uint32_t waited = seen | GUARD_WAITED_FOR;
        if (seen == waited ||
            __atomic_compare_exchange_n(word, &seen, waited, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            syscall_raw(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, (long)waited, 0, 0, 0);
    }
}

static void guard_finish_free(uint32_t *word, uint32_t value)
{
    uint32_t old = __atomic_exchange_n(word, value, __ATOMIC_ACQ_REL);
    if (old & GUARD_WAITED_FOR)
        syscall_raw(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, INT32_MAX, 0, 0, 0);
}

RT_HOOK int __cxa_guard_acquire(uint64_t *guard)
{
    uint32_t *word = (uint32_t *)guard;
    struct task *self = rt_enter();
    if (self == NULL)
        return guard_acquire_free(word);
    bool mine = once_begin(self, CALLER, word, &once_guard);
    rt_leave(self);
    return mine;
}

RT_HOOK void __cxa_guard_release(uint64_t *guard)
{
    uint32_t *word = (uint32_t *)guard;
    struct task *self = rt_enter();
    if (self == NULL) {
        guard_finish_free(word, GUARD_DONE);
        return;
    }
    once_end(self, CALLER, word, &once_guard, true);
    rt_leave(self);
}

RT_HOOK void __cxa_guard_abort(uint64_t *guard)
{
    uint32_t *word = (uint32_t *)guard;
    struct task *self = rt_enter();
    if (self == NULL) {
        guard_finish_free(word, 0);
        return;
    }
    once_end(self, CALLER, word, &once_guard, false);
    rt_leave(self);
}
