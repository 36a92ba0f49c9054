/* SPDX-License-Identifier: MIT
 *
 * oracle.h - judges a run.
 *
 * In order of precedence: what the runtime found itself, death by a signal, the step bound, findings that the user
 * wants as failures, the exit status, the output, the user's own command, lost memory.
 */
#ifndef RADDLE_CONTROL_ORACLE_H
#define RADDLE_CONTROL_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "control/server.h"
#include "control/server_symbols.h"
#include "control/suppress.h"
#include "trace/atomic_sets.h"
#include "util/buffer.h"
#include "util/error.h"
#include "wire/wire_check.h"

/* What is judged, from the options. */
struct oracle {
    uint32_t checked; /* bit per kind: is checked */
    uint32_t failing; /* bit per kind: a failure, not a warning */
    uint64_t expect_exit;
    const char *expect_output;                      /* file name; NULL: none */
    struct buffer expected;                         /* its content */
    const char *command;                            /* NULL: none */
    uint32_t plan_flags;                            /* PLAN_RACES | … as the checks need them */
    struct assumptions *assumptions;                /* about units of work and atomic sets; NULL: none */
    struct oracle_serializability *serializability; /* NULL: violations are no failures */
    struct oracle_leaks *leaks;        /* oracle_leak.h; learns from each run; NULL: a leak is not a failure */
    struct suppressions *suppressions; /* what is no failure nevertheless; NULL: none */
    struct server_symbols *symbols;    /* for these */
};

/* As the options say. */
struct oracle_options {
    const char *check, *fail_on; /* NULL: not given */
    uint64_t expect_exit;
    const char *expect_output, *command; /* file, shell command; NULL: none */
};
/* The texts must stay valid as long as the oracle. */
bool oracle_open(struct oracle *oracle, const struct oracle_options *options, struct error *error);
/* What the user says about units of work and atomic sets.  Takes it over; NULL: nothing.  To be called before the first run. */
void oracle_assume(struct oracle *oracle, struct assumptions *assumptions);
/* The runs that come are compared with the failure of this key, which must stay valid until then; NULL: with none. */
void oracle_want(const struct oracle *oracle, const char *key);
/* COPY_*: what it needs of a run. */
unsigned oracle_parts(const struct oracle *oracle);
/* What these suppress is no failure, even if it is of a kind that is one (--fail-on).  Takes them over; NULL: none. */
void oracle_suppress(struct oracle *oracle, struct suppressions *suppressions);
/* The line that suppresses this finding of a run in `server`, or NULL. */
struct suppression *oracle_suppressed(const struct oracle *oracle, const struct server *server,
                                      const struct wire_copy *copy, const struct wire_finding *finding);
void oracle_close(struct oracle *oracle);

enum verdict {
    VERDICT_GOOD,
    VERDICT_FAILURE,
    VERDICT_UNFINISHED,   /* cut by the step bound or the watchdog: neither */
    VERDICT_UNCONTROLLED, /* the program did something that cannot be controlled: neither */
    VERDICT_DIVERGED,     /* a replay could not follow its schedule */
    VERDICT_INTERNAL,     /* raddle's own error */
    VERDICT_DAMAGED,      /* the program wrote over the shared memory: its result means nothing */
    VERDICT_LOST,         /* the server died with the run, or the run was given up */
};

struct judgement {
    enum verdict verdict;
    struct wire_finding finding; /* VERDICT_FAILURE */
    bool stopped;                /* VERDICT_UNFINISHED: by the watchdog */
    bool impossible;             /* ... since a planned order of the threads could not be made */
    char text[WIRE_TEXT + 64];   /* other verdicts than passed: what happened */
};

/* Judges the run that has just ended in `server` as `state`.  False only if the user's command cannot be run. */
bool oracle_judge(const struct oracle *oracle, struct server *server, enum server_state state,
                  const struct wire_copy *copy, struct judgement *judgement, struct error *error);

/* "race" → KIND_RACE; WIRE_KIND_COUNT if there is none. */
uint32_t oracle_kind_by_name(const char *name, size_t length);
bool oracle_is_warning(const struct oracle *oracle, uint32_t kind);

#endif
