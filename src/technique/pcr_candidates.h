/* SPDX-License-Identifier: MIT
 *
 * pcr_candidates.h - which accesses of one execution could come in another order that is worth asking for: pairs of conflicting accesses of
 * two tasks, joined to three and four, less what the rules of PCR leave out.
 *
 * DESIGN
 *   What is looked at in one execution is bounded, and is the same each time: every variable has an equal part of it.  The two accesses of a
 *   task to one variable are among a few neighbours; a second variable is one that the task accesses a little before the first one.
 *   Of candidates with the same sites, values and kinds the first few are kept.
 */
#ifndef RADDLE_TECHNIQUE_PCR_CANDIDATES_H
#define RADDLE_TECHNIQUE_PCR_CANDIDATES_H

#include "coverage/coverage.h"
#include "technique/pcr_values.h"
#include "util/error.h"

/* X(NAME, word).  In the order in which they are asked. */
#define PCR_RULES(X)                                                                                                   \
    X(DEFINED, "defined")         /* it is one of the 17 */                                                            \
    X(COVERED, "covered")         /* no run has shown it, and it was not tried, with these values */                   \
    X(ORDER, "order")             /* what must happen before something else does */                                    \
    X(STATE, "state")             /* a read finds another value, or two writes change places */                        \
    X(INTERRUPTED, "interrupted") /* a task's two accesses to a variable come one after the other */                   \
    X(EXCHANGE, "exchange")       /* of four: one of the variables has another value */
enum pcr_rule {
#define X(name, word) PCR_##name,
    PCR_RULES(X)
#undef X
        PCR_RULE_COUNT
};
extern const char *const pcr_rule_names[PCR_RULE_COUNT];
/* The rules that are left when those in the list (words by comma; NULL: none) are left out: bits.  False: one is no rule. */
bool pcr_rules_without(const char *names, unsigned *rules, struct error *error);

/* Which task and which variable the steps are of. */
enum pcr_form { FORM_AB, FORM_ABA, FORM_XXYY, FORM_XYXY, FORM_XYYX, FORM_COUNT };
enum { NOT_DEFINED = UINT8_MAX };

struct pcr_candidate {
    uint32_t events[PATTERN_STEPS];
    uint32_t locations[2];         /* by variable */
    uint64_t finds[PATTERN_STEPS]; /* what a step that reads is to find */
    uint32_t distance;             /* events of the tasks between their steps */
    uint8_t form, row, count;      /* row: of the family map; NOT_DEFINED */
    uint8_t writes;                /* steps that write: bits */
    bool alone; /* only the first step, a read, can be asked for: its task holds the lock that the second one needs */
    uint32_t brink; /* if so: the last event of the second task before it takes that lock; EVENT_NONE */
    bool far;       /* some reads would have to find the same value in another way than they did */
};
typedef VECTOR(struct pcr_candidate) pcr_candidates;

/* What candidates are made from. */
struct pcr_source {
    const struct rules *rules; /* of the execution */
    const struct pcr_values *values;
    const pcr_turns *turns;          /* of the execution */
    const struct table *tried;       /* pcr_candidate_key() → enum pcr_tried */
    const struct coverage *coverage; /* NULL: it knows of none */
    unsigned filter;                 /* rules that hold: bits by enum pcr_rule */
};

/* How a candidate was tried: its schedule ended at a read that found something new, and whether the pattern happens was left open; or it
   was for the whole pattern. */
enum pcr_tried { PCR_NOT_TRIED, PCR_TRIED_CUT, PCR_TRIED };

struct pcr_drops {
    uint64_t looked_at, dropped[PCR_RULE_COUNT];
    uint64_t impossible; /* that no rule leaves out, but locks or values do */
    uint64_t cut;        /* executions of which not all was looked at */
};

/* Adds to the candidates and to the drops. */
void pcr_candidates_make(const struct pcr_source *source, pcr_candidates *candidates, struct pcr_drops *drops);
/* The rule COVERED. */
bool pcr_candidate_is_covered(const struct pcr_source *source, const struct pcr_candidate *candidate);
/* The news of its reads: the best. */
enum pcr_news pcr_candidate_news(const struct pcr_source *source, const struct pcr_candidate *candidate);
enum pcr_news pcr_step_news(const struct pcr_source *source, const struct pcr_candidate *candidate, unsigned step);
/* What makes it another one than others: sites, contexts, kinds and values. */
uint64_t pcr_candidate_key(const struct pcr_source *source, const struct pcr_candidate *candidate);
/* Without a family if it is not defined. */
void pcr_candidate_pattern(const struct pcr_source *source, const struct pcr_candidate *candidate,
                           struct pattern *pattern);
/* False: it is not defined. */
bool pcr_candidate_instance(const struct pcr_source *source, const struct pcr_candidate *candidate,
                            struct instance *instance);

#endif
