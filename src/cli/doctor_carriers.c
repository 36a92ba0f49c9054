/* SPDX-License-Identifier: MIT
 *
 * doctor_carriers.c - what can carry the threads of a program here, and which short cuts between two schedules work.
 *
 * Each carrier is tested: it must find the bug of the canary and report nothing for the correct program.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cli/doctor.h"
#include "cli/doctor_canary.h"
#include "util/buffer.h"
#include "util/error.h"
#include "util/file.h"

enum { QUIET_RUNS = 50, LOG_LIMIT = 1 << 20 };

/* Fibres, as this machine lets the runtime switch them (runtime/arch/). */
static const char *fibre_text(void)
{
#if defined(__x86_64__)
    enum { HWCAP2_FSGSBASE_BIT = 1 << 1 };
    if (!(getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT))
        return "threads on fibres, switched by arch_prctl (slower: the processor or the kernel has no fsgsbase)";
    return "threads on fibres, switched by wrfsbase";
#else
    return "threads on fibres, switched by tpidr_el0";
#endif
}

/* Whether the carrier finds the bug, and nothing in the correct program.  The output of the last command is in the log.
   */
static bool carries(struct doctor *doctor, char *carrier)
{
    char runs[16];
    snprintf(runs, sizeof runs, "%d", QUIET_RUNS);
    file_remove_tree("out-carrier");
    return DOCTOR_RUN(doctor, "run", "--threads", carrier, "--runs", "500", "--seed", "1", "--out", "out-carrier", "--",
                      "./lost") == EXIT_BUG_FOUND &&
           DOCTOR_RUN(doctor, "run", "--threads", carrier, "--runs", runs, "--seed", "1", "--out", "out-carrier", "--",
                      "./whoami") == EXIT_NOTHING_FOUND;
}

/* From the fastest carrier to the one that needs least.  True if the first one works. */
static bool check_carriers(struct doctor *doctor)
{
    bool fibre = doctor_say_command(doctor, carries(doctor, "fibre"), fibre_text(), NULL);
    bool slow = doctor_say_command(doctor, carries(doctor, "slow-fibre"),
                                   "threads on fibres, switched by the kernel "
                                   "(--threads slow-fibre)",
                                   NULL);
    bool kernel =
        doctor_say_command(doctor, carries(doctor, "kernel"), "threads on kernel threads (--threads kernel)", NULL);
    if (!fibre)
        printf("        %s\n", slow     ? "use --threads slow-fibre here"
                               : kernel ? "use --threads kernel here: slower, but all else is the same"
                                        : "no way to carry threads works here");
    return fibre;
}

/* The number of different lines that are a number only. */
static unsigned count_processes(const char *text, unsigned *lines)
{
    unsigned different = 0;
    long last = 0;
    for (*lines = 0; *text != '\0'; text += strcspn(text, "\n"), text += *text == '\n') {
        char *end;
        long number = strtol(text, &end, 10);
        if (end == text || *end != '\n')
            continue;
        ++*lines;
        different += number != last;
        last = number;
    }
    return different;
}

/* A process that does many schedules prints its number many times. */
static void check_restart(struct doctor *doctor)
{
    struct buffer text = {0};
    struct error error = {0};
    unsigned lines = 0, processes = 0;
    char runs[16];
    snprintf(runs, sizeof runs, "%d", QUIET_RUNS);
    int code = DOCTOR_RUN(doctor, "run", "--runs", runs, "--seed", "1", "--show-output", "--out", "out-carrier", "--",
                          "./whoami");
    if (file_read("log", LOG_LIMIT, &text, &error))
        processes = count_processes(buffer_text(&text), &lines);
    buffer_free(&text);
    doctor_say_command(doctor, code == EXIT_NOTHING_FOUND && lines == QUIET_RUNS && processes <= QUIET_RUNS / 10,
                       "a process is used again for the next schedule (restart in place)",
                       "every schedule gets a new process, which is slower");
}

static void check_checkpoints(struct doctor *doctor)
{
    int code = DOCTOR_RUN(doctor, "run", "--strategy", "dfs", "--bound", "1", "--runs", "1000", "--json", "dfs.json",
                          "--checkpoints", "always", "--out", "out-carrier", "--", "./whoami", "long");
    json_t *result = json_load_file("dfs.json", 0, NULL);
    json_int_t continued = json_integer_value(json_object_get(result, "schedules_continued"));
    json_decref(result);
    doctor_say_command(doctor, code == EXIT_NOTHING_FOUND && continued > 0,
                       "a run is held and continued in several ways (checkpoints)",
                       "the common beginning of schedules is run each time, which is slower");
}

void doctor_check_carriers(struct doctor *doctor)
{
    if (doctor->working_compiler == NULL)
        return;
    doctor->compiler = doctor->working_compiler;
    bool built = doctor_build(doctor, "lost", canary_lost_update) && doctor_build(doctor, "whoami", canary_whoami);
    doctor->compiler = NULL;
    if (!built) {
        doctor_say_command(doctor, false, "a program to test what carries threads", NULL);
        return;
    }
    if (check_carriers(doctor)) {
        check_restart(doctor);
        check_checkpoints(doctor);
    }
    file_remove_tree("out-carrier");
}
