/* SPDX-License-Identifier: MIT
 *
 * gdb.c - `raddle replay --gdb`: a failure under gdb, with real threads, by the schedule that it was found with.
 *
 * DESIGN
 *   raddle starts the program as for any replay: the same environment, descriptors, input and output, so that nothing
 *   differs but what carries the threads.  Under HEAD_DEBUG the program does not fork; just before the run begins it
 *   waits until a debugger has attached.  gdb is started, attaches, and is controlled by a script (raddle_gdb.py),
 *   which knows the runtime's tables through one address (runtime/debug.c).
 *
 *   While gdb has the terminal, raddle only passes on the program's output; there are no time limits.  When gdb ends,
 *   the run is ended, too.
 */
#include "cli/gdb.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "control/spawn.h"
#include "trace/headline.h"
#include "util/file.h"
#include "util/log.h"
#include "util/paths.h"
#include "util/stop.h"
#include "util/vector.h"

#define NO_HURRY (365 * 24 * 3600 * CLOCK_SECOND)
#define GLANCE   (20 * CLOCK_MILLISECOND)
#define LAST     (5 * CLOCK_SECOND) /* time for the program to end after gdb has ended */

struct session {
    struct reopened *opened;
    char *words;          /* the command, cut into words */
    VECTOR(char *) ahead; /* the debugger and its arguments from the user, pointing into `words` */
    char *debugger;       /* its file */
    char *script, *begin; /* arguments */
    pid_t pid;
    int status; /* of gdb */
};

/* ---- the command -------------------------------------------------------------------------------------------------------- */

static void cut_words(struct session *session, const char *command)
{
    session->words = memory_copy_string(command);
    char *rest = NULL;
    for (char *word = strtok_r(session->words, " \t\n", &rest); word != NULL; word = strtok_r(NULL, " \t\n", &rest))
        vector_push(&session->ahead, word);
    if (session->ahead.count == 0)
        vector_push(&session->ahead, "gdb");
}

static bool find_debugger(struct session *session, const char *command, struct error *error)
{
    cut_words(session, command);
    session->debugger = file_find_program(session->ahead.data[0]);
    if (session->debugger == NULL)
        return error_set(error, EXIT_UNSUPPORTED,
                         "there is no debugger %s: install the package gdb, or name another by --gdb-command",
                         session->ahead.data[0]);
    return true;
}

static bool find_script(struct session *session, struct error *error)
{
    struct paths paths = {0};
    if (!paths_find(&paths, error))
        return false;
    session->script = memory_copy_string(paths.gdb_script);
    paths_free(&paths);
    return file_exists(session->script) ||
           error_set(error, EXIT_USAGE, "%s is missing: run 'make', or install raddle again", session->script);
}

/* As a Python string. */
static char *quote(const char *text)
{
    struct buffer quoted = {0};
    buffer_add_char(&quoted, '\'');
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == '\'' || *text == '\\')
            buffer_printf(&quoted, "\\x%02x", (unsigned char)*text);
        else
            buffer_add_char(&quoted, *text);
    }
    buffer_add_char(&quoted, '\'');
    return buffer_take(&quoted);
}

static size_t count_switches(const struct judged_run *rerun)
{
    size_t segments = 0;
    for (size_t i = 0; i < rerun->copy.steps.count; i++)
        segments += rerun->copy.steps.data[i].type == STEP_RUN;
    return segments > 0 ? segments - 1 : 0;
}

/* The functions that threads begin with, as a Python list. */
static char *start_list(const struct judged_run *rerun)
{
    const struct wire_result *result = &rerun->copy.result;
    struct buffer list = {0};
    for (uint32_t i = 1; i < result->task_count; i++) {
        bool again = false;
        for (uint32_t j = 1; j < i && !again; j++)
            again = result->tasks[j].start_pc == result->tasks[i].start_pc;
        if (!again && result->tasks[i].start_pc != 0)
            buffer_printf(&list, "%#llx,", (unsigned long long)result->tasks[i].start_pc);
    }
    return buffer_take(&list);
}

/* The first command: the process, the address of its tables, and the schedule. */
static char *begin_command(struct session *session, const struct judged_run *rerun, const char *headline)
{
    const struct server *server = &session->opened->server;
    char *text = quote(headline), *starts = start_list(rerun);
    char *command = memory_format("python raddle_begin(%d, %#llx, %zu, [%s], %s)", (int)server->pid,
                                  (unsigned long long)server->wire->head.debug, count_switches(rerun), starts, text);
    free(starts);
    free(text);
    return command;
}

static char *headline_of(struct session *session, const struct judged_run *rerun)
{
    struct symbols *symbols = server_symbols_get(&session->opened->symbols, &session->opened->server);
    return headline_text(symbols, &rerun->copy.result, &rerun->judgement.finding, rerun->copy.events.data,
                         (uint32_t)rerun->copy.events.count);
}

/* ---- the session -------------------------------------------------------------------------------------------------------- */

static _Noreturn void become_debugger(char *path, char **arguments)
{
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(path, arguments);
    fprintf(stderr, "raddle: cannot run %s: %s\n", path, strerror(errno));
    _exit(127);
}

static bool start_debugger(struct session *session, struct error *error)
{
    VECTOR(char *) arguments = {0};
    vector_push(&arguments, session->ahead.data[0]);
    char *own[] = {"-q", "-x", session->script, "-ex", session->begin};
    vector_append(&arguments, own, sizeof own / sizeof own[0]);
    vector_append(&arguments, session->ahead.data + 1, session->ahead.count - 1);
    vector_push(&arguments, NULL);
    fflush(NULL);
    session->pid = fork();
    if (session->pid == 0)
        become_debugger(session->debugger, arguments.data);
    int saved = errno;
    vector_free(&arguments);
    if (session->pid < 0)
        return error_set(error, EXIT_UNSUPPORTED, "cannot start a process: %s", strerror(saved));
    spawn_adopt(session->pid);
    return true;
}

static void pass_on(struct server *server)
{
    output_pass_on(&server->output, STDOUT_FILENO);
    output_pass_on(&server->errors, STDERR_FILENO);
}

/* Waits until gdb ends.  Returns the state of the run at that time. */
static enum server_state attend(struct session *session)
{
    struct server *server = &session->opened->server;
    const struct timespec glance = {0, GLANCE};
    enum server_state state = SERVER_GOING;
    bool gone = false;
    /* Ctrl-C is for gdb, which then stops the program. */
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupts, quits;
    sigaction(SIGINT, &ignore, &interrupts);
    sigaction(SIGQUIT, &ignore, &quits);
    while (!gone) {
        gone = spawn_wait(session->pid, &session->status, WNOHANG) != 0;
        if (state == SERVER_GOING)
            state = server_attend(server);
        pass_on(server);
        if (!gone && stop_requested())
            kill(session->pid, SIGTERM);
        if (!gone)
            nanosleep(&glance, NULL);
    }
    sigaction(SIGINT, &interrupts, NULL);
    sigaction(SIGQUIT, &quits, NULL);
    int64_t deadline = clock_now() + LAST;
    while (state == SERVER_GOING && server->wire->result.end != END_RUNNING && clock_now() < deadline) {
        nanosleep(&glance, NULL);
        state = server_attend(server);
        pass_on(server);
    }
    return state;
}

/* The script ends gdb with this status when it cannot attach. */
static bool is_forbidden(const struct session *session)
{
    return WIFEXITED(session->status) && WEXITSTATUS(session->status) == EXIT_UNSUPPORTED;
}

/* The program has started and waits: runs gdb to its end.  *complete: the run also came to its end, or to its failure. */
static bool hold_session(struct session *session, struct judged_run *rerun, bool *complete, struct error *error)
{
    struct server *server = &session->opened->server;
    if (!start_debugger(session, error))
        return false;
    rerun->state = attend(session);
    wire_check_result(server->wire, COPY_STEPS | COPY_EVENTS, &rerun->copy);
    bool killed = rerun->state == SERVER_ENDED && WIFSIGNALED(server->status) && WTERMSIG(server->status) == SIGKILL;
    bool ended = rerun->state == SERVER_ENDED && !killed;
    if (rerun->state == SERVER_GOING)
        server_abandon_run(server);
    *complete = ended || (!rerun->copy.damaged && rerun->copy.result.failure != 0);
    if (!*complete && is_forbidden(session))
        return error_set(
            error, EXIT_UNSUPPORTED,
            "gdb may not debug a program here: a container needs the right to trace (SYS_PTRACE), elsewhere "
            "see /proc/sys/kernel/yama/ptrace_scope");
    if (*complete)
        rerun->state = SERVER_ENDED;
    return !*complete ||
           oracle_judge(&session->opened->oracle, server, rerun->state, &rerun->copy, &rerun->judgement, error);
}

/* Starts the program again, with the settings for gdb or the normal ones. */
static bool restart(struct reopened *opened, uint32_t head_flags, int64_t hang_after, struct error *error)
{
    opened->setup.head_flags = head_flags;
    opened->setup.hang_after = hang_after;
    output_clear(&opened->server.output);
    output_clear(&opened->server.errors);
    return server_restart(&opened->server, error);
}

static bool debug(struct session *session, struct judged_run *rerun, struct error *error)
{
    struct reopened *opened = session->opened;
    const struct server_setup before = opened->setup;
    uint32_t flags = (before.head_flags & ~(uint32_t)HEAD_SLOW_SWITCH) | HEAD_KERNEL_THREADS | HEAD_DEBUG;
    bool complete = false;
    char *headline = headline_of(session, rerun);
    if (restart(opened, flags, NO_HURRY, error)) {
        session->begin = begin_command(session, rerun, headline);
        struct wire_plan plan;
        rerun_plan(&plan, &opened->failure.schedule);
        plan_send(&plan, opened->failure.schedule.steps.data, opened->server.wire);
        if (server_begin_run(&opened->server, error) && hold_session(session, rerun, &complete, error) && !complete)
            log_say("gdb was left before the end of the run; without gdb:");
    }
    free(headline);
    if (error->code != 0 || complete)
        return error->code == 0;
    if (!restart(opened, before.head_flags, before.hang_after, error))
        return false;
    return rerun_schedule(&opened->trial, &opened->failure.schedule, false, rerun) != TRIAL_BROKEN ||
           trial_pass_error(&opened->trial, error);
}

bool gdb_rerun(struct judged_run *rerun, struct reopened *opened, const char *command, struct error *error)
{
    struct session session = {.opened = opened};
    bool good = find_debugger(&session, command, error) && find_script(&session, error) &&
                (rerun_learn(&opened->trial, &opened->failure.schedule, rerun) != TRIAL_BROKEN ||
                 trial_pass_error(&opened->trial, error));
    if (good && rerun->judgement.verdict == VERDICT_FAILURE)
        good = debug(&session, rerun, error);
    else if (good && !stop_requested())
        log_say("the failure does not show, so there is nothing to look at with gdb");
    free(session.words);
    vector_free(&session.ahead);
    free(session.debugger);
    free(session.script);
    free(session.begin);
    return good;
}
