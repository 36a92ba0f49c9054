/* SPDX-License-Identifier: MIT
 *
 * memo.h - what raddle remembers about programs from one campaign to the next.  It is a file that any number of
 * campaigns may use at the same time; it survives a kill or a power cut.
 *
 * DESIGN
 *   A program is identified by its base name.  Its builds are distinguished but stored together, since sites have names
 *   that stay valid across builds (pattern/site.h).  Counts are only added to, in the file and in one transaction per
 *   call, so parallel campaigns lose nothing.  Every memo has an origin, a random name.  Merging uses it to detect that
 *   two memos share history, which addition would count twice.
 *
 *   The file is an SQLite database in WAL mode, with raddle's application id and the version of its tables as user
 *   version (schema.c).  A file that is damaged, newer, or of another application is refused with a message and not
 *   changed.
 *
 * Errors have code EXIT_USAGE where the user can do something (a path that cannot be written, a full disk, a file that
 * is locked, damaged or not a memo), else EXIT_INTERNAL.  A handle is for one thread of one process: not across fork.
 */
#ifndef RADDLE_MEMO_MEMO_H
#define RADDLE_MEMO_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

struct memo;

enum { MEMO_GIVE_UP = 6 }; /* default: failed attempts after which an instance counts as given up */

/* ---- opening ------------------------------------------------------------------------------------------------------- */

/* The memo at path, for a program and the build that is being run.  Creates the file and directories, and migrates an
   older version.  NULL: `error` says in one sentence what is wrong and what to do. */
struct memo *memo_open(const char *path, const char *program, const char *build, struct error *error);
void memo_close(struct memo *memo); /* NULL is allowed */

enum memo_access {
    MEMO_READ,   /* never changes anything; the file may be read-only */
    MEMO_CHANGE, /* must exist */
    MEMO_CREATE, /* created if it does not exist */
};
/* The same for all programs in the file.  Functions that need a program must not be called before memo_choose. */
struct memo *memo_open_all(const char *path, enum memo_access access, struct error *error);
/* Selects a program for the following calls.  With a build (else NULL) both are added if they are new. */
bool memo_choose(struct memo *memo, const char *program, const char *build, struct error *error);

/* How long to wait for a file that another process has locked; for memos opened from now on.  Default: 10 s. */
void memo_set_patience(int milliseconds);

/* The name of a build: its GNU build id, or a hash of the file.  Freed by the caller; NULL if the file cannot be read. */
char *memo_build_name(const char *program_file);

/* ---- instances ----------------------------------------------------------------------------------------------------- */

struct memo_instance {
    const char *family;        /* "idiom.1" */
    const char *text;          /* instance_print with SITE_FULL */
    uint64_t covered;          /* runs in which it occurred */
    uint64_t exposed;          /* attempts that made it happen */
    uint64_t attempts, failed; /* to make it happen; those that did not */
    bool predicted;            /* predicted from some run */
    bool impossible;           /* a campaign with this build has shown that its runs could not show it in any order */
    const char *verdict;       /* of the last attempt, in words; NULL: none */
    const char *build;         /* that it was last stored for; only when visited */
    int64_t seen;              /* when it was last stored, in seconds since 1970; only when visited */
};

enum memo_state { MEMO_COVERED, MEMO_OPEN, MEMO_GIVEN_UP, MEMO_IMPOSSIBLE, MEMO_STATE_COUNT };
/* Covered or exposed; else impossible; else failed `give_up` times; or none of these: open. */
enum memo_state memo_state_of(const struct memo_instance *instance, uint64_t give_up);
const char *memo_state_name(enum memo_state state);

/* A visitor returns false to end the visit early, which is no error.  Texts are valid until it returns. */
typedef bool memo_instance_visitor(const struct memo_instance *instance, void *context);

/* Adds: counts are increments, `predicted` stays once it is true, `impossible` as long as the build is the same, a verdict replaces an older one.  Atomic. */
bool memo_store(struct memo *memo, const struct memo_instance *instances, size_t count, struct error *error);
/* All instances of the program with their totals, by family and text. */
bool memo_each_instance(struct memo *memo, memo_instance_visitor *visit, void *context, struct error *error);
/* One instance; found->text is NULL if there is none.  Its texts are valid until the next call on this memo. */
bool memo_find(struct memo *memo, const char *family, const char *text, struct memo_instance *found,
               struct error *error);

/* ---- cores --------------------------------------------------------------------------------------------------------- */

/* Why patterns are impossible: critical sections of two threads around their steps exclude each other.  It holds wherever two threads do
   the same, with other inputs, too. */
struct memo_core {
    const char *key;    /* of what they do (solve/core.h): 16 hexadecimal digits */
    const char *family; /* "idiom.2" */
    const char *text;   /* "line 30 needs m, which line 12 holds until line 19" */
    const char *build;  /* that last showed it; only when visited */
    int64_t seen;       /* when it was last stored, in seconds since 1970; only when visited */
};
typedef bool memo_core_visitor(const struct memo_core *core, void *context);

bool memo_store_cores(struct memo *memo, const struct memo_core *cores, size_t count, struct error *error);
/* By family and text. */
bool memo_each_core(struct memo *memo, memo_core_visitor *visit, void *context, struct error *error);

/* ---- sites --------------------------------------------------------------------------------------------------------- */

struct memo_site {
    const char *text;                     /* sites_print with SITE_FULL */
    uint64_t hint;                        /* address relative to the module, in last_build; 0: unknown */
    const char *first_build, *last_build; /* that had it; only when visited */
};
typedef bool memo_site_visitor(const struct memo_site *site, void *context);

/* The sites of instances are stored with them; this is for hints, and for sites that no instance has. */
bool memo_store_sites(struct memo *memo, const struct memo_site *sites, size_t count, struct error *error);
bool memo_each_site(struct memo *memo, memo_site_visitor *visit, void *context, struct error *error);

/* ---- campaigns and failures ---------------------------------------------------------------------------------------- */

struct memo_run {
    const char *id;      /* NULL when stored: a new one is generated */
    const char *build;   /* only when visited */
    const char *input;   /* command line, as for a shell */
    uint64_t input_hash; /* of the whole input; 0: of the command line */
    int64_t began;       /* seconds since 1970; 0: now */
    uint64_t seed, schedules, newly_covered;
    double seconds;
};
typedef bool memo_run_visitor(const struct memo_run *run, void *context);

bool memo_add_run(struct memo *memo, const struct memo_run *run, struct error *error);
bool memo_each_run(struct memo *memo, memo_run_visitor *visit, void *context, struct error *error); /* by time */

struct memo_failure {
    const char *key; /* failure_key: failures with the same key are the same */
    const char *kind, *site;
    const char *path;              /* where it was last saved; NULL: unknown */
    const char *build;             /* that last showed it; only when visited */
    int64_t first_seen, last_seen; /* 0 when stored: now */
    uint64_t times;                /* increment when stored */
};
typedef bool memo_failure_visitor(const struct memo_failure *failure, void *context);

bool memo_add_failure(struct memo *memo, const struct memo_failure *failure, struct error *error);
bool memo_each_failure(struct memo *memo, memo_failure_visitor *visit, void *context, struct error *error);

/* ---- the whole ----------------------------------------------------------------------------------------------------- */

struct memo_build {
    const char *name;
    int64_t first_seen, last_seen;
};
typedef bool memo_build_visitor(const struct memo_build *build, void *context);
bool memo_each_build(struct memo *memo, memo_build_visitor *visit, void *context, struct error *error);
typedef bool memo_program_visitor(const char *name, void *context);
bool memo_each_program(struct memo *memo, memo_program_visitor *visit, void *context, struct error *error);

/* Checks every page and index of the file. */
bool memo_check(struct memo *memo, struct error *error);

enum memo_sum {
    MEMO_ADD,     /* counts are added; refused if the two share history */
    MEMO_LARGEST, /* the larger count is taken: never too large, sometimes too small; repeating it changes nothing */
};
/* Takes over everything from another memo.  Atomic. */
bool memo_merge(struct memo *into, struct memo *from, enum memo_sum sum, struct error *error);

struct memo_forget {
    int64_t older_than; /* forget what was last seen before this second since 1970; 0: no */
    uint64_t builds;    /* forget what the last `builds` builds of its program have not shown; 0: no */
    uint64_t give_up;   /* forget attempts at instances that failed this often and were never covered; 0: no */
};
struct memo_pruned {
    uint64_t instances, cores, sites, runs, failures, builds;
};
bool memo_prune(struct memo *memo, const struct memo_forget *what, struct memo_pruned *pruned, struct error *error);

struct buffer;
/* As JSON: sorted, a record per line.  Two memos with the same content give the same text. */
bool memo_export(struct memo *memo, struct buffer *out, struct error *error);
/* Everything is checked before anything is stored.  `name` is for messages.  An empty memo becomes the same as the one
   that was exported; else as memo_merge. */
bool memo_import(struct memo *memo, const char *name, const char *text, size_t size, enum memo_sum sum,
                 struct error *error);

#endif
