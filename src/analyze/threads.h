/* SPDX-License-Identifier: MIT
 *
 * threads.h - which threads a program may have, what they may run, and what may run at the same time.
 *
 * DESIGN
 *   A *class* is all threads that one creating call starts with one function; also the main thread, and the threads of
 *   libraries, which may call what the libraries know at any time.  At each operation of a class the analysis knows the classes that
 *   are *alive*: begun by it (or by what it began), and not certainly joined.  A call is a transfer function x -> gained + (x - lost), so calls
 *   from different places do not mix.
 *
 *   Two operations may happen in parallel if one's class is alive at the other, or if their classes are: *beside* each other, since both
 *   were alive where the later one was created.
 *
 *   A join counts if it is clear which threads have ended: one name, created into by calls of which none finds an earlier thread of that name
 *   alive; or a loop over all names of an array.
 */
#ifndef RADDLE_ANALYZE_THREADS_H
#define RADDLE_ANALYZE_THREADS_H

#include "analyze/points.h"

enum { CLASS_MAIN = 0, CLASS_OUTSIDE = 1 }; /* always there */

struct thread_class {
    uint32_t create, start; /* operation; function; IR_NONE for main and outside */
    struct set roots;       /* functions that it begins with: one, but for main and outside */
    struct set functions;   /* that it may run */
    struct set descendants; /* classes that it, or those that it creates, may create */
    struct set beside;      /* classes that it may run in parallel with, whatever it does */
    struct set parents;
};

struct threads;

struct threads *threads_find(const struct ir_program *program, const struct points *points);
void threads_free(struct threads *threads);
uint32_t threads_count(const struct threads *threads);
const struct thread_class *threads_class(const struct threads *threads, uint32_t number);
/* The functions that a call may call. */
const struct set *threads_called(const struct threads *threads, uint32_t call);
bool threads_calls_unseen(const struct threads *threads, uint32_t call);

/* Goes through all operations that the class may do.  `alive`: classes, valid during the call. */
typedef void threads_visit(void *context, uint32_t class, uint32_t function, uint32_t op, const struct set *alive);
void threads_each(const struct threads *threads, uint32_t class, threads_visit *visit, void *context);

/* An operation of class a, where alive_a are alive, and one of class b may happen in parallel. */
bool threads_parallel(const struct threads *threads, uint32_t a, const struct set *alive_a, uint32_t b,
                      const struct set *alive_b);

#endif
