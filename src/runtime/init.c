/* SPDX-License-Identifier: MIT
 *
 * init.c - attaching to the driver at program start, and wrapping main.
 *
 * DESIGN
 *   The first thing of ours that runs is our __libc_start_main: shared libraries are initialised by then, the program's own
 *   constructors are not.  It attaches to the wire if the environment names one, and passes a main of ours to libc, which
 *   contains the fork server.  Without a wire nothing changes: hooks see rt_self == NULL.
 */
#include "runtime/init.h"
#include "runtime/oracle/leak.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/arch/arch.h"
#include "runtime/destructors.h"
#include "runtime/failure.h"
#include "runtime/forkserver.h"
#include "runtime/hooks/stdio.h"
#include "runtime/hooks/thread_np.h"
#include "runtime/model/signal.h"
#include "runtime/rt.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/task.h"

__attribute__((visibility("default"), used)) const unsigned raddle_runtime_version = WIRE_VERSION;

RT_RARE struct module_range init_modules[INIT_MODULES];
uint32_t init_module_count;

/* ---- modules -------------------------------------------------------------------------------------------------------- */

struct module_range init_code_range(const struct dl_phdr_info *info)
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

static bool equal(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        a++, b++;
    return *a == *b;
}

/* The tables of an object that the loader uses; NULL: it does not have this one. */
struct dynamic_tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *hash, *gnu_hash;
};

static struct dynamic_tables dynamic_tables(const struct dl_phdr_info *info)
{
    struct dynamic_tables tables = {NULL, NULL, NULL, NULL};
    const ElfW(Dyn) *entry = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        /* The loader has replaced the offset by an address, if it could write there. */
        uintptr_t address =
            entry->d_un.d_ptr < info->dlpi_addr ? info->dlpi_addr + entry->d_un.d_ptr : entry->d_un.d_ptr;
        if (entry->d_tag == DT_SYMTAB)
            tables.symbols = (const void *)address;
        else if (entry->d_tag == DT_STRTAB)
            tables.names = (const void *)address;
        else if (entry->d_tag == DT_HASH)
            tables.hash = (const void *)address;
        else if (entry->d_tag == DT_GNU_HASH)
            tables.gnu_hash = (const void *)address;
    }
    return tables;
}

/* Whether the compiler has put calls of the runtime into a loaded object: the runtime itself is part of the program, a library
   imports it.  The caller of __tsan_init is not known: an optimised constructor jumps there. */
static bool is_instrumented(const struct dl_phdr_info *info, const struct module_range *code)
{
    bool is_program = info->dlpi_name == NULL || info->dlpi_name[0] == '\0';
    if ((uintptr_t)&is_instrumented - code->lo < code->hi - code->lo)
        return is_program; /* or it was preloaded */
    struct dynamic_tables tables = dynamic_tables(info);
    if (tables.symbols == NULL || tables.names == NULL)
        return false;
    /* What is undefined is not in the GNU table: it comes before its first symbol. */
    uint32_t count = tables.gnu_hash != NULL ? tables.gnu_hash[1] : tables.hash != NULL ? tables.hash[1] : 0;
    for (uint32_t i = 1; i < count; i++)
        if (tables.symbols[i].st_shndx == SHN_UNDEF && equal(tables.names + tables.symbols[i].st_name, "__tsan_init"))
            return true;
    return false;
}

static int note_instrumented(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    struct module_range range = init_code_range(info);
    if (range.hi != 0 && !init_pc_instrumented(range.lo) && init_module_count < INIT_MODULES &&
        is_instrumented(info, &range))
        init_modules[init_module_count++] = range;
    return 0;
}

void init_instrumented_module(void)
{
    dl_iterate_phdr(note_instrumented, NULL);
    if (rt.controlled)
        init_list_modules();
}

static unsigned long long listed_additions; /* what the loader had counted when the modules were listed */

/* A library that was named by a relative path (./lib.so) is looked for where the program is now: the driver may be elsewhere. */
static void name_library(struct wire_module *module, const char *name)
{
    char here[sizeof module->path];
    long length =
        name[0] != '/' && strchr(name, '/') != NULL ? syscall_raw(SYS_getcwd, (long)here, sizeof here, 0, 0, 0, 0) : 0;
    if (length > 0)
        rt_format(module->path, sizeof module->path, "%s/%s", here, name);
    else
        rt_format(module->path, sizeof module->path, "%s", name);
}

static int list_module(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    listed_additions = info->dlpi_adds;
    struct wire_head *head = &rt.wire->head;
    struct module_range range = init_code_range(info);
    if (head->module_count == WIRE_MODULES || range.hi == 0)
        return 0;
    struct wire_module *module = &rt.wire->modules[head->module_count];
    module->base = info->dlpi_addr;
    module->lo = range.lo;
    module->hi = range.hi;
    module->instrumented = init_pc_instrumented(range.lo);
    if (info->dlpi_name != NULL && info->dlpi_name[0] != '\0') {
        name_library(module, info->dlpi_name);
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

static int has_more(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    *(bool *)context = info->dlpi_adds != listed_additions;
    return 1; /* all objects have the same number */
}

void init_list_new_modules(void)
{
    bool more = false;
    dl_iterate_phdr(has_more, &more);
    if (more)
        init_list_modules();
}

/* ---- the wire ------------------------------------------------------------------------------------------------------- */

static bool starts_with(const char *text, const char *prefix)
{
    while (*prefix != '\0')
        if (*text++ != *prefix++)
            return false;
    return true;
}

/* Takes the variable out of the environment, so that programs that this one starts are not controlled. NULL if not set. */
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
        forkserver_disconnect(); /* a second process of the same run: it is not controlled */
        return;
    }
    syscall_raw(SYS_close, descriptors[0], 0, 0, 0, 0, 0);
    rt.wire = wire;
    rt.attached = true;
    rt_errno_distance = (char *)&errno - (char *)&rt_self;
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
    /* The process goes on after its exit handlers: hooks may be called again. */
    task_go_inside(rt_self);
    struct op op = {.kind = OP_EXIT, .deadline = RT_NEVER, .fd = -1};
    sched_point(rt_self, &op);
    leak_scan();
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
    return REAL(__libc_start_main)(wrapped_main, argc, argv, init, fini, destructors_instead_of(rtld_fini), stack_end);
}
