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

/* RADDLE_ATOMIC_SET(&pair, sizeof pair);
 *
 * "This memory must be consistent as a whole": an atomic set.  Without it the objects of a structure or class, and the static variables of
 * a file, are taken as atomic sets; `raddle analyze --atomic-sets` lists them.  It holds from the call on, until the memory is freed. */
extern void raddle_atomic_set(const void *address, unsigned long size) __attribute__((__weak__));

#define RADDLE_ATOMIC_SET(address, size)                                                                               \
    do {                                                                                                               \
        if (&(raddle_atomic_set))                                                                                      \
            (raddle_atomic_set)((address), (size));                                                                    \
    } while (0)

/* RADDLE_INVARIANT(&pair, pair_is_consistent(&pair));
 *
 * "Here this object must be consistent": the second argument says whether it is.  It is no assertion: where calls on the object have interrupted
 * each other before, raddle says with it that they left it inconsistent.  Without raddle the second argument is not evaluated. */
extern void raddle_invariant(const void *address, unsigned long size, int holds) __attribute__((__weak__));

#define RADDLE_INVARIANT(object, condition)                                                                            \
    do {                                                                                                               \
        if (&(raddle_invariant))                                                                                       \
            (raddle_invariant)((object), sizeof *(object), (condition) ? 1 : 0);                                       \
    } while (0)

/* RADDLE_UNIT_OF_WORK { … }
 *
 * "What is done here must not be interfered with": a unit of work, for all atomic sets that are accessed in it.  Without it, calls of the
 * functions with a pointer or reference to a structure are the units for its objects.  The block may be left by return, break or an exception, not
 * by longjmp. */
extern void raddle_unit_begin(void) __attribute__((__weak__));
extern void raddle_unit_end(void) __attribute__((__weak__));

struct raddle_unit {
    int once;
};

static inline __attribute__((__unused__)) void raddle_unit_leave(struct raddle_unit *unit)
{
    (void)unit;
    if (&(raddle_unit_end))
        (raddle_unit_end)();
}

#define RADDLE_UNIT_OF_WORK                                                                                            \
    for (struct raddle_unit raddle_unit                                                                                \
         __attribute__((__cleanup__(raddle_unit_leave))) = {&(raddle_unit_begin) ? ((raddle_unit_begin)(), 1) : 1};    \
         raddle_unit.once; raddle_unit.once = 0)

/* RADDLE_NOT_A_UNIT;
 *
 * In a function: its calls are no units of work, although it has a pointer or reference to a structure.  It is read from the debug
 * information. */
#define RADDLE_NOT_A_UNIT static const char raddle_not_a_unit __attribute__((__used__)) = 0

/* RADDLE_ASSERT(condition);
 *
 * As assert(), but also when the program is compiled with -DNDEBUG: for conditions that only tests check. */
extern void __assert_fail(const char *assertion, const char *file, unsigned int line, const char *function) __THROW
    __attribute__((__noreturn__));

#define RADDLE_ASSERT(condition)                                                                                       \
    ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, (unsigned int)__LINE__, __func__))

__END_DECLS

#endif
