/* SPDX-License-Identifier: MIT
 *
 * output.h - what the program reads and prints.
 *
 * DESIGN
 *   Each of stdout and stderr is an anonymous file that the program appends to; it is emptied before each run.  A program that
 *   prints a gigabyte must not cost a gigabyte: output_trim, called now and then, gives the middle back to the system and
 *   keeps the beginning and the end.  Standard input is opened anew for each server, so that every run reads it from the
 *   beginning; a pipe is read to its end first.
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
/* How much was printed, whether kept or not. */
uint64_t output_size(const struct output *output);
/* Appends what was printed; a gap is named in words. */
void output_read(const struct output *output, struct buffer *into);
/* Writes what is new since the last call to fd. */
void output_pass_on(struct output *output, int fd);

/* Standard input of the program. */
struct input {
    int file;      /* -1: /dev/null */
    bool is_given; /* a file or pipe: worth keeping with a failure */
};

/* From raddle's own standard input: a file as it is, a pipe read to its end, anything else nothing. */
bool input_take(struct input *input, struct error *error);
bool input_from_file(struct input *input, const char *path, struct error *error);
void input_close(struct input *input);
/* A descriptor at the beginning of it, not shared with anybody; -1 with errno. */
int input_open(const struct input *input);
/* Appends all of it; false if it is larger than limit or cannot be read. */
bool input_read(const struct input *input, size_t limit, struct buffer *into);

#endif
