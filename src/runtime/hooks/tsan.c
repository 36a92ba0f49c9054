/* SPDX-License-Identifier: MIT
 *
 * tsan.c - what gcc and clang call with -fsanitize=thread: plain accesses, function entry (exit: func_exit.c), annotations.
 *
 * The hook of an access is called before the access is done.  Its site is the return address of the call.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/access.h"
#include "runtime/hooks/memory.h"
#include "runtime/init.h"

/* The compilers know these without a header. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* ---- accesses of one size ------------------------------------------------------------------------------------------ */

static inline __attribute__((always_inline)) void access_wide(uintptr_t pc, const void *address, size_t size,
                                                              unsigned flags)
{
    if (rt_self != NULL)
        access_slow((uintptr_t)address, pc, size, flags);
}

#define PLAIN(size)                                                                                                    \
    RT_HOOK void __tsan_read##size(void *address)                                                                      \
    {                                                                                                                  \
        access_check(CALLER, (uintptr_t)address, size, false);                                                         \
    }                                                                                                                  \
    RT_HOOK void __tsan_write##size(void *address)                                                                     \
    {                                                                                                                  \
        access_check(CALLER, (uintptr_t)address, size, true);                                                          \
    }                                                                                                                  \
    RT_HOOK void __tsan_read##size##_pc(void *address, void *pc)                                                       \
    {                                                                                                                  \
        access_check((uintptr_t)pc, (uintptr_t)address, size, false);                                                  \
    }                                                                                                                  \
    RT_HOOK void __tsan_write##size##_pc(void *address, void *pc)                                                      \
    {                                                                                                                  \
        access_check((uintptr_t)pc, (uintptr_t)address, size, true);                                                   \
    }                                                                                                                  \
    RT_HOOK void __tsan_read_write##size(void *address)                                                                \
    {                                                                                                                  \
        access_check(CALLER, (uintptr_t)address, size, false);                                                         \
        access_check(CALLER, (uintptr_t)address, size, true);                                                          \
    }

/* access_check itself checks whether the bytes cross a cell. */
#define UNALIGNED(size)                                                                                                \
    RT_HOOK void __tsan_unaligned_read##size(const void *address)                                                      \
    {                                                                                                                  \
        access_check(CALLER, (uintptr_t)address, size, false);                                                         \
    }                                                                                                                  \
    RT_HOOK void __tsan_unaligned_write##size(void *address)                                                           \
    {                                                                                                                  \
        access_check(CALLER, (uintptr_t)address, size, true);                                                          \
    }                                                                                                                  \
    RT_HOOK void __tsan_unaligned_read_write##size(void *address)                                                      \
    {                                                                                                                  \
        access_check(CALLER, (uintptr_t)address, size, false);                                                         \
        access_check(CALLER, (uintptr_t)address, size, true);                                                          \
    }

#define WIDE(name, const_, size, flags)                                                                                \
    RT_HOOK void name(const_ void *address)                                                                            \
    {                                                                                                                  \
        access_wide(CALLER, address, size, flags);                                                                     \
    }

#define VOLATILE(size)                                                                                                 \
    WIDE(__tsan_volatile_read##size, , size, ACCESS_VOLATILE)                                                          \
    WIDE(__tsan_volatile_write##size, , size, ACCESS_VOLATILE | ACCESS_WRITE)

#define UNALIGNED_VOLATILE(size)                                                                                       \
    WIDE(__tsan_unaligned_volatile_read##size, const, size, ACCESS_VOLATILE)                                           \
    WIDE(__tsan_unaligned_volatile_write##size, , size, ACCESS_VOLATILE | ACCESS_WRITE)

/* clang-format off */
PLAIN(1) PLAIN(2) PLAIN(4) PLAIN(8)
UNALIGNED(2) UNALIGNED(4) UNALIGNED(8)
VOLATILE(1) VOLATILE(2) VOLATILE(4) VOLATILE(8) VOLATILE(16)
UNALIGNED_VOLATILE(2) UNALIGNED_VOLATILE(4) UNALIGNED_VOLATILE(8) UNALIGNED_VOLATILE(16)
WIDE(__tsan_read16, , 16, ACCESS_READ)
WIDE(__tsan_write16, , 16, ACCESS_WRITE)
WIDE(__tsan_unaligned_read16, const, 16, ACCESS_READ)
WIDE(__tsan_unaligned_write16, , 16, ACCESS_WRITE)
    /* clang-format on */

    RT_HOOK void __tsan_read16_pc(void *address, void *pc)
{
    access_wide((uintptr_t)pc, address, 16, ACCESS_READ);
}

RT_HOOK void __tsan_write16_pc(void *address, void *pc)
{
    access_wide((uintptr_t)pc, address, 16, ACCESS_WRITE);
}

RT_HOOK void __tsan_read_write16(void *address)
{
    access_wide(CALLER, address, 16, ACCESS_READ);
    access_wide(CALLER, address, 16, ACCESS_WRITE);
}

RT_HOOK void __tsan_unaligned_read_write16(void *address)
{
    access_wide(CALLER, address, 16, ACCESS_READ);
    access_wide(CALLER, address, 16, ACCESS_WRITE);
}

/* ---- ranges -------------------------------------------------------------------------------------------------------- */

static void range(uintptr_t pc, const void *address, size_t size, bool write)
{
    if (size != 0)
        access_wide(pc, address, size, write ? ACCESS_WRITE : ACCESS_READ);
}

RT_HOOK void __tsan_read_range(void *address, size_t size)
{
    range(CALLER, address, size, false);
}

RT_HOOK void __tsan_write_range(void *address, size_t size)
{
    range(CALLER, address, size, true);
}

RT_HOOK void __tsan_read_range_pc(void *address, size_t size, void *pc)
{
    range((uintptr_t)pc, address, size, false);
}

RT_HOOK void __tsan_write_range_pc(void *address, size_t size, void *pc)
{
    range((uintptr_t)pc, address, size, true);
}

RT_HOOK void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    return memory_copy(CALLER, to, from, size);
}

RT_HOOK void *__tsan_memmove(void *to, const void *from, size_t size)
{
    return memory_copy(CALLER, to, from, size);
}

RT_HOOK void *__tsan_memset(void *to, int byte, size_t size)
{
    return memory_fill(CALLER, to, byte, size);
}

/* ---- C++ objects: a constructor or destructor that stores the table that is there already changes nothing -------------- */

RT_HOOK void __tsan_vptr_update(void **vptr, void *value)
{
    struct task *self = rt_self;
    if (self != NULL && !task_is_inside(self) && *vptr != value)
        access_check(CALLER, (uintptr_t)vptr, 8, true);
}

RT_HOOK void __tsan_vptr_read(void **vptr)
{
    access_check(CALLER, (uintptr_t)vptr, 8, false);
}

/* ---- calls --------------------------------------------------------------------------------------------------------- */

/* Frames at or below the new one were left without __tsan_func_exit: by longjmp or an exception. */
static __attribute__((noinline)) void enter_function(struct task *self, uintptr_t pc, uintptr_t sp)
{
    if (self->frames == NULL)
        return;
    uint32_t depth = self->depth;
    if (depth > TASK_FRAMES && self->frames[TASK_FRAMES - 1].sp <= sp)
        depth = TASK_FRAMES;
    while (depth > 0 && depth <= TASK_FRAMES && self->frames[depth - 1].sp <= sp)
        depth--;
    if (depth < TASK_FRAMES)
        self->frames[depth] = (struct frame){pc, sp, ++self->calls};
    self->depth = depth + 1;
}

RT_HOOK void __tsan_func_entry(void *call_pc)
{
    struct task *self = rt_self;
    if (self == NULL)
        return;
    uintptr_t sp = (uintptr_t)__builtin_dwarf_cfa(); /* the caller's stack pointer */
    uint32_t depth = self->depth;
    if (likely(depth - 1 < TASK_FRAMES - 1 && self->frames[depth - 1].sp > sp)) {
        self->frames[depth] = (struct frame){(uintptr_t)call_pc, sp, ++self->calls};
        self->depth = depth + 1;
        return;
    }
    enter_function(self, (uintptr_t)call_pc, sp);
}

RT_HOOK void __tsan_init(void)
{
    memory_resolve();
    init_instrumented_module();
}

/* ---- annotations: of what we do not see ourselves only the happens-before edges matter, lest a race is reported ------- */

static void annotate(uintptr_t address, bool release)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return;
    access_annotate(self, address, release);
    rt_leave(self);
}

#define IGNORED(name, parameters)                                                                                      \
    RT_HOOK void name parameters                                                                                       \
    {                                                                                                                  \
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
/* clang-format off */
IGNORED(__tsan_ignore_thread_begin, (void))
IGNORED(__tsan_ignore_thread_end, (void))
IGNORED(__tsan_mutex_create, (void *address, unsigned flags))
IGNORED(__tsan_mutex_destroy, (void *address, unsigned flags))
IGNORED(__tsan_mutex_pre_lock, (void *address, unsigned flags))
IGNORED(__tsan_mutex_post_unlock, (void *address, unsigned flags))
IGNORED(__tsan_mutex_pre_signal, (void *address, unsigned flags))
IGNORED(__tsan_mutex_post_signal, (void *address, unsigned flags))
IGNORED(__tsan_mutex_pre_divert, (void *address, unsigned flags))
IGNORED(__tsan_mutex_post_divert, (void *address, unsigned flags))
IGNORED(__tsan_flush_memory, (void))
IGNORED(__tsan_destroy_fiber, (void *fiber))
IGNORED(__tsan_switch_to_fiber, (void *fiber, unsigned flags))
IGNORED(__tsan_set_fiber_name, (void *fiber, const char *name))
IGNORED(__tsan_java_init, (long begin, long size))
IGNORED(AnnotateCondVarSignal, (char *file, int line, uintptr_t address))
IGNORED(AnnotateCondVarSignalAll, (char *file, int line, uintptr_t address))
IGNORED(AnnotateCondVarWait, (char *file, int line, uintptr_t address, uintptr_t lock))
IGNORED(AnnotateMutexIsNotPHB, (char *file, int line, uintptr_t address))
IGNORED(AnnotateMutexIsUsedAsCondVar, (char *file, int line, uintptr_t address))
IGNORED(AnnotateRWLockCreate, (char *file, int line, uintptr_t address))
IGNORED(AnnotateRWLockCreateStatic, (char *file, int line, uintptr_t address))
IGNORED(AnnotateRWLockDestroy, (char *file, int line, uintptr_t address))
IGNORED(AnnotateRWLockAcquired, (char *file, int line, uintptr_t address, uintptr_t write))
IGNORED(AnnotateRWLockReleased, (char *file, int line, uintptr_t address, uintptr_t write))
IGNORED(AnnotateTraceMemory, (char *file, int line, uintptr_t address))
IGNORED(AnnotateFlushState, (char *file, int line))
IGNORED(AnnotateNewMemory, (char *file, int line, uintptr_t address, uintptr_t size))
IGNORED(AnnotateNoOp, (char *file, int line, uintptr_t address))
IGNORED(AnnotateFlushExpectedRaces, (char *file, int line))
IGNORED(AnnotateEnableRaceDetection, (char *file, int line, int enable))
IGNORED(AnnotatePCQGet, (char *file, int line, uintptr_t queue))
IGNORED(AnnotatePCQPut, (char *file, int line, uintptr_t queue))
IGNORED(AnnotatePCQDestroy, (char *file, int line, uintptr_t queue))
IGNORED(AnnotatePCQCreate, (char *file, int line, uintptr_t queue))
IGNORED(AnnotateExpectRace, (char *file, int line, uintptr_t address, char *text))
IGNORED(AnnotateBenignRace, (char *file, int line, uintptr_t address, char *text))
IGNORED(AnnotateBenignRaceSized, (char *file, int line, uintptr_t address, uintptr_t size, char *text))
IGNORED(AnnotateIgnoreReadsBegin, (char *file, int line))
IGNORED(AnnotateIgnoreReadsEnd, (char *file, int line))
IGNORED(AnnotateIgnoreWritesBegin, (char *file, int line))
IGNORED(AnnotateIgnoreWritesEnd, (char *file, int line))
IGNORED(AnnotateIgnoreSyncBegin, (char *file, int line))
IGNORED(AnnotateIgnoreSyncEnd, (char *file, int line))
IGNORED(AnnotatePublishMemoryRange, (char *file, int line, uintptr_t address, uintptr_t size))
IGNORED(AnnotateUnpublishMemoryRange, (char *file, int line, uintptr_t address, uintptr_t size))
IGNORED(AnnotateThreadName, (char *file, int line, char *name))
/* clang-format on */

#define EDGE(name, release, parameters)                                                                                \
    RT_HOOK void name parameters                                                                                       \
    {                                                                                                                  \
        annotate((uintptr_t)address, release);                                                                         \
    }
EDGE(__tsan_acquire, false, (void *address))
EDGE(__tsan_release, true, (void *address))
EDGE(AnnotateHappensBefore, true, (char *file, int line, uintptr_t address))
EDGE(AnnotateHappensAfter, false, (char *file, int line, uintptr_t address))
EDGE(WTFAnnotateHappensBefore, true, (char *file, int line, uintptr_t address))
EDGE(WTFAnnotateHappensAfter, false, (char *file, int line, uintptr_t address))
EDGE(__tsan_mutex_post_lock, false, (void *address, unsigned flags, int recursion))

RT_HOOK int __tsan_mutex_pre_unlock(void *address, unsigned flags)
{
    annotate((uintptr_t)address, true);
    return 0;
}

RT_HOOK void *__tsan_get_current_fiber(void)
{
    return NULL;
}

RT_HOOK void *__tsan_create_fiber(unsigned flags)
{
    return NULL;
}

RT_HOOK void *__tsan_external_register_tag(const char *type)
{
    return NULL;
}

RT_HOOK void __tsan_external_read(void *address, void *caller, void *tag)
{
    access_check((uintptr_t)caller, (uintptr_t)address, 1, false);
}

RT_HOOK void __tsan_external_write(void *address, void *caller, void *tag)
{
    access_check((uintptr_t)caller, (uintptr_t)address, 1, true);
}

/* No: the program does not run under valgrind. */
RT_HOOK int RunningOnValgrind(void)
{
    return 0;
}
#pragma GCC diagnostic pop
