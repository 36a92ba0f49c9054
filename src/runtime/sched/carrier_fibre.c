/* SPDX-License-Identifier: MIT
 *
 * carrier_fibre.c - all tasks on one kernel thread.
 *
 * DESIGN
 *   A *context* is a real thread that was created, parked itself in the kernel for ever, and whose stack, thread-local storage
 *   and pthread_self() a task uses.  The one kernel thread that runs switches stack pointer and thread base (arch/).  Contexts
 *   made before the fork point cost a run nothing: in a forked child their kernel threads do not exist at all, only their memory.
 *   Each context has a fixed place, and libc's allocations for it come from the runtime, so that addresses do not depend on
 *   when it was made.
 *
 *   The context of an ended task is used for a new one, with the thread-local variables of the program reset to their
 *   initial values (libc's own are kept: they belong to the thread).
 *
 *   A call that cannot be controlled must not stop the other tasks: another kernel thread (a *lender*) takes over the task's context
 *   for that call only, and gives it back.
 */
#include <link.h>
#include <linux/futex.h>
#include <locale.h>
#include <netdb.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"
#include "runtime/arch/context.h"
#include "runtime/forkserver.h"
#include "runtime/init.h"
#include "runtime/restart.h"
#include "runtime/sched/carrier.h"
#include "runtime/sched/idle.h"
#include "runtime/shadow.h"

REAL_FUNCTION(pthread_create);

enum {
    PAGE = 4096,
    GUARD = 16 * PAGE,
    OWN_FRAMES = 1024,   /* of the parked thread, above the task's */
    FIRST_CONTEXTS = 1,  /* each costs a fork its mappings and page tables: the server makes more when runs need them */
    MOST_CONTEXTS = 512, /* kept in the server; more are made in each run */
    TLS_MODULES = 32,
    TLS_REACH = 1 << 20, /* static storage lies within so many bytes of the thread base */
};

struct task_thread {
    struct arch_context saved;
    pthread_t handle;
    uintptr_t lo, hi; /* stack */
    uintptr_t frame;  /* of the parked thread's function */
    int parked;
    bool used;        /* has carried a task: thread-local variables must be reset for the next one */
    bool again;       /* carries its second task or a later one */
    void *unwinds_to; /* libc's: see restore_unwinding */
    struct task_thread *next_free;
    struct lender *lender; /* during an uncontrolled call */
};

static struct {
    uintptr_t slots; /* stacks of standard contexts, one after the other */
    size_t slot_size;
    uint32_t slot_count, slots_used;
    uint32_t next_fresh;
    struct task_thread *free_list;
} pool;
static RT_TABLE struct task_thread *made[WIRE_TASKS]; /* by slot; those not taken yet are taken in order */

/* ---- thread-local storage --------------------------------------------------------------------------------------------- */

struct tls_image {
    intptr_t offset; /* from the thread base */
    const char *image;
    size_t file_size, size;
};
static RT_RARE struct tls_image tls_images[TLS_MODULES];
static uint32_t tls_image_count;
static bool tls_is_static; /* all of it is at fixed offsets: contexts can be used again */

static bool belongs_to_libc(const char *path)
{
    const char *name = path;
    for (const char *p = path; *p != '\0'; p++)
        if (*p == '/')
            name = p + 1;
    return (name[0] == 'l' && name[1] == 'i' && name[2] == 'b' && name[3] == 'c' && name[4] == '.') ||
           (name[0] == 'l' && name[1] == 'd' && name[2] == '-');
}

static int note_tls(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_TLS || segment->p_memsz == 0 || belongs_to_libc(info->dlpi_name))
            continue;
        intptr_t offset = (intptr_t)info->dlpi_tls_data - (intptr_t)arch_thread_base();
        if (info->dlpi_tls_data == NULL || offset > TLS_REACH || offset < -TLS_REACH ||
            tls_image_count == TLS_MODULES) {
            tls_is_static = false;
            continue;
        }
        tls_images[tls_image_count++] = (struct tls_image){
            .offset = offset,
            .image = (const char *)(info->dlpi_addr + segment->p_vaddr),
            .file_size = segment->p_filesz,
            .size = segment->p_memsz,
        };
    }
    return 0;
}

static void restore_tls(struct task_thread *context)
{
    for (uint32_t i = 0; i < tls_image_count; i++) {
        const struct tls_image *image = &tls_images[i];
        char *data = (char *)context->saved.thread_base + image->offset;
        for (size_t byte = 0; byte < image->size; byte++)
            data[byte] = byte < image->file_size ? image->image[byte] : 0;
    }
    *(int *)((char *)&errno - arch_thread_base() + context->saved.thread_base) = 0;
}

/* rt_self as the context will see it. */
static void set_self(struct task_thread *context, struct task *task)
{
    *(struct task **)((char *)&rt_self - arch_thread_base() + context->saved.thread_base) = task;
}

/* ---- contexts --------------------------------------------------------------------------------------------------------- */

static void park(struct task_thread *context)
{
    int word = 0;
    __atomic_store_n(&context->parked, 1, __ATOMIC_RELEASE);
    syscall_raw(SYS_futex, (long)&context->parked, FUTEX_WAKE, 1, 0, 0, 0);
    for (;;)
        syscall_raw(SYS_futex, (long)&word, FUTEX_WAIT, 0, 0, 0, 0);
}

/* libc keeps in each thread where unwinding (pthread_exit) ends, and clean-up handlers change that.  What the last task left there
   points into frames that do not exist any more: a context that is used again gets its first value back. */
void __pthread_register_cancel(__pthread_unwind_buf_t *buffer);
void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer);

static void learn_unwinding(struct task_thread *context)
{
    __pthread_unwind_buf_t buffer;
    __pthread_register_cancel(&buffer); /* stores the old value in the buffer */
    context->unwinds_to = buffer.__pad[0];
    __pthread_unregister_cancel(&buffer);
}

static void restore_unwinding(const struct task_thread *context)
{
    __pthread_unwind_buf_t buffer;
    buffer.__pad[0] = context->unwinds_to;
    __pthread_unregister_cancel(&buffer);
}

static void *context_main(void *argument)
{
    struct task_thread *context = argument;
    context->saved.thread_base = arch_thread_base();
    context->frame = (uintptr_t)__builtin_frame_address(0);
    learn_unwinding(context);
    park(context);
    return NULL;
}

/* Creates the thread on the stack [lo, hi) and waits until it is parked. NULL and an error number if it cannot be. */
static struct task_thread *make(uintptr_t lo, uintptr_t hi, int *error)
{
    restart_forbid(""); /* a kernel thread would stay; the next process has it from the start */
    struct task_thread *context = rt_alloc(sizeof *context);
    context->lo = lo;
    context->hi = hi;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    *error = pthread_attr_setstack(&attributes, (void *)lo, hi - lo);
    uint64_t all = UINT64_MAX, old = 0;
    syscall_raw(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&old, sizeof all, 0,
                0); /* signals go to the runner */
    rt.own_allocation++;
    char single = __libc_single_threaded;
    if (*error == 0)
        *error = REAL(pthread_create)(&context->handle, &attributes, context_main, context);
    __libc_single_threaded = single; /* a parked thread is not a thread of the program */
    rt.own_allocation--;
    syscall_raw(SYS_rt_sigprocmask, SIG_SETMASK, (long)&old, 0, sizeof old, 0, 0);
    pthread_attr_destroy(&attributes);
    if (*error != 0)
        return NULL;
    while (__atomic_load_n(&context->parked, __ATOMIC_ACQUIRE) == 0)
        syscall_raw(SYS_futex, (long)&context->parked, FUTEX_WAIT, 0, 0, 0, 0);
    return context;
}

static int note_executable_stack(struct dl_phdr_info *info, size_t size, void *wanted)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_STACK && (info->dlpi_phdr[i].p_flags & PF_X))
            *(bool *)wanted = true;
    return 0;
}

/* Stacks are executable if some module wants that, as libc's are: nested functions of C have code there. */
static bool open_stack(uintptr_t lo, size_t size)
{
    bool executable = false;
    dl_iterate_phdr(note_executable_stack, &executable);
    int protection = PROT_READ | PROT_WRITE | (executable ? PROT_EXEC : 0);
    return syscall_raw(SYS_mprotect, (long)lo, (long)size, protection, 0, 0, 0) == 0;
}

/* The next standard context, in the next slot. */
static struct task_thread *make_standard(int *error)
{
    uintptr_t slot = pool.slots + pool.slots_used * pool.slot_size;
    *error = EAGAIN;
    if (pool.slots_used == pool.slot_count || !open_stack(slot + GUARD, pool.slot_size - GUARD))
        return NULL;
    struct task_thread *context = make(slot + GUARD, slot + pool.slot_size, error);
    if (context == NULL)
        return NULL;
    made[pool.slots_used++] = context;
    forkserver_note_contexts(pool.slots_used);
    return context;
}

/* A context with a stack of another size.  Fails like a real thread's stack would: the kernel has to reserve the memory. */
static struct task_thread *make_special(size_t size, int *error)
{
    *error = size > SIZE_MAX - PAGE ? EINVAL : EAGAIN; /* libc adds one page as guard */
    if (size > SIZE_MAX - GUARD - PAGE)
        return NULL;
    size = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    long map =
        syscall_raw(SYS_mmap, 0, (long)(size + GUARD), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (map < 0 && map > -PAGE)
        return NULL;
    struct task_thread *context = NULL;
    if (open_stack((uintptr_t)map + GUARD, size))
        context = make((uintptr_t)map + GUARD, (uintptr_t)map + GUARD + size, error);
    if (context == NULL)
        syscall_raw(SYS_munmap, map, (long)(size + GUARD), 0, 0, 0, 0);
    return context;
}

/* The stack of a new task: its size, and its address if the program supplies it (else lo is 0). */
struct stack {
    uintptr_t lo;
    size_t size;
};

static struct stack wanted_stack(const pthread_attr_t *attributes)
{
    struct stack stack = {.size = pool.slot_size - GUARD};
    void *lo;
    size_t size;
    if (attributes == NULL)
        return stack;
    if (pthread_attr_getstack(attributes, &lo, &size) == 0 && (uintptr_t)lo + size != 0)
        return (struct stack){(uintptr_t)lo, size};
    pthread_attr_getstacksize(attributes, &stack.size);
    return stack;
}

static struct task_thread *take(size_t size, int *error)
{
    size_t rounded = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    for (struct task_thread **link = &pool.free_list; *link != NULL; link = &(*link)->next_free)
        if ((*link)->hi - (*link)->lo == rounded) {
            struct task_thread *context = *link;
            *link = context->next_free;
            return context;
        }
    if (size != pool.slot_size - GUARD)
        return make_special(size, error);
    if (pool.next_fresh == pool.slots_used && make_standard(error) == NULL)
        return NULL;
    return made[pool.next_fresh++];
}

/* ---- lenders ---------------------------------------------------------------------------------------------------------- */

/* A kernel thread that runs a task's context during an uncontrolled call. */
struct lender {
    struct arch_context own;
    struct task *task; /* futex-like: set to give it work */
    int work;
    struct lender *next;
};
static struct lender *idle_lenders; /* only accessed with the baton */
static struct lender *to_wake;      /* its task's context is saved as soon as the next task runs */

static void *lender_main(void *argument)
{
    struct lender *lender = argument;
    for (;;) {
        while (__atomic_load_n(&lender->work, __ATOMIC_ACQUIRE) == 0)
            syscall_raw(SYS_futex, (long)&lender->work, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
        lender->work = 0;
        struct task *task = lender->task;
        lender->own.thread_base = arch_thread_base();
        arch_switch(&lender->own, &task->thread->saved);
        idle_external_returned(task); /* the context is saved: the runner may have it */
    }
    return NULL;
}

static struct lender *take_lender(void)
{
    struct lender *lender = idle_lenders;
    if (lender != NULL) {
        idle_lenders = lender->next;
        return lender;
    }
    restart_forbid("a call that cannot be controlled"); /* a kernel thread stays */
    lender = rt_alloc(sizeof *lender);
    pthread_t handle;
    rt.own_allocation++;
    int error = REAL(pthread_create)(&handle, NULL, lender_main, lender);
    rt.own_allocation--;
    if (error != 0)
        rt_die("no thread for an uncontrolled call: error %d", error);
    return lender;
}

/* After every switch: the task that was left is saved now. */
static void switched(void)
{
    struct lender *lender = to_wake;
    if (lender == NULL)
        return;
    to_wake = NULL;
    __atomic_store_n(&lender->work, 1, __ATOMIC_RELEASE);
    syscall_raw(SYS_futex, (long)&lender->work, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

/* ---- the carrier ------------------------------------------------------------------------------------------------------ */

static struct task_thread main_context;

static struct task_thread *context_of(struct task *task)
{
    if (task->thread == NULL) { /* main */
        main_context.saved.thread_base = arch_thread_base();
        task->thread = &main_context;
    }
    return task->thread;
}

static void switch_to(struct task *self, struct task *next)
{
    rt.current = next;
    arch_switch(&context_of(self)->saved, &context_of(next)->saved);
    switched();
}

static void entry(void *argument)
{
    struct task *self = argument;
    switched();
    if (self->thread
            ->again) { /* libc's thread-local variables are those of the last task: the visible ones are reset */
        restore_unwinding(self->thread);
        uselocale(LC_GLOBAL_LOCALE);
        h_errno = 0;
    }
    task_body_at(self, self->stack_hi - (self->thread->hi - self->thread->frame) - CARRIER_FRAMES);
    rt_die("a task ran beyond its end");
}

/* If the program supplies the stack, the task's frames are there, but everything else is that of a standard context.  Otherwise libc would
   have its own data in memory that the program may free while the parked thread still exists. */
static int start(struct task *task, const pthread_attr_t *attributes)
{
    int error = 0;
    struct stack stack = wanted_stack(attributes);
    context_of(rt.current);
    struct task_thread *context = take(stack.lo != 0 ? pool.slot_size - GUARD : stack.size, &error);
    if (context == NULL)
        return error;
    uintptr_t lo = stack.lo != 0 ? stack.lo : context->lo, hi = stack.lo != 0 ? stack.lo + stack.size : context->hi;
    if (context->hi - context->frame + CARRIER_FRAMES + PAGE > hi - lo) { /* a real thread would have its data there */
        context->next_free = pool.free_list;
        pool.free_list = context;
        return EINVAL;
    }
    context->again = context->used;
    if (context->again) {
        restore_tls(context);
        shadow_clear(context->lo, context->hi); /* stack and thread-local variables of the last task */
    }
    context->used = true;
    task->stack_kept = stack.lo == 0;
    set_self(context, task);
    __libc_single_threaded = 0; /* C++ counts references without atomics until then */
    arch_prepare(&context->saved, hi - (context->hi - context->frame) - OWN_FRAMES, entry, task);
    task->thread = context;
    task->handle = context->handle;
    task->stack_lo = lo;
    task->stack_hi = hi;
    return 0;
}

/* The free ones are in order of address: which of them the next task gets does not depend on the order of joins. */
static void give_back(struct task_thread *context)
{
    struct task_thread **link = &pool.free_list;
    while (*link != NULL && (*link)->lo < context->lo)
        link = &(*link)->next_free;
    context->next_free = *link;
    *link = context;
}

static void reap(struct task *task)
{
    struct task_thread *context = task->thread;
    if (context == NULL || context == &main_context || !tls_is_static)
        return;
    give_back(context);
    task->thread = NULL;
}

static void hand_over(struct task *self, struct task *next)
{
    struct lender *lender = take_lender();
    lender->task = self;
    context_of(self)->lender = lender;
    to_wake = lender;
    switch_to(self, next); /* returns on the lender's kernel thread */
}

static void come_back(struct task *self)
{
    struct task_thread *context = self->thread;
    struct lender *lender = context->lender;
    arch_switch(&context->saved, &lender->own); /* returns on the runner, with the baton */
    switched();
    lender->next = idle_lenders;
    idle_lenders = lender;
}

void carrier_fibre_prepare(bool slow)
{
    arch_begin(slow);
    pthread_attr_t standard;
    size_t size = 8 << 20;
    if (pthread_getattr_default_np(&standard) == 0) {
        pthread_attr_getstacksize(&standard, &size);
        pthread_attr_destroy(&standard);
        size = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    }
    pool.slot_size = size + GUARD;
    for (pool.slot_count = WIRE_TASKS; pool.slot_count >= 16; pool.slot_count /= 4) {
        long map = syscall_raw(SYS_mmap, 0, (long)(pool.slot_count * pool.slot_size), PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (map > 0 || map < -PAGE) {
            pool.slots = (uintptr_t)map;
            break;
        }
    }
    if (pool.slots == 0)
        pool.slot_count = 0;
    tls_is_static = true;
    dl_iterate_phdr(note_tls, NULL);
    carrier_fibre_grow(FIRST_CONTEXTS);
}

void carrier_fibre_grow(uint32_t wanted)
{
    int error;
    while (pool.slots_used < wanted && pool.slots_used < MOST_CONTEXTS && make_standard(&error) != NULL)
        continue;
}

const struct carrier carrier_fibre = {
    .name = "fibre",
    .start = start,
    .switch_to = switch_to,
    .depart = switch_to,
    .hand_over = hand_over,
    .come_back = come_back,
    .reap = reap,
};
