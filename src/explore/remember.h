/* SPDX-License-Identifier: MIT
 *
 * remember.h - a campaign and its memo (memo/memo.h): what earlier campaigns know is not tried again, and what this one learns
 * is stored, now and then and at the end.
 */
#ifndef RADDLE_EXPLORE_REMEMBER_H
#define RADDLE_EXPLORE_REMEMBER_H

#include "explore/campaign.h"

struct remember;

/* program_file: whose build it is.  NULL: error. */
struct remember *remember_open(const char *path, const char *program, const char *program_file, struct error *error);
void remember_close(struct remember *remember); /* NULL is fine */

/* Instances that have come up since the last call: maple is told what the memo knows about them. */
void remember_look_up(struct remember *remember, const struct coverage *coverage, struct maple *maple);
/* The memo knows the program, and not this place of it: it is new or was changed. */
bool remember_is_new_site(struct remember *remember, const struct coverage *coverage, uint32_t site);
/* Stores what has happened since the last call.  maple may be NULL. */
bool remember_store(struct remember *remember, const struct coverage *coverage, const struct maple *maple,
                    struct error *error);
/* The campaign is over: it and its failures. */
bool remember_campaign(struct remember *remember, const struct campaign_settings *settings,
                       const struct strategies *strategies, const struct results *results, struct error *error);

#endif
