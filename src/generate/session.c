/* SPDX-License-Identifier: MIT
 *
 * session.c - see session.h.
 */
#include "generate/session.h"

#include "util/clock.h"
#include "util/file.h"
#include "util/log.h"

double session_seconds(const struct session *session)
{
    return (double)(clock_now() - session->began) / (double)CLOCK_SECOND;
}

void session_explore(struct session *session, const struct test *test, struct explore *explore)
{
    struct error error = {0};
    char *file = file_join(session->library.work, "test"), *out = file_join(session->library.work, "failures");
    char *log = file_join(session->library.work, "campaigns");
    char *command[] = {session->library.together, file, NULL};
    if (test_write_file(test, session->api, session->library.subject, file, &error)) {
        explore->command = command;
        explore->out = out;
        explore->log = log;
        explore->fail_on = session->options->fail_on;
        file_remove_tree(out);
        explore_test(explore);
        log_set_level(session->options->quiet ? LOG_QUIET : session->options->verbose ? LOG_VERBOSE : LOG_NORMAL);
        session->results->schedules += explore->schedules;
    }
    explore->command = NULL;
    explore->out = explore->log = NULL;
    free(file);
    free(out);
    free(log);
}
