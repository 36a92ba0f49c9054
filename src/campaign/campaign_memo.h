/* SPDX-License-Identifier: MIT
 *
 * campaign_memo.h - a campaign and its memo (memo/memo.h): what earlier campaigns know is not tried again, and what this one learns
 * is stored, now and then and at the end.
 */
#ifndef RADDLE_CAMPAIGN_CAMPAIGN_MEMO_H
#define RADDLE_CAMPAIGN_CAMPAIGN_MEMO_H

#include "campaign/campaign.h"

struct campaign_memo;

/* program_file: whose build it is.  `cores` get those that the memo knows.  NULL: error. */
struct campaign_memo *campaign_memo_open(const char *path, const char *program, const char *program_file,
                                         struct cores *cores, struct error *error);
void campaign_memo_close(struct campaign_memo *memo); /* NULL is fine */

/* Instances that have come up since the last call: the targets get what the memo knows about them. */
void campaign_memo_look_up(struct campaign_memo *memo, const struct coverage *coverage, struct targets *targets);
/* The memo knows the program, and not this place of it: it is new or was changed. */
bool campaign_memo_is_new_site(struct campaign_memo *memo, const struct coverage *coverage, uint32_t site);
/* Stores what has happened since the last call. */
bool campaign_memo_store(struct campaign_memo *memo, const struct coverage *coverage, const struct targets *targets,
                         struct error *error);
/* The same of critical sections that exclude patterns.  `symbols` name the locks; NULL: these have no names. */
bool campaign_memo_store_cores(struct campaign_memo *memo, struct coverage *coverage, struct symbols *symbols,
                               struct error *error);
/* The campaign is over: it and its failures. */
bool campaign_memo_campaign(struct campaign_memo *memo, const struct campaign_settings *settings, uint64_t seed,
                            const struct results *results, struct error *error);

#endif
