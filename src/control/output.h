/* SPDX-License-Identifier: MIT
 *
 * output.h - the program's input and output.
 *
 * DESIGN
 *   Each of stdout and stderr is an anonymous file that the program appends to; it is emptied before each run.  The
 *   output may be larger than memory, so output_trim is called from time to time: it frees the middle and keeps the
 *   beginning and the end.  Standard input is opened again for each server, so that every run reads it from the
 *   beginning; a pipe is first read to its end.
 */
#ifndef RADDLE_CONTROL_OUTPUT_H
#define RADDLE_CONTROL_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/buffer.h"
#include "util/error.h"

struct output {
    int file;   /* ours: read and truncate */
    int append; /* the program's */
    uint64_t keep_first, keep_last;
    uint64_t passed_on; /* bytes already given to output_pass_on */
};

bool output_open(struct output *output, const char *name, uint64_t keep_first, uint64_t keep_last, struct error *error);
void output_close(struct output *output);
void output_clear(struct output *output);
void output_trim(struct output *output);
/* The number of bytes printed, including those that were trimmed. */
uint64_t output_size(const struct output *output);
/* Appends the output; a line of text stands for the part that was trimmed. */
void output_read(const struct output *output, struct buffer *into);
/* Writes what is new since the last call to fd. */
void output_pass_on(struct output *output, int fd);

/* Standard input of the program. */
struct input {
    int file;      /* -1: /dev/null */
    bool is_given; /* a file or pipe, to be saved with a failure */
};

/* From raddle's own standard input: a file is used directly, a pipe is read to its end, anything else counts as empty. */
bool input_take(struct input *input, struct error *error);
bool input_from_file(struct input *input, const char *path, struct error *error);
void input_close(struct input *input);
/* A new descriptor at the beginning of the input, with its own offset; -1 with errno. */
int input_open(const struct input *input);
/* Appends all of it; false if it is larger than limit or cannot be read. */
bool input_read(const struct input *input, size_t limit, struct buffer *into);

#endif
