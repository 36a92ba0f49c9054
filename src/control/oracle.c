/* SPDX-License-Identifier: MIT
 *
 * oracle.c - judges a run.
 */
#include "control/oracle.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/oracle_leak.h"
#include "control/oracle_serializability.h"
#include "control/processor.h"
#include "util/file.h"
#include "util/memory.h"

#define BIT(kind) (1u << (kind))

static const char *const kind_names[WIRE_KIND_COUNT] = {
#define X(name, text, failure) text,
    WIRE_KINDS(X)
#undef X
};

enum {
    RACE_KINDS = BIT(KIND_RACE) | BIT(KIND_VOLATILE_RACE),
    HEAP_KINDS = BIT(KIND_USE_AFTER_FREE) | BIT(KIND_DOUBLE_FREE) | BIT(KIND_INVALID_FREE) | BIT(KIND_OUT_OF_BLOCK) |
                 BIT(KIND_LEAK),
    CRASH_KINDS = BIT(KIND_SIGNAL) | BIT(KIND_ASSERT) | BIT(KIND_ABORT) | BIT(KIND_UNCAUGHT),
    ALL_KINDS = BIT(WIRE_KIND_COUNT) - 2, /* all but NONE */
    /* These are failures in every program, so they cannot be switched off. */
    ALWAYS = CRASH_KINDS | BIT(KIND_DEADLOCK) | BIT(KIND_OUTPUT) | BIT(KIND_ORACLE),
};

/* Names for groups of kinds, in addition to the names of the kinds. */
static const struct {
    const char *name;
    uint32_t kinds;
} groups[] = {
    {"all", ALL_KINDS},
    {"none", 0},
    {"race", RACE_KINDS},
    {"races", RACE_KINDS},
    {"heap", HEAP_KINDS},
    {"crash", CRASH_KINDS},
    {"misuse", BIT(KIND_LOCK_MISUSE)},
    {"lock", BIT(KIND_LOCK_MISUSE)},
    {"memory", HEAP_KINDS},
};

/* ---- what is judged ---------------------------------------------------------------------------------------------------- */

uint32_t oracle_kind_by_name(const char *name, size_t length)
{
    for (uint32_t i = 1; i < WIRE_KIND_COUNT; i++)
        if (strlen(kind_names[i]) == length && strncmp(kind_names[i], name, length) == 0)
            return i;
    return WIRE_KIND_COUNT;
}

/* In --fail-on "race" means plain races only; in --check it means both kinds. */
static bool kinds_by_name(const char *name, size_t length, bool exact, uint32_t *kinds)
{
    uint32_t kind = oracle_kind_by_name(name, length);
    if (exact && kind < WIRE_KIND_COUNT) {
        *kinds = BIT(kind);
        return true;
    }
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (strlen(groups[i].name) == length && strncmp(groups[i].name, name, length) == 0) {
            *kinds = groups[i].kinds;
            return true;
        }
    *kinds = kind < WIRE_KIND_COUNT ? BIT(kind) : 0;
    return kind < WIRE_KIND_COUNT;
}

/* "race,heap", or "-race": all except races. */
static bool parse_kinds(const char *option, const char *text, bool exact, uint32_t *mask, struct error *error)
{
    *mask = text[0] == '-' ? (uint32_t)ALL_KINDS : 0;
    for (const char *word = text;; word++) {
        bool remove = *word == '-';
        word += remove;
        size_t length = strcspn(word, ",");
        uint32_t kinds;
        if (!kinds_by_name(word, length, exact, &kinds))
            return error_set(error, EXIT_USAGE,
                             "%s does not know '%.*s'; it knows race, volatile-race, lock-order, serializability, "
                             "heap, leak, misuse, deadlock, hang, "
                             "exit, crash, all, none",
                             option, (int)length, word);
        *mask = remove ? *mask & ~kinds : *mask | kinds;
        word += length;
        if (*word == '\0')
            return true;
    }
}

bool oracle_open(struct oracle *oracle, const struct oracle_options *options, struct error *error)
{
    uint32_t wanted = 0;
    *oracle = (struct oracle){.checked = ALL_KINDS,
                              .expect_exit = options->expect_exit,
                              .expect_output = options->expect_output,
                              .command = options->command};
    if (options->check != NULL && !parse_kinds("--check", options->check, false, &oracle->checked, error))
        return false;
    if (options->fail_on != NULL && !parse_kinds("--fail-on", options->fail_on, true, &wanted, error))
        return false;
    if (options->expect_exit > 255)
        return error_set(error, EXIT_USAGE, "--expect-exit needs an exit status from 0 to 255, not %" PRIu64,
                         options->expect_exit);
    oracle->checked |= ALWAYS | wanted;
    oracle->failing = wanted;
#define X(name, text, failure) oracle->failing |= (failure) ? BIT(KIND_##name) : 0;
    WIRE_KINDS(X)
#undef X
    oracle->failing &= oracle->checked;
    oracle->plan_flags =
        (oracle->checked & RACE_KINDS ? PLAN_RACES : 0) | (oracle->checked & HEAP_KINDS ? PLAN_HEAP : 0) |
        (oracle->checked & BIT(KIND_LOCK_MISUSE) ? PLAN_MISUSE : 0) | (wanted & BIT(KIND_RACE) ? PLAN_RACE_FAILS : 0) |
        (oracle->checked & BIT(KIND_LOCK_ORDER) ? PLAN_LOCK_ORDER : 0) | (wanted & BIT(KIND_LEAK) ? PLAN_LEAKS : 0);
    if (wanted & BIT(KIND_SERIALIZABILITY)) {
        oracle->serializability = oracle_serializability_open();
        oracle->plan_flags |= PLAN_RECORD | PLAN_UNITS;
    }
    if (wanted & BIT(KIND_LEAK))
        oracle->leaks = oracle_leaks_open();
    if (options->expect_output != NULL && !file_read(options->expect_output, (size_t)1 << 30, &oracle->expected, error))
        return false;
    return true;
}

/* A run is not ended by a race that may be suppressed: which one it is only the driver can say. */
void oracle_suppress(struct oracle *oracle, struct suppressions *suppressions)
{
    assert(oracle->suppressions == NULL);
    oracle->suppressions = suppressions;
    if (suppressions == NULL)
        return;
    oracle->symbols = memory_allocate(1, sizeof *oracle->symbols);
    if (suppress_may(suppressions, RACE_KINDS))
        oracle->plan_flags &= ~(uint32_t)PLAN_RACE_FAILS;
}

struct suppression *oracle_suppressed(const struct oracle *oracle, const struct server *server,
                                      const struct wire_copy *copy, const struct wire_finding *finding)
{
    if (finding->kind >= WIRE_KIND_COUNT || !suppress_may(oracle->suppressions, BIT(finding->kind)))
        return NULL;
    return suppress_finding(oracle->suppressions, server_symbols_get(oracle->symbols, server), copy, finding);
}

void oracle_close(struct oracle *oracle)
{
    if (oracle->symbols != NULL)
        server_symbols_close(oracle->symbols);
    free(oracle->symbols);
    suppress_close(oracle->suppressions);
    oracle->symbols = NULL;
    oracle->suppressions = NULL;
    buffer_free(&oracle->expected);
    oracle_serializability_close(oracle->serializability);
    oracle->serializability = NULL;
    assumptions_free(oracle->assumptions);
    oracle->assumptions = NULL;
    oracle_leaks_close(oracle->leaks);
    oracle->leaks = NULL;
}

void oracle_assume(struct oracle *oracle, struct assumptions *assumptions)
{
    oracle->assumptions = assumptions;
}

void oracle_want(const struct oracle *oracle, const char *key)
{
    if (oracle->serializability != NULL)
        oracle_serializability_want(oracle->serializability, key);
}

unsigned oracle_parts(const struct oracle *oracle)
{
    return oracle->plan_flags & PLAN_RECORD ? COPY_EVENTS : 0;
}

bool oracle_is_warning(const struct oracle *oracle, uint32_t kind)
{
    return kind < WIRE_KIND_COUNT && (oracle->checked & BIT(kind)) != 0 && (oracle->failing & BIT(kind)) == 0;
}

/* ---- the parts of a judgement -------------------------------------------------------------------------------------------- */

/* A failure that only the driver can detect. */
__attribute__((format(printf, 3, 4))) static void fail(struct judgement *judgement, enum wire_kind kind,
                                                       const char *format, ...)
{
    va_list arguments;
    judgement->verdict = VERDICT_FAILURE;
    judgement->finding = (struct wire_finding){.kind = kind};
    va_start(arguments, format);
    vsnprintf(judgement->finding.text, sizeof judgement->finding.text, format, arguments);
    va_end(arguments);
    for (char *c = judgement->finding.text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
}

__attribute__((format(printf, 3, 4))) static void say(struct judgement *judgement, enum verdict verdict,
                                                      const char *format, ...)
{
    va_list arguments;
    judgement->verdict = verdict;
    va_start(arguments, format);
    vsnprintf(judgement->text, sizeof judgement->text, format, arguments);
    va_end(arguments);
}

static void judge_signal(const struct wire_copy *copy, int number, struct judgement *judgement)
{
    const struct wire_result *result = &copy->result;
    for (uint32_t i = result->finding_count; i-- > 0;)
        if (BIT(result->findings[i].kind) & CRASH_KINDS) {
            judgement->verdict = VERDICT_FAILURE;
            judgement->finding = result->findings[i];
            return;
        }
    fail(judgement, KIND_SIGNAL, "killed by signal %d (%s)", number, strsignal(number));
    judgement->finding.signal = (uint32_t)number;
}

/* The watchdog has ended the run.  That is not a proof of a hang: the run may only have been slow. */
static void judge_stopped(const struct server *server, const struct wire_copy *copy, struct judgement *judgement)
{
    unsigned task = copy->steps.count > 0 ? copy->steps.data[copy->steps.count - 1].task : 0;
    double limit = (double)server->setup->hang_after / 1e9;
    judgement->stopped = true;
    if (server->computing)
        say(judgement, VERDICT_UNFINISHED, "nothing has changed in %.3g s of computing; last seen: T%u",
            SERVER_COMPUTING * limit, task);
    else
        say(judgement, VERDICT_UNFINISHED, "no operation for %.3g s; last seen: T%u", limit, task);
}

/* Says the number and the content of the first line that differs. */
static void describe_difference(const char *file, const struct buffer *expected, const struct buffer *got,
                                struct judgement *judgement)
{
    size_t at = 0, line_start = 0;
    unsigned line = 1;
    const char *left = buffer_text(expected), *right = buffer_text(got);
    while (at < expected->size && at < got->size && left[at] == right[at]) {
        if (left[at] == '\n') {
            line++;
            line_start = at + 1;
        }
        at++;
    }
    int left_length = (int)strcspn(left + line_start, "\n"), right_length = (int)strcspn(right + line_start, "\n");
    const char *left_line = line_start < expected->size ? left + line_start : "(end)";
    const char *right_line = line_start < got->size ? right + line_start : "(end)";
    left_length = line_start < expected->size ? left_length : 5;
    right_length = line_start < got->size ? right_length : 5;
    fail(judgement, KIND_OUTPUT, "output differs from %s in line %u: expected `%.*s', got `%.*s'", file, line,
         left_length > 60 ? 60 : left_length, left_line, right_length > 60 ? 60 : right_length, right_line);
}

static void judge_output(const struct oracle *oracle, const struct server *server, struct judgement *judgement)
{
    struct buffer got = {0};
    output_read(&server->output, &got);
    if (got.size != oracle->expected.size || memcmp(buffer_text(&got), buffer_text(&oracle->expected), got.size) != 0)
        describe_difference(oracle->expect_output, &oracle->expected, &got, judgement);
    buffer_free(&got);
}

/* ---- the user's command ---------------------------------------------------------------------------------------------------- */

static void set_path(const char *name, int fd, pid_t owner)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)owner, fd);
    setenv(name, path, 1);
}

static _Noreturn void become_command(const struct oracle *oracle, const struct server *server, int exit_status,
                                     pid_t owner)
{
    char number[16];
    snprintf(number, sizeof number, "%d", exit_status);
    set_path("RADDLE_STDOUT", server->output.file, owner);
    set_path("RADDLE_STDERR", server->errors.file, owner);
    setenv("RADDLE_EXIT", number, 1);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, 0);
    dup2(nothing, 1); /* raddle's standard output belongs to the program */
    execl("/bin/sh", "sh", "-c", oracle->command, (char *)NULL);
    _exit(127);
}

static bool judge_command(const struct oracle *oracle, const struct server *server, int exit_status,
                          struct judgement *judgement, struct error *error)
{
    pid_t owner = getpid();
    pid_t pid = fork();
    int status = 0;
    if (pid == 0) {
        processor_release();
        become_command(oracle, server, exit_status, owner);
    }
    if (pid < 0)
        return error_set(error, EXIT_UNSUPPORTED, "cannot start the oracle '%s': %s", oracle->command, strerror(errno));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126))
        return error_set(error, EXIT_USAGE, "the oracle '%s' cannot be run: the shell says %d", oracle->command,
                         WEXITSTATUS(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
        fail(judgement, KIND_ORACLE, "the oracle `%.150s' says %d", oracle->command, WEXITSTATUS(status));
        judgement->finding.signal = (uint32_t)WEXITSTATUS(status);
    } else if (WIFSIGNALED(status)) {
        fail(judgement, KIND_ORACLE, "the oracle `%.150s' was killed by signal %d", oracle->command, WTERMSIG(status));
    }
    return true;
}

/* Where the program ended itself. */
static void judge_exit(const struct oracle *oracle, const struct wire_result *result, int exit_status,
                       struct judgement *judgement)
{
    fail(judgement, KIND_EXIT, "exit status %d, expected %" PRIu64, exit_status, oracle->expect_exit);
    struct wire_finding *finding = &judgement->finding;
    finding->here = result->exit_here;
    finding->stack_depth = result->exit_depth;
    memcpy(finding->stack, result->exit_stack, sizeof finding->stack);
}

/* ---- judgement ------------------------------------------------------------------------------------------------------------- */

/* The findings of the runtime.  True if they decide the verdict. */
static bool judge_result(const struct oracle *oracle, const struct wire_copy *copy, int status,
                         struct judgement *judgement)
{
    const struct wire_result *result = &copy->result;
    if (result->end == END_INTERNAL) {
        say(judgement, VERDICT_INTERNAL, "%s", result->text);
    } else if (result->end == END_UNCONTROLLED) {
        say(judgement, VERDICT_UNCONTROLLED, "%s", result->text);
    } else if (result->end == END_DIVERGED) {
        say(judgement, VERDICT_DIVERGED, "%s", result->text);
    } else if (result->failure != 0) {
        judgement->verdict = VERDICT_FAILURE;
        judgement->finding = result->findings[result->failure - 1];
        if (judgement->finding.kind == KIND_HANG && (oracle->checked & BIT(KIND_HANG)) == 0)
            say(judgement, VERDICT_UNFINISHED, "%s", judgement->finding.text);
    } else if (WIFSIGNALED(status)) {
        judge_signal(copy, WTERMSIG(status), judgement);
    } else if (result->end == END_THREADS) {
        say(judgement, VERDICT_UNFINISHED, "cut: more than %d threads in one run", (int)WIRE_TASKS);
    } else if (result->end == END_STEPS) {
        say(judgement, VERDICT_UNFINISHED, "cut after %" PRIu64 " scheduling points", result->points);
    } else {
        return false;
    }
    return true;
}

static bool judge_findings(const struct oracle *oracle, const struct server *server, const struct wire_copy *copy,
                           struct judgement *judgement)
{
    for (uint32_t i = 0; i < copy->result.finding_count; i++)
        if ((oracle->failing & BIT(copy->result.findings[i].kind)) &&
            oracle_suppressed(oracle, server, copy, &copy->result.findings[i]) == NULL) {
            judgement->verdict = VERDICT_FAILURE;
            judgement->finding = copy->result.findings[i];
            return true;
        }
    return false;
}

/* Called only if the run has no other failure. */
static void judge_leaks(const struct oracle *oracle, const struct server *server, const struct wire_copy *copy,
                        struct judgement *judgement)
{
    const struct wire_leak *leak = oracle_leaks_look(oracle->leaks, oracle, server, copy);
    if (leak == NULL)
        return;
    fail(judgement, KIND_LEAK, "memory that is allocated here is lost");
    judgement->finding.here = oracle_leak_access(leak);
    judgement->finding.block = leak->block;
    judgement->finding.block_size = leak->size;
}

/* Called only if the run has no other failure. */
static void judge_serializability(const struct oracle *oracle, const struct server *server,
                                  const struct wire_copy *copy, struct judgement *judgement)
{
    if (oracle_serializability_look(oracle->serializability, oracle, server, copy, &judgement->finding))
        judgement->verdict = VERDICT_FAILURE;
}

bool oracle_judge(const struct oracle *oracle, struct server *server, enum server_state state,
                  const struct wire_copy *copy, struct judgement *judgement, struct error *error)
{
    *judgement = (struct judgement){.verdict = VERDICT_GOOD};
    assert(state != SERVER_GOING);
    if (state == SERVER_DIED || state == SERVER_GIVEN_UP) {
        say(judgement, VERDICT_LOST, "%s",
            state == SERVER_DIED ? "the program's fork server died" : "the run was given up");
        return true;
    }
    if (copy->damaged) {
        say(judgement, VERDICT_DAMAGED,
            "the program wrote over raddle's shared memory (%s), so nothing about its run is certain", copy->why);
        return true;
    }
    if (state == SERVER_HUNG) {
        judge_stopped(server, copy, judgement);
        return true;
    }
    int status = server->status;
    if (judge_result(oracle, copy, status, judgement) || judge_findings(oracle, server, copy, judgement))
        return true;
    int exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if ((oracle->checked & BIT(KIND_EXIT)) && (uint64_t)exit_status != oracle->expect_exit)
        judge_exit(oracle, &copy->result, exit_status, judgement);
    if (judgement->verdict == VERDICT_GOOD && oracle->expect_output != NULL)
        judge_output(oracle, server, judgement);
    if (judgement->verdict == VERDICT_GOOD && oracle->command != NULL &&
        !judge_command(oracle, server, exit_status, judgement, error))
        return false;
    if (judgement->verdict == VERDICT_GOOD && oracle->serializability != NULL)
        judge_serializability(oracle, server, copy, judgement);
    if (judgement->verdict == VERDICT_GOOD && oracle->leaks != NULL)
        judge_leaks(oracle, server, copy, judgement);
    return true;
}
