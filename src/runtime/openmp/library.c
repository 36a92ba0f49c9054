/* SPDX-License-Identifier: MIT
 *
 * library.c - the real OpenMP library: calls that are passed on to it, and parts that are not controlled.
 */
#include <dlfcn.h>

#include "runtime/forkserver.h"
#include "runtime/init.h"
#include "runtime/model/object.h"
#include "runtime/openmp/openmp.h"
#include "runtime/oracle/heap.h"
#include "runtime/sched/sched.h"

static bool begins_with(const char *text, const char *beginning)
{
    while (*beginning != '\0' && *text == *beginning)
        text++, beginning++;
    return *beginning == '\0';
}

/* A linker that leaves out libraries nothing seems to need (--as-needed) leaves out this one, since our hooks have its names: then it is
   loaded now. */
void *openmp_real(const char *name, void **known)
{
    void *address = *known != NULL ? *known : dlsym(RTLD_NEXT, name);
    if (address == NULL) {
        bool of_llvm = begins_with(name, "__kmpc") || begins_with(name, "__tgt");
        void *library = dlopen(of_llvm ? "libomp.so.5" : "libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
        if (library == NULL && !begins_with(name, "GOMP"))
            library = dlopen("libomp.so", RTLD_NOW | RTLD_GLOBAL);
        address = library != NULL ? dlsym(library, name) : NULL;
    }
    if (address == NULL)
        rt_die("there is no OpenMP library with a function %s", name);
    return *known = address;
}

void openmp_refuse(const char *what)
{
    struct wire_result *result = &rt.wire->result;
    rt_format(result->text, sizeof result->text, "OpenMP: %s not controlled", what);
    sched_uncontrolled("OpenMP");
    sched_run_ended(END_UNCONTROLLED);
    rt_end_process(RT_EXIT_FAILURE);
}

void openmp_before_team(void)
{
    if (unlikely(rt.attached && !rt.controlled))
        forkserver_before_first_thread();
}

void openmp_check_cancellation(void)
{
    if (icv_cancellation())
        openmp_refuse("cancellation (OMP_CANCELLATION=true) is");
}

static bool is_library(const char *path)
{
    const char *name = path;
    for (const char *at = path; *at != '\0'; at++)
        if (*at == '/')
            name = at + 1;
    return begins_with(name, "libgomp.so") || begins_with(name, "libomp.so") || begins_with(name, "libomp-") ||
           begins_with(name, "libiomp5.so");
}

void openmp_check_creator(uintptr_t pc)
{
    Dl_info info;
    if (!init_pc_instrumented(pc) && dladdr((const void *)pc, &info) != 0 && is_library(info.dli_fname))
        openmp_refuse("threads that the OpenMP library creates by itself are");
}

void *openmp_allocate(struct task *self, uintptr_t pc, size_t size, size_t alignment)
{
    void *memory = heap_allocate(size, alignment < 16 ? 16 : alignment, true, pc);
    if (memory == NULL)
        rt_die("no memory for %lu bytes of an OpenMP task", (unsigned long)size);
    record_allocation(self, pc, (uintptr_t)memory, size, 1);
    return memory;
}

void openmp_free(struct task *self, uintptr_t pc, void *memory)
{
    struct block *block = memory != NULL ? heap_find(memory) : NULL;
    if (block == NULL)
        return;
    record_settle(self);
    object_drop_range(block_memory(block), block_memory(block) + block->size);
    heap_free(block, pc);
}
