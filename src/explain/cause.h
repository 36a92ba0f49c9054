/* SPDX-License-Identifier: MIT
 *
 * cause.h - which pattern makes the difference between the runs that fail and those that pass.
 */
#ifndef RADDLE_EXPLAIN_CAUSE_H
#define RADDLE_EXPLAIN_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "control/rerun.h"
#include "tale/tale.h"

struct coverage;
struct statement_facts;

/* What is to be explained. */
struct cause_question {
    const struct schedule *schedule;  /* shows the failure trial->key */
    const struct judged_run *failing; /* a recorded rerun of it */
    const struct coverage *seen;      /* coverage of the campaign so far; NULL: not known */
    uint64_t seed;                    /* of the runs that are made */
    struct schedule *
        simpler; /* all zero; gets the steps of a run that showed the failure with fewer preemptions, if there was one; NULL: not wanted */
};

/* The cause is filled for tale_set_cause (the caller frees it there), and what else its statement needs.  False: the trial is broken; the cause then says what is known so far. */
bool cause_find(struct tale_cause *cause, struct statement_facts *facts, struct trial *trial,
                const struct cause_question *question, const struct trial_budget *budget);

#endif
