/* SPDX-License-Identifier: MIT
 *
 * held.h - what a run that is held has outside its memory: files that it reads, and the output so far.
 *
 * DESIGN
 *   All copies of a process share the offsets of its open files.  A file that is only read is no obstacle: its offset is remembered, and set
 *   before each continuation (one at a time).  The output is kept as text, and written again by each continuation, since the driver
 *   empties it before every run.  Anything else that is open has a state that cannot be put back.
 */
#ifndef RADDLE_HELD_H
#define RADDLE_HELD_H

#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

enum { HELD_FILES = 32 };

struct held {
    struct {
        int fd;
        int64_t offset;
    } files[HELD_FILES];
    uint32_t count;
    size_t output, errors; /* bytes of text */
};

/* Looks at what is open now.  NULL, or why the run cannot be held. */
const char *held_take(struct held *held);
/* Copies the text: output, then errors.  NULL, or why that was not possible. */
const char *held_copy_text(const struct held *held, char *to);
/* In a continuation: sets the offsets, and writes the text. */
void held_put_back(const struct held *held, const char *text);

/* An operation on a descriptor is about to be done (-1: on a path).  NULL, or why the run cannot be held after it. */
const char *held_hindrance(int fd, enum wire_op operation);
/* The same, after the descriptor was opened. */
const char *held_hindrance_open(int fd);

#endif
