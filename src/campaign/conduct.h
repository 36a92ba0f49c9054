/* SPDX-License-Identifier: MIT
 *
 * conduct.h - a whole campaign in one call: from options to results, files and an exit code.  `raddle run` and `raddle force` are this call;
 * other parts that need a campaign make it too.
 *
 *   struct options options;
 *   options_set_defaults(&options);
 *   struct conduct *conduct = memory_allocate(1, sizeof *conduct);      (it is large)
 *   conduct->options = &options;
 *   conduct->command = command;
 *   int code = conduct_campaign(conduct, &error);
 *   … conduct->results …
 *   conduct_close(conduct);
 */
#ifndef RADDLE_CAMPAIGN_CONDUCT_H
#define RADDLE_CAMPAIGN_CONDUCT_H

#include "campaign/campaign.h"
#include "campaign/options.h"
#include "util/paths.h"

struct conduct {
    /* Given, the rest is zero: */
    struct options *options; /* those of FOR_RUN; a seed and a number of jobs are chosen here if they are 0 */
    char **command;          /* the program and its arguments, ends with NULL */
    const char *pattern; /* to be made to happen, in the place of options->strategy (technique/force.h); NULL: none */
    const struct technique *const *techniques; /* that --strategy may name; NULL: all (technique/techniques.h) */
    /* What was found, until conduct_close: */
    struct results results;
    struct portfolio portfolio;
    /* Its own: */
    struct campaign_settings settings;
    struct oracle oracle;
    struct input input;
    struct paths paths;
    char *path, *out;
    char *program; /* home_program() */
    bool out_is_new;
    int64_t began; /* seconds since 1970 */
};

/* Runs the campaign, says what it found, and writes what the options ask for.  Returns the exit code; errors have been said.  What `stop.h` says ends it
   early. */
int conduct_campaign(struct conduct *conduct, struct error *error);
/* To be called after conduct_campaign, also after an error. */
void conduct_close(struct conduct *conduct);

#endif
