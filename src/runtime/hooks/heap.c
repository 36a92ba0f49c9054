/* SPDX-License-Identifier: MIT
 *
 * heap.c - malloc and its family, and the calls that map memory.
 *
 * Without a driver everything goes to libc.  This is decided at the first call, which comes before the runtime is initialised:
 * what one of the two has allocated must be freed by the same.  Memory that is not ours (from the loader's own early
 * allocator, say) always goes to libc.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/arch/arch.h"
#include "runtime/checkpoint.h"
#include "runtime/init.h"
#include "runtime/model/object.h"
#include "runtime/oracle/heap.h"
#include "runtime/oracle/race.h"
#include "runtime/pool.h"
#include "runtime/raw.h"
#include "runtime/record.h"
#include "runtime/restart.h"
#include "runtime/rt.h"
#include "runtime/sched/sched.h"
#include "runtime/transitions.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *pointer, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *__libc_valloc(size_t size);
void *__libc_pvalloc(size_t size);
void __libc_free(void *pointer);
extern void *__libc_stack_end;

REAL_FUNCTION(malloc_usable_size);

enum { PAGE = 4096 };

/* ---- libc's memory for threads --------------------------------------------------------------------------------------- */

/* What libc allocates to make a thread (rt.own_allocation) is kept apart, or the program's blocks would have other addresses with
   the other carrier, which makes more or fewer threads.  Pieces are cut off one after the other and never used again: libc itself
   keeps them for the next thread. */
enum { OWN_SIZE = 64 << 20, OWN_HEADER = 16 };

static struct {
    uintptr_t lo, next;
} own;

static void own_init(void)
{
    long address =
        syscall_raw(SYS_mmap, 0, OWN_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    own.lo = own.next = address < 0 && address > -PAGE ? 0 : (uintptr_t)address;
}

static inline bool own_owns(const void *pointer)
{
    return (uintptr_t)pointer - own.lo < OWN_SIZE && own.lo != 0;
}

static size_t own_size(const void *pointer)
{
    return ((const size_t *)pointer)[-1];
}

/* NULL if there is no room.  All 0. */
static void *own_allocate(size_t size, size_t alignment)
{
    if (own.lo == 0 || size > OWN_SIZE / 2 || alignment > PAGE)
        return NULL;
    size_t room = OWN_HEADER + ((size + 15) & ~(size_t)15) + (alignment > 16 ? alignment : 0);
    uintptr_t at = __atomic_fetch_add(&own.next, room, __ATOMIC_RELAXED);
    if (at + room > own.lo + OWN_SIZE)
        return NULL;
    at = (at + OWN_HEADER + alignment - 1) & ~(uintptr_t)(alignment - 1);
    ((size_t *)at)[-1] = size;
    return (void *)at;
}

/* ---- whose heap ------------------------------------------------------------------------------------------------------ */

static enum { UNDECIDED, LIBC, OURS } heap_owner;

static bool names_wire(const char *entry)
{
    const char *name = WIRE_ENVIRONMENT "=";
    while (*name != '\0' && *entry == *name)
        entry++, name++;
    return *name == '\0';
}

/* Before libc has set `environ` it is found where the kernel has put it. */
static char **early_environment(void)
{
    if (environ != NULL)
        return environ;
    long *stack = __libc_stack_end;
    return stack == NULL ? NULL : (char **)(stack + 1 + stack[0] + 1);
}

/* The runtime's own definition, even if the program defines the name itself, as a function or a variable. */
#define OWN_DEFINITION(f)                                                                                              \
    __asm__(".set heap_own_" #f ", " #f);                                                                              \
    extern const char heap_own_##f[] __attribute__((visibility("hidden")))
OWN_DEFINITION(malloc);
OWN_DEFINITION(calloc);
OWN_DEFINITION(realloc);
OWN_DEFINITION(free);
#define IS_REPLACED(f) ((uintptr_t)(f) != (uintptr_t)heap_own_##f)

/* Then blocks would be allocated by one and freed by the other: the program and libc do it all, as without raddle. */
static bool is_replaced(void)
{
    return IS_REPLACED(malloc) || IS_REPLACED(calloc) || IS_REPLACED(realloc) || IS_REPLACED(free);
}

static void decide_owner(void)
{
    heap_owner = LIBC;
    if (is_replaced())
        return;
    heap_owner = rt.attached ? OURS : LIBC;
    for (char **entry = early_environment(); entry != NULL && *entry != NULL; entry++)
        if (names_wire(*entry))
            heap_owner = OURS;
    if (heap_owner == OURS) {
        shadow_init();
        own_init();
    }
}

static inline bool heap_is_ours(void)
{
    if (unlikely(heap_owner == UNDECIDED))
        decide_owner();
    return heap_owner == OURS;
}

/* ---- allocating ------------------------------------------------------------------------------------------------------ */

/* `count`: the number of elements that the program gave, else 1. */
static void *allocate(size_t size, size_t count, size_t alignment, bool zero, uintptr_t pc)
{
    if (unlikely(rt.own_allocation > 0)) {
        void *apart = own_allocate(size, alignment < 16 ? 16 : alignment);
        if (apart != NULL)
            return apart;
    }
    void *memory = heap_allocate(size, alignment < 16 ? 16 : alignment, zero, pc);
    if (unlikely(memory == NULL))
        errno = ENOMEM;
    else if (rt_self != NULL && !task_is_inside(rt_self))
        record_allocation(rt_self, pc, (uintptr_t)memory, size, count);
    return memory;
}

/* What libc would call: the program's own function, unless it has none. */
static void *foreign_malloc(size_t size)
{
    static void *(*found)(size_t);
    if (found == NULL)
        found = is_replaced() ? (void *(*)(size_t))dlsym(RTLD_DEFAULT, "malloc") : __libc_malloc;
    if (found == NULL || (uintptr_t)found == (uintptr_t)heap_own_malloc)
        found = __libc_malloc;
    struct task *self = rt_self;
    if (found == __libc_malloc || self == NULL || !task_is_inside(self))
        return found(size);
    int saved_errno = self->saved_errno;
    task_go_outside(self); /* the program's code */
    void *memory = found(size);
    task_go_inside(self);
    self->saved_errno = saved_errno;
    return memory;
}

void *heap_malloc(size_t size, uintptr_t pc)
{
    return heap_is_ours() ? allocate(size, 1, 16, false, pc) : foreign_malloc(size);
}

RT_HOOK void *malloc(size_t size)
{
    return heap_is_ours() ? allocate(size, 1, 16, false, CALLER) : __libc_malloc(size);
}

RT_HOOK void *calloc(size_t count, size_t size)
{
    if (!heap_is_ours())
        return __libc_calloc(count, size);
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return allocate(total, count, 16, true, CALLER);
}

/* As glibc does: the next power of two. */
static size_t power_of_two(size_t alignment)
{
    size_t power = 16;
    while (power < alignment && power < (size_t)1 << 62)
        power *= 2;
    return power;
}

RT_HOOK void *memalign(size_t alignment, size_t size)
{
    return heap_is_ours() ? allocate(size, 1, power_of_two(alignment), false, CALLER)
                          : __libc_memalign(alignment, size);
}

RT_HOOK void *aligned_alloc(size_t alignment, size_t size)
{
    return heap_is_ours() ? allocate(size, 1, power_of_two(alignment), false, CALLER)
                          : __libc_memalign(alignment, size);
}

RT_HOOK int posix_memalign(void **result, size_t alignment, size_t size)
{
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    int saved = errno;
    void *memory =
        heap_is_ours() ? allocate(size, 1, power_of_two(alignment), false, CALLER) : __libc_memalign(alignment, size);
    errno = saved;
    if (memory == NULL)
        return ENOMEM;
    *result = memory;
    return 0;
}

RT_HOOK void *valloc(size_t size)
{
    return heap_is_ours() ? allocate(size, 1, PAGE, false, CALLER) : __libc_valloc(size);
}

RT_HOOK void *pvalloc(size_t size)
{
    if (!heap_is_ours())
        return __libc_pvalloc(size);
    size_t rounded = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    return allocate(rounded < size ? size : rounded, 1, PAGE, false, CALLER);
}

/* ---- freeing --------------------------------------------------------------------------------------------------------- */

/* Freeing memory that other tasks have used is an operation that they may come before.  It counts as one in any case: operation
   numbers must not depend on what is visible. */
static void free_point(struct task *self, void *pointer, uintptr_t pc)
{
    const struct block *block = heap_find(pointer);
    size_t size = block != NULL ? block->size : 0;
    bool visible = race_frees_shared(self, (uintptr_t)pointer, (uintptr_t)pointer + size, pc) ||
                   (rt.flags & PLAN_ALL_VISIBLE) || site_is_visible(pc);
    if (!visible && self->operations + 1 != self->stop_at) {
        self->operations++;
        return;
    }
    struct op op = {.kind = OP_FREE,
                    .flags = visible ? 0 : OP_PRIVATE,
                    .pc = pc,
                    .address = (uintptr_t)pointer,
                    .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
                    .fd = -1,
                    .deadline = RT_NEVER};
    sched_point(self, &op);
    if (visible)
        record_event(self, &op, 0, 0);
}

/* The live block that self is about to free, after a scheduling point; does not return on an error. */
static struct block *block_to_free(struct task *self, void *pointer, uintptr_t pc)
{
    free_point(self, pointer, pc);
    struct block *block = heap_find(pointer);
    if (block == NULL) {
        heap_report_free(self, pointer, pc);
        return NULL;
    }
    record_settle(self); /* the value of its last write may be in the freed memory */
    object_drop_range(block_memory(block), block_memory(block) + block->size);
    return block;
}

/* Neither a live block nor reported: a block of libc, or an error that is not checked for. */
static void free_foreign(void *pointer)
{
    if (!pool_owns(pointer))
        __libc_free(pointer);
    else if (!rt.controlled)
        abort();
}

static void release(void *pointer, uintptr_t pc)
{
    if (unlikely(own_owns(pointer)))
        return;
    struct task *self = rt_enter();
    struct block *block = self != NULL ? block_to_free(self, pointer, pc) : heap_find(pointer);
    if (block != NULL)
        heap_free(block, pc);
    else
        free_foreign(pointer);
    if (self != NULL)
        rt_leave(self);
}

RT_HOOK void free(void *pointer)
{
    if (pointer == NULL)
        return;
    if (heap_is_ours())
        release(pointer, CALLER);
    else
        __libc_free(pointer);
}

/* Always moves the block (except huge ones): the use of a pointer to the old one is found as an error. */
static void *reallocate(void *pointer, size_t size, uintptr_t pc)
{
    if (unlikely(own_owns(pointer))) {
        void *moved = own_allocate(size, 16);
        if (moved != NULL)
            raw_copy(moved, pointer, size < own_size(pointer) ? size : own_size(pointer));
        return moved;
    }
    struct block *block = heap_find(pointer);
    if (block == NULL) {
        if (rt_self != NULL && !task_is_inside(rt_self) && pool_owns(pointer)) {
            release(pointer, pc); /* reports it */
            return NULL;
        }
        return __libc_realloc(pointer, size);
    }
    void *memory = heap_resize(block, size, pc);
    if (memory != NULL)
        return memory;
    memory = allocate(size, 1, 16, false, pc);
    if (memory == NULL)
        return NULL;
    raw_copy(memory, pointer, size < block->size ? size : block->size);
    release(pointer, pc);
    return memory;
}

static void *hook_realloc(void *pointer, size_t size, uintptr_t pc)
{
    if (!heap_is_ours())
        return __libc_realloc(pointer, size);
    if (pointer == NULL)
        return allocate(size, 1, 16, false, pc);
    struct task *self = rt_enter();
    if (self != NULL)
        rt_leave(self); /* rt_enter has ended a torn access */
    if (size == 0) {
        release(pointer, pc);
        return NULL;
    }
    return reallocate(pointer, size, pc);
}

RT_HOOK void *realloc(void *pointer, size_t size)
{
    return hook_realloc(pointer, size, CALLER);
}

RT_HOOK void *reallocarray(void *pointer, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return hook_realloc(pointer, total, CALLER);
}

RT_HOOK size_t malloc_usable_size(void *pointer)
{
    if (pointer == NULL)
        return 0;
    if (own_owns(pointer))
        return own_size(pointer);
    const struct block *block = heap_is_ours() ? heap_find(pointer) : NULL;
    return block != NULL ? block->size : REAL(malloc_usable_size)(pointer);
}

/* ---- mappings -------------------------------------------------------------------------------------------------------- */

/* The shadow of the range belongs to another mapping. */
static void forget_range(void *address, size_t size)
{
    struct task *self = rt_self;
    if (self == NULL || !rt.controlled || size == 0)
        return;
    uintptr_t lo = (uintptr_t)address, hi = lo + ((size + PAGE - 1) & ~(size_t)(PAGE - 1));
    if (hi <= lo)
        return;
    record_settle(self);
    shadow_clear(lo, hi);
    object_drop_range(lo, hi);
}

static size_t whole_pages(size_t size)
{
    return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static void *map_result(long result, size_t size)
{
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return MAP_FAILED;
    }
    forget_range((void *)result, size);
    return (void *)result;
}

/* A file that is open for reading only: no mapping of it can be written. */
static bool is_unchanging_file(int fd, int flags)
{
    return !(flags & MAP_ANONYMOUS) && (syscall_raw(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0) & O_ACCMODE) == O_RDONLY;
}

/* The kernel decides where memory is: that depends on what else is mapped then. */
static void note_place(void)
{
    if (rt_self != NULL && rt.controlled && rt.task_count > 1)
        transition_beyond(BEYOND_ADDRESS);
}

RT_HOOK void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (offset & (PAGE - 1)) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    if ((flags & MAP_FIXED) && !restart_has_mapped((uintptr_t)address, size))
        restart_forbid_here("mmap");
    if ((flags & MAP_TYPE) != MAP_PRIVATE && !is_unchanging_file(fd, flags))
        checkpoint_forbid("shared memory");
    if (flags & MAP_FIXED)
        forget_range(address, size);
    else
        note_place();
    long result = syscall_raw(SYS_mmap, (long)address, (long)size, protection, flags, fd, offset);
    if (!(flags & MAP_FIXED) && (result >= 0 || result <= -4096))
        restart_note_map((uintptr_t)result, whole_pages(size));
    return map_result(result, size);
}

void *mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t offset)
    __attribute__((weak, alias("mmap"), visibility("default")));

RT_HOOK int munmap(void *address, size_t size)
{
    restart_note_unmap((uintptr_t)address, whole_pages(size));
    struct task *self = rt_self;
    if (self != NULL && rt.controlled)
        record_settle(self);
    long result = syscall_raw(SYS_munmap, (long)address, (long)size, 0, 0, 0, 0);
    if (result < 0) {
        errno = (int)-result;
        return -1;
    }
    if (self != NULL && rt.controlled) {
        uintptr_t lo = (uintptr_t)address, hi = lo + ((size + PAGE - 1) & ~(size_t)(PAGE - 1));
        shadow_clear(lo, hi);
        object_drop_range(lo, hi);
    }
    return 0;
}

RT_HOOK void *mremap(void *address, size_t old_size, size_t new_size, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    void *wanted = flags & MREMAP_FIXED ? va_arg(arguments, void *) : NULL;
    va_end(arguments);
    restart_forbid_here("mremap");
    note_place();
    struct task *self = rt_self;
    if (self != NULL && rt.controlled)
        record_settle(self);
    long result = syscall_raw(SYS_mremap, (long)address, (long)old_size, (long)new_size, flags, (long)wanted, 0);
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return MAP_FAILED;
    }
    if ((void *)result == address) {
        if (new_size < old_size)
            forget_range((char *)address + new_size, old_size - new_size);
        return address;
    }
    forget_range(address, old_size);
    forget_range((void *)result, new_size);
    return (void *)result;
}
