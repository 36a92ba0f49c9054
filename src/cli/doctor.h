/* SPDX-License-Identifier: MIT
 *
 * doctor.h - what the files of `raddle doctor` share: doctor.c (kernel, compilers), doctor_carriers.c (what carries threads).
 */
#ifndef RADDLE_CLI_DOCTOR_H
#define RADDLE_CLI_DOCTOR_H

#include <stdbool.h>

#include "util/paths.h"

struct doctor {
    struct paths paths;
    char directory[512];          /* where the canaries are; also the current directory */
    const char *compiler;         /* that is checked; NULL: none */
    const char *working_compiler; /* the first that builds programs; NULL: none */
    unsigned failed;
};

/* One line per check; `advice` only if it failed. Returns ok. */
bool doctor_say(struct doctor *doctor, bool ok, const char *what, const char *advice);
/* The same, and what the last command said if it failed. */
bool doctor_say_command(struct doctor *doctor, bool ok, const char *what, const char *advice);

/* Runs a command with its output in the file `log`. Returns its exit status; 128 + signal if it was killed. */
int doctor_run(struct doctor *doctor, char *const *words);
#define DOCTOR_RUN(doctor, ...) doctor_run(doctor, (char *[]){(doctor)->paths.executable, __VA_ARGS__, NULL})

/* Builds the program `name` from one of doctor_canary.h with doctor->compiler. */
bool doctor_build(struct doctor *doctor, const char *name, const char *body);

/* What can carry threads here, and what else is fast. */
void doctor_check_carriers(struct doctor *doctor);

#endif
