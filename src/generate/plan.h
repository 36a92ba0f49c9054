/* SPDX-License-Identifier: MIT
 *
 * plan.h - what was understood of a header, as a text file that a person can edit and give back.
 *
 *   create queue_new(capacity)
 *       values capacity 2 1 4          C expressions; in quotes if they have blanks
 *       fails null                     how it says that it failed: null, negative, nonzero, zero, never
 *   destroy queue_free(queue)
 *   call queue_push(queue, value)
 *       values value 1 2 0
 *       once                           at most once in a test
 *       one-thread                     not in two threads at once
 *       after queue_open               only after this call
 *       no-compare                     its results may differ from those of a sequential run
 *   never queue_dump(queue)            # a comment
 *   invariant queue_check(queue)       called after each run: is the object sound?
 */
#ifndef RADDLE_GENERATE_PLAN_H
#define RADDLE_GENERATE_PLAN_H

#include <stdio.h>

#include "generate/api.h"
#include "util/error.h"

void plan_print(const struct api *api, const char *header, FILE *to);
/* Changes the API to what the file says; functions that it does not name stay as they are.  Errors name the line. */
bool plan_read(const char *path, struct api *api, struct error *error);
bool plan_parse(const char *name, char *text, struct api *api, struct error *error);

#endif
