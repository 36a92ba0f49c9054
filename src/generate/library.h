/* SPDX-License-Identifier: MIT
 *
 * library.h - a module under test, and the programs that are built around it: one that runs calls alone, one that runs tests in threads.
 */
#ifndef RADDLE_GENERATE_LIBRARY_H
#define RADDLE_GENERATE_LIBRARY_H

#include <sys/types.h>

#include "generate/api.h"
#include "util/error.h"
#include "util/paths.h"
#include "wire/wire_generate.h"

/* What the user gave. */
struct library_input {
    api_texts headers, sources; /* absolute; sources: C or C++ files, objects, libraries */
    char **flags;               /* of the compiler */
    int flag_count;
    bool plus;
};

/* A process of the program that runs calls alone. */
struct library_alone {
    pid_t process; /* 0: none */
    int ask, tell;
    struct gen_shared *shared;
};

struct library {
    const struct library_input *input;
    const struct api *api;
    uint32_t subject;
    struct paths paths;
    char *work;                    /* a directory of its own */
    char *together, *alone;        /* programs */
    struct library_alone twins[2]; /* two that differ in all that results should not depend on */
    uint64_t questions;
};

/* Compiles and links.  EXIT_USAGE: the compiler says no. */
bool library_build(struct library *library, struct error *error);
/* Also after an error.  Removes the work directory. */
void library_close(struct library *library);
/* Where to put a question; NULL: the program cannot be started. */
struct gen_request *library_request(struct library *library, unsigned twin, struct error *error);
/* Its answer, valid until the next question to the same twin.  NULL: it died, or it is time to stop. */
const struct gen_answer *library_ask(struct library *library, unsigned twin);

/* Runs commands at the same time, each a list of words that ends with NULL; what they say goes to a file.  False: one failed; the error has the
   first line that has "error" in it. */
bool library_run_commands(char ***commands, size_t count, const char *log, struct error *error);
typedef VECTOR(char *) library_words;
/* "-I" and the directory of a header, so that a file can name it by its name.  Freed by the caller. */
char *library_include_flag(const char *header);

#endif
