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

enum { RT_EXIT_INTERNAL = 113, RT_EXIT_FAILURE = 114 }; /* exit statuses of a process that the runtime ended */

/* A system call past libc: -errno on error, errno untouched. */
static inline long syscall_raw(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
#if defined(__x86_64__)
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    result = x0;
#else
#error "raddle's runtime knows x86-64 and arm64"
#endif
    return result;
}

/* The range of one module whose code was compiled by raddle cc. */
struct module_range {
    uintptr_t lo, hi;
};
enum { INIT_MODULES = 32 };
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

/* The executable range of a loaded object; hi 0: it has none. */
struct dl_phdr_info;
struct module_range init_code_range(const struct dl_phdr_info *info);
/* An instrumented module announces itself (__tsan_init was called): which one is looked for. */
void init_instrumented_module(void);
/* Attach to the driver if there is one. May be called often, does its work once. */
void init_attach(void);
/* Fill wire->modules with what is loaded now. */
void init_list_modules(void);
/* Again, if modules were loaded since: those without instrumentation do not announce themselves. */
void init_list_new_modules(void);

void real_find_all(void);
void rt_format_list(char *buffer, size_t size, const char *format, va_list arguments);
/* exit_group at once: no handlers, no flushing. */
__attribute__((noreturn)) void rt_end_process(int status);

#endif
