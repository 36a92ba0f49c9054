/* SPDX-License-Identifier: MIT
 *
 * pointer.h - a call of libc as accesses of the program: begin, add what is read and written, access, do the call, end.
 */
#ifndef RADDLE_HOOKS_POINTER_H
#define RADDLE_HOOKS_POINTER_H

#include <stdarg.h>
#include <wchar.h>

#include "runtime/access.h"

struct pointer_call {
    struct task *self;
    uintptr_t pc;
    unsigned count;
    struct span spans[ACCESS_SPANS];
};

/* False: not an access of the program's.  Else the guard is held until pointer_end. */
bool pointer_begin(struct pointer_call *call, uintptr_t pc);
/* flags: ACCESS_*.  NULL and 0 bytes are no access. */
void pointer_add(struct pointer_call *call, const void *address, size_t size, unsigned flags);
/* All that was added is accessed now; others may run before. */
void pointer_access(struct pointer_call *call);
/* The same, and the guard is given back. */
void pointer_end(struct pointer_call *call);

/* ---- formats: format.c -------------------------------------------------------------------------------------------------- */

/* A format, or another text, of one kind of characters; the other pointer is NULL. */
struct format {
    const char *text;
    const wchar_t *wide;
};
#define FORMAT(narrow)         ((struct format){narrow, NULL})
#define FORMAT_WIDE(wide_text) ((struct format){NULL, wide_text})

/* The text itself is read, whole. */
void format_add_text(struct pointer_call *call, struct format text);
/* What printf reads for the format beside the format itself: texts; and where it writes a number (%n). */
void format_add_output(struct pointer_call *call, struct format format, va_list arguments);
/* The same as an operation of its own, with the format. */
void format_read(uintptr_t pc, struct format format, va_list arguments);
/* What scanf has written, after the call; `converted` is what it returned. */
void format_add_input(struct pointer_call *call, struct format format, va_list arguments, int converted);

#endif
