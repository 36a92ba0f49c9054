/* SPDX-License-Identifier: MIT
 *
 * alone.c - answers questions about sequences of calls; see alone.h.
 */
#include "harness/alone.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/hash.h"

enum { CALL_SECONDS = 10, CALL_CPU_MICROSECONDS = 300000 };
#define ARENA_SIZE ((uintptr_t)1 << 28)
#define ARENA_AT   ((uintptr_t)0x100000000000)

static struct alone *state;

struct alone *alone_get(void)
{
    if (state == NULL) {
        state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (state == MAP_FAILED)
            _exit(1);
        state->arena = (uintptr_t)mmap((void *)ARENA_AT, ARENA_SIZE, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        state->next = state->arena + 64;
        state->arena_end = state->arena + ARENA_SIZE;
    }
    return state;
}

_Noreturn void alone_fail(enum gen_status status)
{
    if (state->report != NULL) {
        state->report->status = status;
        state->report->trace = state->trace;
    }
    _exit(0);
}

_Noreturn void alone_block_for_ever(void)
{
    alone_fail(GEN_BLOCKED);
}

void alone_tries(void)
{
    if (alone_get()->shared != NULL)
        state->shared->answer.tries = 1;
}

/* ---- one call ----------------------------------------------------------------------------------------------------------- */

static void limit_time(void)
{
    struct itimerval cpu = {.it_value = {0, CALL_CPU_MICROSECONDS}}, wall = {.it_value = {CALL_SECONDS, 0}};
    setitimer(ITIMER_PROF, &cpu, NULL);
    setitimer(ITIMER_REAL, &wall, NULL);
}

static bool has_read(void)
{
    return lseek(0, 0, SEEK_CUR) > 0 && lseek(0, 0, SEEK_SET) == 0;
}

/* Runs the call in this process.  Does not return if it fails or blocks. */
static void run_call(const struct gen_call *call, struct gen_report *report, struct gen_event *events)
{
    long long slots[GEN_SLOTS] = {0};
    memset(report, 0, sizeof *report);
    report->status = GEN_RUNNING;
    state->report = report;
    state->events = events;
    alone_trace_begin();
    gen_module_call(call->function, call->values, slots);
    for (int i = 0; i < GEN_SLOTS; i++)
        report->slots[i] = slots[i];
    report->trace = state->trace;
    state->report = NULL;
    report->state = alone_hash_state();
    report->status = has_read() ? GEN_READS : gen_object == NULL ? GEN_NO_OBJECT : GEN_DONE;
}

static enum gen_status ended_as(int how, uint32_t status)
{
    if (WIFSIGNALED(how))
        return WTERMSIG(how) == SIGPROF || WTERMSIG(how) == SIGALRM ? GEN_ENDLESS : GEN_CRASHED;
    return status == GEN_RUNNING ? GEN_EXITED : (enum gen_status)status;
}

/* In a child: what `body` does.  The child's end. */
static int in_child(void (*body)(void *), void *data)
{
    int how = 0;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        limit_time();
        body(data);
        _exit(0);
    }
    while (child > 0 && waitpid(child, &how, 0) < 0)
        continue;
    return how;
}

/* Constructor and prefix; false: one did not end. */
static bool run_start(const struct gen_request *request, struct gen_answer *answer)
{
    run_call(&request->construct, &answer->start, answer->events[0]);
    for (uint32_t i = 0; i < request->prefix_count && answer->start.status == GEN_DONE; i++)
        run_call(&request->prefix[i], &answer->start, answer->events[0]);
    return answer->start.status == GEN_DONE;
}

/* ---- extensions ----------------------------------------------------------------------------------------------------- */

static void run_extension(void *data)
{
    const uint32_t *number = data;
    struct gen_answer *answer = &state->shared->answer;
    run_call(&state->shared->request.calls[*number], &answer->reports[*number], answer->events[*number]);
}

static void expand(void)
{
    struct gen_answer *answer = &state->shared->answer;
    for (uint32_t i = 0; i < state->shared->request.count[0]; i++) {
        int how = in_child(run_extension, &i);
        answer->reports[i].status = ended_as(how, answer->reports[i].status);
    }
}

/* ---- orders --------------------------------------------------------------------------------------------------------- */

struct node {
    uint32_t done[GEN_THREADS];
    uint32_t length;
    uint32_t thread; /* whose call is next */
    struct gen_row *row;
};

static void visit(struct node *node);

static uint32_t call_count(void)
{
    const struct gen_request *request = &state->shared->request;
    return request->count[0] + request->count[1] + request->count[2];
}

static uint32_t next_call(const struct node *node, uint32_t thread)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < thread; i++)
        first += state->shared->request.count[i];
    return first + node->done[thread];
}

static void run_into_row(struct gen_row *row, uint32_t number)
{
    struct gen_answer *answer = &state->shared->answer;
    run_call(&state->shared->request.calls[number], &answer->reports[0], answer->events[0]);
    memcpy(row->slots[number], answer->reports[0].slots, sizeof row->slots[number]);
}

/* All calls have come back: what the observers see, and the destructor. */
static void end_order(const struct node *node)
{
    const struct gen_request *request = &state->shared->request;
    struct gen_answer *answer = &state->shared->answer;
    uint32_t calls = call_count();
    for (uint32_t i = 0; i < request->observer_count; i++)
        run_into_row(node->row, calls + i);
    if (answer->rows < GEN_ROWS)
        answer->row[answer->rows++] = *node->row;
    else
        answer->stuck = 2;
    struct gen_call destroy = {.function = (uint16_t)(request->destroy - 1)};
    answer->reports[0].status = GEN_RUNNING;
    state->report = &answer->reports[0];
    if (request->destroy != 0)
        gen_module_call(destroy.function, destroy.values, (long long[GEN_SLOTS]){0});
    answer->reports[0].status = GEN_DONE;
}

static void visit_next(void *data)
{
    struct node *parent = data;
    struct gen_row row = *parent->row;
    struct node node = *parent;
    uint32_t number = next_call(&node, node.thread);
    node.row = &row;
    row.order[node.length] = (uint8_t)number;
    run_into_row(&row, number);
    node.done[node.thread]++;
    node.length++;
    visit(&node);
    state->shared->answer.reports[0].status = GEN_DONE;
}

static void note_failure(struct gen_answer *answer, uint32_t status, uint32_t function)
{
    if (answer->failed != 0 || !gen_is_failure(status))
        return;
    answer->failed = status;
    answer->failed_function = function;
}

static void visit(struct node *node)
{
    const struct gen_request *request = &state->shared->request;
    struct gen_answer *answer = &state->shared->answer;
    bool any = false;
    if (node->length == call_count()) {
        end_order(node);
        return;
    }
    for (node->thread = 0; node->thread < GEN_THREADS; node->thread++) {
        if (node->done[node->thread] == request->count[node->thread])
            continue;
        uint32_t function = request->calls[next_call(node, node->thread)].function;
        answer->reports[0].status = GEN_RUNNING;
        int how = in_child(visit_next, node);
        uint32_t status = ended_as(how, answer->reports[0].status);
        note_failure(answer, status, function);
        any = any || status == GEN_DONE;
    }
    if (!any && answer->failed == 0)
        answer->stuck = 1;
}

static void find_orders(void)
{
    struct gen_row row = {0};
    struct node node = {.row = &row};
    visit(&node);
}

/* ---- questions ---------------------------------------------------------------------------------------------------------- */

static void answer_question(void *unused)
{
    (void)unused;
    struct gen_shared *shared = state->shared;
    if (!run_start(&shared->request, &shared->answer))
        return;
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
    if (shared->request.question == GEN_EXPAND)
        expand();
    else
        find_orders();
}

static void answer_next(void)
{
    struct gen_answer *answer = &state->shared->answer;
    answer->status = answer->stuck = answer->rows = answer->failed = answer->tries = 0;
    memset(&answer->start, 0, sizeof answer->start);
    memset(answer->reports, 0, sizeof answer->reports);
    int how = in_child(answer_question, NULL);
    answer->status = answer->start.status;
    if (answer->start.status != GEN_DONE)
        answer->status = ended_as(how, answer->start.status);
}

int main(int argc, char **argv)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN); /* the driver ends this */
    alone_get();
    state->variant = argc > 1 && argv[1][0] != '0';
    state->next += state->variant * 0x100230;
    state->stack_top = (uintptr_t)argv;
    state->shared = mmap(NULL, sizeof *state->shared, PROT_READ | PROT_WRITE, MAP_SHARED, GEN_SHARED, 0);
    char byte;
    while (state->shared != MAP_FAILED && read(GEN_ASK, &byte, 1) == 1) {
        answer_next();
        if (write(GEN_TELL, "d", 1) != 1)
            break;
    }
    _exit(0);
}
