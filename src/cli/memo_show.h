/* SPDX-License-Identifier: MIT
 *
 * memo_show.h - `raddle memo show`: a memo as text for people or as JSON.
 */
#ifndef RADDLE_CLI_MEMO_SHOW_H
#define RADDLE_CLI_MEMO_SHOW_H

#include "cli/memo_options.h"
#include "memo/memo.h"

/* All programs of the memo, to standard output. */
bool memo_show(struct memo *memo, const struct memo_options *options, struct error *error);

#endif
