/* SPDX-License-Identifier: MIT
 *
 * init.c - attaching to the driver at program start, and wrapping main.
 *
 * DESIGN
 *   The first thing of ours that runs is our __libc_start_main: shared libraries are initialised by then, the program's own
 *   constructors are not.  It attaches to the wire if the environment names one, and hands libc a main of ours, in which
 *   the fork server sits.  Without a wire everything stays as it was: hooks see rt_self == NULL.
 */
#include "runtime/init.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/forkserver.h"
#include "runtime/hooks/signal.h"
#include "runtime/hooks/stdio.h"
#include "runtime/hooks/thread_np.h"
#include "runtime/rt.h"
#include "runtime/sched/sched.h"

__attribute__((visibility("default"), used)) const unsigned raddle_runtime_version = WIRE_VERSION;

struct module_range init_modules[INIT_MODULES];
uint32_t init_module_count;

/* ---- modules -------------------------------------------------------------------------------------------------------- */

/* The executable range of a loaded object. */
static struct module_range code_range(const struct dl_phdr_info *info)
{
    struct module_range range = {UINTPTR_MAX, 0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0)
            continue;
        uintptr_t lo = info->dlpi_addr + segment->p_vaddr;
        if (lo < range.lo)
            range.lo = lo;
        if (lo + segment->p_memsz > range.hi)
            range.hi = lo + segment->p_memsz;
    }
    return range;
}

struct find_module {
    uintptr_t pc;
    struct module_range range;
};

static int find_module(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct find_module *find = context;
    struct module_range range = code_range(info);
    if (find->pc < range.lo || find->pc >= range.hi)
        return 0;
    find->range = range;
    return 1;
}

void init_instrumented_module(uintptr_t pc)
{
    if (init_pc_instrumented(pc) || init_module_count == INIT_MODULES)
        return;
    struct find_module find = {.pc = pc};
    if (dl_iterate_phdr(find_module, &find) == 1)
        init_modules[init_module_count++] = find.range;
    if (rt.controlled)
        init_list_modules();
}

static int list_module(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    struct wire_head *head = &rt.wire->head;
    struct module_range range = code_range(info);
    if (head->module_count == WIRE_MODULES || range.hi == 0)
        return 0;
    struct wire_module *module = &rt.wire->modules[head->module_count];
    module->base = info->dlpi_addr;
    module->lo = range.lo;
    module->hi = range.hi;
    module->instrumented = init_pc_instrumented(range.lo);
    if (info->dlpi_name != NULL && info->dlpi_name[0] != '\0') {
        rt_format(module->path, sizeof module->path, "%s", info->dlpi_name);
    } else { /* the program itself */
        long length = syscall_raw(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)module->path,
                                  sizeof module->path - 1, 0, 0);
        module->path[length > 0 ? length : 0] = '\0';
    }
    head->module_count++;
    return 0;
}

void init_list_modules(void)
{
    rt.wire->head.module_count = 0;
    dl_iterate_phdr(list_module, NULL);
}

/* ---- the wire ------------------------------------------------------------------------------------------------------- */

static bool starts_with(const char *text, const char *prefix)
{
    while (*prefix != '\0')
        if (*text++ != *prefix++)
            return false;
    return true;
}

/* Takes the variable out of the environment, so that programs this one starts run free. NULL if not set. */
static const char *take_environment(void)
{
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        if (!starts_with(*entry, WIRE_ENVIRONMENT "="))
            continue;
        const char *value = *entry + sizeof WIRE_ENVIRONMENT;
        for (char **next = entry; *next != NULL; next++)
            *next = next[1];
        return value;
    }
    return NULL;
}

static bool parse_descriptors(const char *text, int descriptors[3])
{
    for (int i = 0; i < 3; i++) {
        descriptors[i] = 0;
        if (*text < '0' || *text > '9')
            return false;
        while (*text >= '0' && *text <= '9' && descriptors[i] < 1 << 20)
            descriptors[i] = descriptors[i] * 10 + (*text++ - '0');
        if (*text != (i < 2 ? ',' : '\0'))
            return false;
        text++;
    }
    return true;
}

void init_attach(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    const char *value = take_environment();
    int descriptors[3];
    if (value == NULL || !parse_descriptors(value, descriptors))
        return;
    struct stat status;
    if (fstat(descriptors[0], &status) != 0 || status.st_size < (off_t)sizeof(struct wire_head))
        return;
    long map =
        syscall_raw(SYS_mmap, 0, (long)sizeof(struct wire), PROT_READ | PROT_WRITE, MAP_SHARED, descriptors[0], 0);
    if (map < 0 && map > -4096)
        return;
    struct wire *wire = (struct wire *)map;
    for (int i = 0; i < 3; i++)
        syscall_raw(SYS_fcntl, descriptors[i], F_SETFD, FD_CLOEXEC, 0, 0, 0);
    forkserver_connect(wire, descriptors);
    if (wire->head.magic != WIRE_MAGIC || wire->head.version != WIRE_VERSION || wire->head.size != sizeof *wire)
        forkserver_refuse(REFUSED_VERSION, 0);
    if (__atomic_exchange_n(&wire->head.claimed, 1, __ATOMIC_SEQ_CST) != 0) {
        __atomic_fetch_add(&wire->head.attached, 1, __ATOMIC_SEQ_CST);
        forkserver_disconnect(); /* a second process of the same run: it runs free */
        return;
    }
    syscall_raw(SYS_close, descriptors[0], 0, 0, 0, 0, 0);
    rt.wire = wire;
    rt.attached = true;
    real_find_all();
}

/* ---- main ----------------------------------------------------------------------------------------------------------- */

static int (*program_main)(int, char **, char **);

/* Registered before anything else, so it runs after all other exit handlers. */
static void last_exit_handler(int status, void *unused)
{
    (void)unused;
    if (!rt.controlled || rt_self == NULL)
        return;
    /* The process goes on for a while after its exit handlers: others may run once more. */
    rt_self->guard = 1;
    struct op op = {.kind = OP_EXIT, .deadline = RT_NEVER, .fd = -1};
    sched_point(rt_self, &op);
    sched_run_ended(END_EXIT);
    if (stdio_flush_all())
        forkserver_run_ended(status);
}

static int wrapped_main(int argc, char **argv, char **envp)
{
    if (rt.attached && !rt.controlled && !forkserver_waits_for_ready())
        forkserver_enter();
    return task_run_main(program_main, argc, argv, envp);
}

typedef int main_function(int, char **, char **);
int __libc_start_main(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
REAL_FUNCTION(__libc_start_main);

__attribute__((visibility("default"))) int __libc_start_main(main_function *main, int argc, char **argv,
                                                             void (*init)(void), void (*fini)(void),
                                                             void (*rtld_fini)(void), void *stack_end)
{
    init_attach();
    if (!rt.attached)
        return REAL(__libc_start_main)(main, argc, argv, init, fini, rtld_fini, stack_end);
    program_main = main;
    failure_learn();
    thread_learn_processors();
    on_exit(last_exit_handler, NULL);
    if (rt.wire->head.flags & HEAD_EXEC_PER_RUN)
        forkserver_enter();
    return REAL(__libc_start_main)(wrapped_main, argc, argv, init, fini, rtld_fini, stack_end);
}
