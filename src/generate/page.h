/* SPDX-License-Identifier: MIT
 *
 * page.h - the report of a generation campaign as one HTML page without scripts: which pairs of functions were tried, and the faults.
 */
#ifndef RADDLE_GENERATE_PAGE_H
#define RADDLE_GENERATE_PAGE_H

#include "generate/generate.h"

bool page_write(const struct generate_results *results, const struct api *api, const struct generate_options *options,
                struct error *error);

#endif
