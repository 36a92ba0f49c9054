/* SPDX-License-Identifier: MIT
 *
 * schedule.h - a schedule as a text file.
 *
 *   raddle schedule 1              format and version
 *   flags races heap               of the plan that it was made under
 *   max-steps 1000000              (these three matter only where the schedule does not decide)
 *   seed 42
 *   early-timeouts 655
 *   run 0 17                       task 0 runs until it is about to do its 17th operation
 *   run 1 9 preempted              the same; task 1 could have continued
 *   choose 1 9 0                   the choice that task 1 made at its 9th operation
 *   run 0 end                      task 0 runs until it ends
 *   steps 4                        the end: how many steps there were
 *
 * Lines that are empty or begin with # are skipped.
 */
#ifndef RADDLE_TRACE_SCHEDULE_H
#define RADDLE_TRACE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buffer.h"
#include "util/error.h"
#include "util/vector.h"
#include "wire/wire.h"

enum { SCHEDULE_VERSION = 1 };
#define SCHEDULE_LIMIT ((size_t)256 << 20) /* most bytes of a schedule file */

struct schedule {
    uint32_t flags; /* PLAN_* that change what runs: no PLAN_RECORD */
    uint64_t max_steps;
    uint64_t seed;
    uint32_t early_timeouts; /* per 65536 points */
    VECTOR(struct wire_step) steps;
};

/* Appends the text.  `comment`, if not NULL, becomes a # line at the top. */
void schedule_write(const struct schedule *schedule, const char *comment, struct buffer *text);
/* `name` is what errors call the file.  On error nothing is left to free; the code is EXIT_USAGE. */
bool schedule_parse(struct schedule *schedule, const char *name, const char *text, size_t size, struct error *error);
bool schedule_read(struct schedule *schedule, const char *path, struct error *error);
/* A deep copy; the old content of `to` is not freed. */
void schedule_copy(struct schedule *to, const struct schedule *from);
void schedule_free(struct schedule *schedule);
/* The number of preemptions: switches away from a task that could have continued. */
uint32_t schedule_preemptions(const struct wire_step *steps, size_t count);
uint64_t schedule_hash(const struct wire_step *steps, size_t count);

#endif
