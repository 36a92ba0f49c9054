/* SPDX-License-Identifier: MIT
 *
 * init.h - attaching to the driver, loaded modules, and the raw helpers that work before anything is initialised.
 */
#ifndef RADDLE_INIT_H
#define RADDLE_INIT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

enum { RT_EXIT_INTERNAL = 113, RT_EXIT_FAILURE = 114 }; /* exit statuses of a process that the runtime ended */

/* The range of one module whose code was compiled by raddle cc. */
struct module_range {
    uintptr_t lo, hi;
};
enum { INIT_MODULES = WIRE_MODULES };
extern struct module_range init_modules[INIT_MODULES];
extern uint32_t init_module_count;

/* Whether code at pc was instrumented (libc functions called from elsewhere are not accesses of the program's). */
static inline bool init_pc_instrumented(uintptr_t pc)
{
    for (uint32_t i = 0; i < init_module_count; i++)
        if (pc - init_modules[i].lo < init_modules[i].hi - init_modules[i].lo)
            return true;
    return false;
}

/* The section of the runtime's own code in the program's file (the Makefile names it).  Both are 0 if the runtime is preloaded. */
extern const char __start_raddle_text[] __attribute__((weak)), __stop_raddle_text[] __attribute__((weak));

/* The executable range of a loaded object; hi 0: it has none. */
struct dl_phdr_info;
struct module_range init_code_range(const struct dl_phdr_info *info);
/* __tsan_init was called: finds out which module is instrumented. */
void init_instrumented_module(void);
/* Attach to the driver if there is one. May be called often, does its work once. */
void init_attach(void);
/* Fill wire->modules with what is loaded now. */
void init_list_modules(void);
/* Again, if modules were loaded since: those without instrumentation do not call __tsan_init. */
void init_list_new_modules(void);

void real_find_all(void);
void rt_format_list(char *buffer, size_t size, const char *format, va_list arguments);
/* exit_group at once: no handlers, no flushing. */
__attribute__((noreturn)) void rt_end_process(int status);

#endif
