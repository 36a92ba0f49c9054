/* SPDX-License-Identifier: MIT
 *
 * portfolio.h - the techniques of a campaign: which of them plans schedule n, and what all of them are told.
 *
 * DESIGN
 *   The answer depends on the campaign's seed, on n, and on what earlier schedules showed: so a campaign is the same each time
 *   for a seed.  The techniques of the list take turns.  Those of "all" share half of the schedules in turn, and
 *   the other half goes to those that newly cover most (bandit.h).  Where a technique needs a profile, the first schedule is
 *   one without preemptions, because it also tells how long a run is.  A technique that has only a few schedules leaves its turns to
 *   the others after a while.
 */
#ifndef RADDLE_TECHNIQUE_PORTFOLIO_H
#define RADDLE_TECHNIQUE_PORTFOLIO_H

#include "technique/bandit.h"
#include "technique/technique.h"

enum { PORTFOLIO_MEMBERS = 16 };

enum { PORTFOLIO_PARTS = 32 };

struct portfolio_member {
    const struct technique *technique;
    void *state;                     /* the same for all members of one technique */
    uint64_t runs;                   /* schedules that it planned */
    uint64_t covered;                /* instances that these covered first */
    uint32_t parts[PORTFOLIO_PARTS]; /* of the campaign, each of part_width schedules: how many it planned in them */
};

struct portfolio {
    const struct technique *const *table; /* all techniques that there are; ends with NULL */
    struct portfolio_member members[PORTFOLIO_MEMBERS];
    struct bandit_arm arms[PORTFOLIO_MEMBERS]; /* what the schedules of each member newly cover */
    uint32_t count;
    bool shares; /* "all": half of the schedules go to those that cover most */
    uint64_t seed;
    uint32_t depth;         /* of pct */
    struct targets targets; /* that they share */
    /* learned */
    double mean_points;
    uint64_t ended;      /* runs */
    uint64_t part_width; /* 0: none has ended */
};

/* How many parts of the campaign have begun. */
size_t portfolio_part_count(const struct portfolio *portfolio);

/* ---- the list ----------------------------------------------------------------------------------------------------------- */

/* From "all" or "pct,pos", words of `table` (techniques.h), which ends with NULL. */
bool portfolio_parse(struct portfolio *portfolio, const struct technique *const *table, const char *text,
                     struct error *error);
/* The words of --strategy, by comma, without "all". */
void portfolio_print_words(const struct technique *const *table, struct buffer *out);
/* The list is this technique of the table alone. */
void portfolio_set(struct portfolio *portfolio, const struct technique *const *table,
                   const struct technique *technique);
/* What techniques of the list want to be measured beside --coverage. */
family_mask portfolio_families(const struct portfolio *portfolio);
/* Coverage is not measured: techniques that need it leave the list.  False: none is left. */
bool portfolio_drop_coverage(struct portfolio *portfolio, struct error *error);
/* One of them has the flag. */
bool portfolio_has(const struct portfolio *portfolio, enum technique_flags flag);

/* ---- the campaign ------------------------------------------------------------------------------------------------------- */

/* Opens the techniques; seed, alone and targets of the setup are the portfolio's.  Closed by portfolio_close, also after an error. */
bool portfolio_open(struct portfolio *portfolio, const struct technique_setup *setup, struct error *error);
void portfolio_close(struct portfolio *portfolio);

/* The member that plans schedule n (from 1). */
uint32_t portfolio_choose(const struct portfolio *portfolio, uint64_t n);
/* Has it plan its run: number, addresses_vary, modules and plan (flags, bounds) of the run are set.  Adds PLAN_RECORD to the flags if
   the run's events are needed. */
void portfolio_plan(const struct portfolio *portfolio, uint32_t member, struct technique_run *run);
/* What decided in the run: the technique if it aimed, else the runtime strategy. */
const char *portfolio_run_name(const struct technique_run *run);
const char *portfolio_strategy_name(enum wire_strategy strategy);

/* The run of a member has ended.  To be called for every run, before portfolio_observe. */
void portfolio_count(struct portfolio *portfolio, uint32_t member, uint64_t points);
/* All techniques are told of the run.  True: one of them has nothing left to do. */
bool portfolio_observe(struct portfolio *portfolio, uint32_t member, const struct technique_run *run,
                       const struct technique_seen *seen);
void portfolio_abandon(struct portfolio *portfolio, uint32_t member, const struct technique_run *run);
/* The checkpoint to continue the run from (-1: none), if its technique chooses by itself; false: it does not. */
bool portfolio_checkpoint(const struct portfolio *portfolio, uint32_t member, struct technique_run *run,
                          struct checkpoints *checkpoints, struct server *server, int *from);
/* False: the technique does not look ahead. */
bool portfolio_ahead(const struct portfolio *portfolio, uint32_t member, const struct technique_run *run,
                     struct technique_ahead *ahead);
void technique_ahead_free(struct technique_ahead *ahead);
void technique_run_free(struct technique_run *run);

/* The campaign has ended: what the techniques say.  Freed by technique_end_free. */
void portfolio_end(struct portfolio *portfolio, struct technique_end *end);
void technique_end_free(struct technique_end *end);
/* Calls `each` for every technique of the table that counts something, in the list or not, with a name and a value for each counter. */
typedef void portfolio_counts_sink(void *context, const char *technique, const char *const *names,
                                   const uint64_t *values, size_t count);
void portfolio_counts(const struct portfolio *portfolio, portfolio_counts_sink *each, void *context);
/* What its technique has done; each technique once.  Nothing if there is nothing to say. */
void portfolio_summary(const struct portfolio *portfolio, uint32_t member, struct buffer *out);

#endif
