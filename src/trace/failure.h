/* SPDX-License-Identifier: MIT
 *
 * failure.h - a failure on disk: the directory DIR/failure-N.
 *
 *   about.json   what failed, how it was found, how to run it again
 *   schedule     the interleaving (schedule.h), shrunk
 *   schedule.found   the schedule that was found, if it is different
 *   events       one line per event (events.h), of a long run only the first and the last; missing if there was no time to write it
 *   schedule.old, events.old   of the previous build, if the program has changed and still fails (explain/follow.h)
 *   tale.json    the explained run (tale/tale.h)
 *   stdout       what the program printed
 *   stderr
 *   stdin        its input, if there was one
 *   command      the command line, to paste
 */
#ifndef RADDLE_TRACE_FAILURE_H
#define RADDLE_TRACE_FAILURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/schedule.h"
#include "util/buffer.h"
#include "util/error.h"
#include "util/vector.h"

struct failure {
    char *path; /* the directory */

    /* what */
    char *kind, *site, *text, *key;
    bool confirmed; /* the first replay gave the same result */
    bool fixed;     /* in a later run it did not fail any more */

    /* how it was found */
    char *strategy;
    uint64_t campaign_seed, schedule_number;
    uint32_t preemptions, threads;
    uint32_t preemptions_found; /* before it was shrunk */
    bool shrunk;                /* shrinking was tried */
    bool shrink_complete;       /* and all candidates were tried */
    uint64_t shrink_runs;
    uint64_t events;          /* of the run; 0: not known */
    uint64_t events_left_out; /* of these are not in the file `events` */
    bool full_events;         /* none of them is to be left out */
    uint64_t size_limit;      /* bytes that its files may take; 0: any number */
    char *left_out;           /* files that would have been more: "events (301 MB), stdin (40 MB)"; NULL: none */
    char *cause;              /* a sentence; NULL: not searched */
    char *pattern; /* of the cause (tale.h), both of a pair, blocks without their numbers; NULL: none was found */
    char **also;   /* keys under which the same cause showed, too; ends with NULL; NULL: none */
    char *early;   /* the wait that ended although another thread could run (trace/headline.h); NULL: none */
    char *program; /* identifies the program (campaign/home.h); NULL: not known */
    char *build;   /* of the program that it was found in (explain/follow.h); NULL: not known */

    /* how to run it */
    char **command;  /* ends with NULL */
    char *directory; /* where it was run */
    bool preload;
    char *check, *fail_on; /* as given to --check and --fail-on; NULL none */
    uint64_t expect_exit;
    char *expect_output, *oracle; /* NULL if none */
    char *assume;                 /* the text of that file; NULL: none */
    char *suppressions;           /* the text of that file; NULL: none */
    struct schedule schedule;
};

/* The other files of the directory. */
struct failure_files {
    struct buffer events; /* empty: none */
    struct buffer output, errors;
    struct buffer tale;           /* empty: none */
    const struct schedule *found; /* schedule.found; NULL: none */
    struct buffer input;
    bool has_input;
};

void failure_files_free(struct failure_files *files);

/* A copy of an argument vector; freed by the caller. */
char **failure_copy_command(char *const *command);

/* The failure shows under another key, too.  Nothing if that is known. */
void failure_add_key(struct failure *failure, const char *key);
/* Whether this is its key, or one of the others. */
bool failure_has_key(const struct failure *failure, const char *key);

/* Reads about.json and schedule.  On error nothing is left to free; code EXIT_USAGE. */
bool failure_read(struct failure *failure, const char *path, struct error *error);
/* Only about.json, from memory; `name` is what errors call it. */
bool failure_parse(struct failure *failure, const char *name, const char *text, size_t size, struct error *error);
/* Writes out/failure-N (out/unconfirmed-N if it is not confirmed) with the first free N, atomically: under another
   name, then renamed. Sets failure->path and failure->left_out.  Of more than failure->size_limit bytes the files that a failure
   can do without are left out: events first, last the tale.  The schedule is left out only if it could not be read back. */
bool failure_write(struct failure *failure, const char *out, const struct failure_files *files, struct error *error);
/* Writes about.json again. */
bool failure_update(const struct failure *failure, struct error *error);
/* Writes about.json, schedule, events, tale.json, stdout and stderr again, and schedule.found if there is none, all at once; the other files
   stay.  If it fails the directory is as it was.  For files that are too large see failure_write. */
bool failure_replace(struct failure *failure, const struct failure_files *files, struct error *error);
void failure_free(struct failure *failure);

/* The numbers N of the failure-N in a directory, ascending.  None if the directory does not exist. */
struct failure_numbers {
    VECTOR(unsigned) list;
};
void failure_list(const char *out, struct failure_numbers *numbers);

#endif
