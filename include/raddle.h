/* SPDX-License-Identifier: MIT
 *
 * raddle.h - what a program may tell raddle about itself.  Nothing here is needed: a program without it is tested just
 * the same.  All of it is harmless in a program that is built or run without raddle.
 */
#ifndef RADDLE_H
#define RADDLE_H

#include <sys/cdefs.h>

__BEGIN_DECLS

/* raddle_ready();
 *
 * "Set-up ends here."  Everything before it is run once, and each schedule starts from a copy of the process at this
 * point: worth having where start-up is slow (reading files, filling tables).  Call it in the program itself (not in a
 * shared library), once, in main's thread, before the first other thread is created.  Without it each schedule starts
 * at main. */
extern void raddle_ready(void) __attribute__((__weak__));

/* The marker tells the runtime before main that this call will come. */
#define raddle_ready()                                                                                                 \
    do {                                                                                                               \
        static const char raddle_marker __attribute__((__section__("raddle_ready_marker"), __used__)) = 1;             \
        __asm__ volatile("" : : "r"(&raddle_marker));                                                                  \
        if (&(raddle_ready))                                                                                           \
            (raddle_ready)();                                                                                          \
    } while (0)

/* RADDLE_ASSERT(condition);
 *
 * As assert(), but also when the program is compiled with -DNDEBUG: for conditions that only tests check. */
extern void __assert_fail(const char *assertion, const char *file, unsigned int line, const char *function) __THROW
    __attribute__((__noreturn__));

#define RADDLE_ASSERT(condition)                                                                                       \
    ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, (unsigned int)__LINE__, __func__))

__END_DECLS

#endif
