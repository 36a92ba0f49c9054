/* SPDX-License-Identifier: MIT
 *
 * stdio.h - streams of libc's stdio: the lock of each, and whether a call on one would block.
 *
 * DESIGN
 *   While libc is inside a stdio function the task does not lose the baton, so the stream's own lock is never
 *   contended. What can last is flockfile, and a task that waits for input or room: for these the lock is modelled,
 *   as a recursive lock keyed by the FILE. Every other stdio hook only waits until no other task has it; there is no
 *   scheduling point if none does.
 */
#ifndef RADDLE_HOOKS_STDIO_H
#define RADDLE_HOOKS_STDIO_H

#include <stdio.h>
#include <wchar.h>

#include "runtime/rt.h"

/* The lock of a stream. `kind` is what is published while waiting. Guard held. */
void stdio_lock(struct task *self, uintptr_t pc, FILE *file);
void stdio_unlock(struct task *self, FILE *file);

/* Begin and end of a hook that writes `size` bytes: waits until the stream is free; and if they do not fit into its
   buffer and it goes to a pipe or the like, empties the buffer first and waits for room, so that the call itself
   writes a page at most.  NULL: call the real function and do no more. */
struct task *stdio_begin_output(FILE *file, uintptr_t pc, size_t size);
#define STDIO_SOME 1024     /* a size: that of formatted text, mostly */
#define STDIO_ALL  SIZE_MAX /* a size: all that is in the buffer is to be written */
void stdio_end_output(struct task *self, FILE *file);

/* The same for a hook that reads, for one piece of input.  If *failed, a signal handler ended the wait: the stream and
   errno say so already, the real function must not be called. */
struct task *stdio_begin_input(FILE *file, uintptr_t pc, bool *failed);
void stdio_end_input(struct task *self, FILE *file);

/* Only for the lock. */
struct task *stdio_begin(FILE *file, uintptr_t pc);
void stdio_end(struct task *self);

/* Writing to the stream may have to wait. */
bool stdio_drains_slowly(FILE *file);

/* Reading from what is not a file: the stream is locked, and each refill of its buffer waits for input.  Guard held. */
bool stdio_refills_slowly(FILE *file);
/* Waits until the buffer or the descriptor has something. 0, EINTR (the stream has its error mark), or ECANCELED: the
   task is to be cancelled once the stream is unlocked. */
int stdio_await_input(struct task *self, uintptr_t pc, FILE *file);

/* At the very end of a run: writes out all streams. False if one is still locked, and so cannot be. Guard held. */
bool stdio_flush_all(void);

/* The beginning of what libc keeps of a stream with wide characters. */
struct stdio_wide {
    const wchar_t *read, *read_end;
};

/* Characters left in the buffer; of a stream with wide ones, whether there are any. */
static inline size_t stdio_buffered(const FILE *file)
{
    const struct stdio_wide *wide = (const struct stdio_wide *)file->_wide_data;
    if (file->_mode > 0 && wide->read < wide->read_end)
        return 1;
    return file->_IO_read_ptr < file->_IO_read_end ? (size_t)(file->_IO_read_end - file->_IO_read_ptr) : 0;
}

#endif
