/* SPDX-License-Identifier: MIT
 *
 * results.h - what a generation campaign has found: kept, said, and written.
 */
#ifndef RADDLE_GENERATE_RESULTS_H
#define RADDLE_GENERATE_RESULTS_H

#include "generate/generate.h"

/* The row of two functions, a <= b. */
struct generate_pair *results_pair(struct generate_results *results, uint32_t a, uint32_t b);
bool results_knows(const struct generate_results *results, const char *key);
void results_say(const struct generate_results *results, const struct generate_options *options);
/* --json and --html. */
bool results_write(const struct generate_results *results, const struct api *api,
                   const struct generate_options *options, struct error *error);
void results_clear(struct generate_results *results);

#endif
