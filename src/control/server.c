/* SPDX-License-Identifier: MIT
 *
 * server.c - the driver's side of one fork server.
 */
#include "control/server.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "control/processor.h"
#include "control/spawn.h"
#include "util/file.h"
#include "util/log.h"
#include "util/stop.h"
#include "wire/wire_check.h"

#define HELLO_TIMEOUT  (30 * CLOCK_SECOND)
#define HOLDER_TIMEOUT (3 * CLOCK_SECOND)

/* ---- memory and process ----------------------------------------------------------------------------------------------- */

static bool make_memory(struct server *server, struct error *error)
{
    server->memory = memfd_create("raddle", MFD_CLOEXEC);
    if (server->memory < 0 || ftruncate(server->memory, sizeof(struct wire)) != 0)
        return error_set(error, EXIT_UNSUPPORTED, "cannot make shared memory: %s (raddle needs memfd_create)",
                         strerror(errno));
    void *map = mmap(NULL, sizeof(struct wire), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, server->memory, 0);
    if (map == MAP_FAILED)
        return error_set(error, EXIT_UNSUPPORTED, "cannot map %zu MB of shared memory: %s", sizeof(struct wire) >> 20,
                         strerror(errno));
    server->wire = map;
    return true;
}

#define TOGETHER (100 * CLOCK_MILLISECOND)

static void close_pipes(struct server *server)
{
    if (server->request >= 0)
        close(server->request);
    if (server->reply >= 0)
        close(server->reply);
    server->request = server->reply = -1;
}

static void kill_group(pid_t pid)
{
    if (pid > 1 && pid != getpgrp())
        kill(-pid, SIGKILL);
}

/* Finds the process of the run.  The pid in shared memory is used only if it is a child of the server. */
static void find_child(struct server *server)
{
    pid_t pid = __atomic_load_n(&server->wire->result.pid, __ATOMIC_RELAXED);
    if (server->child == 0 && server->running && pid > 1 && spawn_is_child(pid, server->pid))
        server->child = pid;
}

/* Kills the run and the processes that it started.  It may be in the server's group (on a terminal), so it is killed by
   pid, too. */
static void kill_run(struct server *server)
{
    find_child(server);
    if (server->child <= 1)
        return;
    kill_group(server->child);
    kill(server->child, SIGKILL);
}

/* After the server was reaped: ends the processes that it left.  Parents first, because their children become ours only
   then. */
static void end_family(struct server *server)
{
    struct server family = *server;
    if (server->child != server->pid)
        kill_run(server);
    kill_group(server->resident);
    kill_group(server->pid);
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++)
        server_drop_holder(server, slot);
    spawn_reap_group(family.pid);
    spawn_reap_group(family.resident);
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS; slot++) {
        spawn_reap_group(family.holders[slot]);
        spawn_reap_group(family.continuing[slot]);
    }
    spawn_reap_group(family.child);
    spawn_reap();
    close_pipes(server);
    server->pid = server->child = server->resident = 0;
    server->running = false;
}

/* Kills and reaps the process. */
static void end_process(struct server *server)
{
    if (server->pid > 0) {
        kill_run(server); /* first, because the server would reply to its end */
        kill_group(server->pid);
        kill(server->pid, SIGKILL);
        spawn_wait(server->pid, NULL, 0);
    }
    end_family(server);
}

/* The program does not fork: its end is the end of the run. */
static bool is_the_run(const struct server *server)
{
    return server->one_process_per_run || (server->setup->head_flags & HEAD_DEBUG);
}

static uint32_t head_flags(const struct server *server)
{
    return server->setup->head_flags | (server->one_process_per_run ? HEAD_EXEC_PER_RUN : 0);
}

static bool start_process(struct server *server, struct error *error)
{
    const struct server_setup *setup = server->setup;
    int requests[2] = {-1, -1}, replies[2] = {-1, -1};
    int input = input_open(setup->input);
    server->kept = 0;
    if (input < 0 || pipe2(requests, O_CLOEXEC) != 0 || pipe2(replies, O_CLOEXEC) != 0)
        error_set(error, EXIT_UNSUPPORTED, "cannot make the pipes to the program: %s", strerror(errno));
    else {
        wire_prepare(server->wire, head_flags(server));
        struct spawn spawn = {.path = setup->path,
                              .command = setup->command,
                              .directory = setup->directory,
                              .preload = setup->preload,
                              .memory = server->memory,
                              .request = requests[0],
                              .reply = replies[1],
                              .input = input,
                              .output = server->output.append,
                              .errors = server->errors.append};
        pid_t pid = spawn_program(&spawn, &server->randomised, error);
        if (pid > 0) {
            server->pid = pid;
            server->request = requests[1];
            server->reply = replies[0];
            fcntl(server->reply, F_SETFL, O_NONBLOCK);
            requests[1] = replies[0] = -1;
        }
    }
    int ends[] = {input, requests[0], requests[1], replies[0], replies[1]};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    return server->pid > 0;
}

/* ---- replies ------------------------------------------------------------------------------------------------------------ */

enum reply_state { REPLY_NONE, REPLY_GOT, REPLY_EOF };

/* A reply if there is one within `timeout` ms.  Replies are smaller than PIPE_BUF: reads and writes are atomic. */
static enum reply_state take_reply(struct server *server, int timeout, struct wire_reply *reply)
{
    if (timeout > 0) {
        struct pollfd wait = {.fd = server->reply, .events = POLLIN};
        if (poll(&wait, 1, timeout) <= 0)
            return REPLY_NONE;
    }
    ssize_t got = read(server->reply, reply, sizeof *reply); /* does not block */
    if (got == (ssize_t)sizeof *reply)
        return REPLY_GOT;
    return got < 0 && (errno == EAGAIN || errno == EINTR) ? REPLY_NONE : REPLY_EOF;
}

/* The last line that the program printed before it failed to become ready, for the error message. */
static void last_output(struct server *server, char *line, size_t size)
{
    struct buffer text = {0};
    output_read(&server->errors, &text);
    char *end = text.data != NULL ? text.data + text.size : NULL;
    while (end > text.data && (unsigned char)end[-1] <= ' ')
        *--end = '\0';
    char *begin = text.data != NULL ? strrchr(text.data, '\n') : NULL;
    const char *last = begin != NULL ? begin + 1 : buffer_text(&text);
    snprintf(line, size, "%s%.200s%s", *last ? "; its last output: '" : "", last, *last ? "'" : "");
    buffer_free(&text);
}

static bool explain_death(struct server *server, int status, struct error *error)
{
    char words[256];
    const char *path = server->setup->path;
    last_output(server, words, sizeof words);
    if (WIFSIGNALED(status))
        return error_set(
            error, EXIT_UNCONTROLLED,
            "%s was killed by signal %d (%s) before it reached main, so no thread of it was under control%s", path,
            WTERMSIG(status), strsignal(WTERMSIG(status)), words);
    return error_set(error, EXIT_UNCONTROLLED,
                     "%s ended with status %d before raddle had control: it was not built with 'raddle cc', or it ends "
                     "before main%s",
                     path, WEXITSTATUS(status), words);
}

static bool explain_refusal(struct server *server, const struct wire_reply *reply, struct error *error)
{
    const char *path = server->setup->path;
    switch (reply->detail) {
    case REFUSED_VERSION:
        return error_set(error, EXIT_UNCONTROLLED, "%s was built with another version of raddle: build it again", path);
    case REFUSED_FORK:
        return error_set(error, EXIT_UNSUPPORTED, "%s cannot be forked: %s", path, strerror(reply->status));
    default:
        return error_set(error, EXIT_INTERNAL, "%s refuses to be controlled, for reason %u", path, reply->detail);
    }
}

enum hello { HELLO_YES, HELLO_NO, HELLO_EARLY_THREAD };

static enum hello await_hello(struct server *server, struct error *error)
{
    int64_t deadline =
        clock_now() + (server->setup->hang_after > HELLO_TIMEOUT ? server->setup->hang_after : HELLO_TIMEOUT);
    while (clock_now() < deadline && !stop_requested()) {
        struct wire_reply reply;
        enum reply_state state = take_reply(server, 50, &reply);
        output_trim(&server->output);
        output_trim(&server->errors);
        if (state == REPLY_GOT && reply.type == REPLY_HELLO)
            return HELLO_YES;
        if (state == REPLY_GOT && reply.type == REPLY_REFUSED && reply.detail == REFUSED_EARLY_THREAD)
            return HELLO_EARLY_THREAD;
        if (state == REPLY_GOT) {
            explain_refusal(server, &reply, error);
            return HELLO_NO;
        }
        int status;
        if (spawn_wait(server->pid, &status, state == REPLY_EOF ? 0 : WNOHANG) == server->pid) {
            server->pid = 0;
            explain_death(server, status, error);
            return HELLO_NO;
        }
    }
    if (stop_interrupted())
        error_set(error, EXIT_NOTHING_FOUND, "interrupted before the program was ready");
    else if (stop_requested())
        error_set(error, EXIT_UNCONTROLLED, "the time was over before %s had reached main", server->setup->path);
    else
        error_set(
            error, EXIT_UNCONTROLLED,
            "%s has not reached main after %lld s, or runs without raddle's runtime: was it built with 'raddle cc'?",
            server->setup->path, (long long)(HELLO_TIMEOUT / CLOCK_SECOND));
    return HELLO_NO;
}

/* ---- life ------------------------------------------------------------------------------------------------------------- */

static bool start_and_greet(struct server *server, struct error *error)
{
    if (!start_process(server, error))
        return false;
    enum hello hello = await_hello(server, error);
    if (hello == HELLO_EARLY_THREAD && !server->one_process_per_run) {
        end_process(server);
        log_verbose("%s starts threads before main: it is started again for each schedule", server->setup->path);
        server->one_process_per_run = true;
        return start_and_greet(server, error);
    }
    if (hello == HELLO_EARLY_THREAD)
        error_set(error, EXIT_UNCONTROLLED, "%s starts a thread so early that raddle cannot control it",
                  server->setup->path);
    if (hello != HELLO_YES) {
        end_process(server);
        return false;
    }
    return true;
}

bool server_start(struct server *server, const struct server_setup *setup, struct error *error)
{
    *server = (struct server){.setup = setup, .memory = -1, .request = -1, .reply = -1};
    server->output.file = server->output.append = server->errors.file = server->errors.append = -1;
    if (output_open(&server->output, "stdout", setup->keep_first, setup->keep_last, error) &&
        output_open(&server->errors, "stderr", setup->keep_first, setup->keep_last, error) &&
        make_memory(server, error) && start_and_greet(server, error))
        return true;
    server_stop(server);
    return false;
}

bool server_restart(struct server *server, struct error *error)
{
    end_process(server);
    return start_and_greet(server, error);
}

void server_stop(struct server *server)
{
    end_process(server);
    processor_release();
    spawn_reap_rest();
    if (server->wire != NULL)
        munmap(server->wire, sizeof(struct wire));
    if (server->memory >= 0)
        close(server->memory);
    output_close(&server->output);
    output_close(&server->errors);
    server->wire = NULL;
    server->memory = -1;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------- */

static void repair_head(struct server *server)
{
    /* The last run may have overwritten it.  The server itself read what it needs when it attached. */
    struct wire_head *head = &server->wire->head;
    head->magic = WIRE_MAGIC;
    head->version = WIRE_VERSION;
    head->size = sizeof(struct wire);
    head->flags = head_flags(server);
}

/* Resets the state of the last run. */
static void clear_run(struct server *server)
{
    repair_head(server);
    wire_clear_result(server->wire);
    server->child = 0;
    server->status = 0;
    server->hung = server->computing = false;
    server->progress = 0;
    server->progress_cpu = -1;
    server->computing_long = false;
    server->interrupted_cpu = 0;
    server->heartbeat = 0;
    server->heartbeat_cpu = 0;
    server->heartbeat_new = true; /* the process may have done other runs: its CPU time must be read first */
    server->began = server->heartbeat_time = server->watched = server->trimmed = clock_now();
}

/* From time to time the system chooses the processor during one run; the next runs stay on that processor. */
static void keep_together(struct server *server)
{
    bool fibres = (server->setup->head_flags & HEAD_KERNEL_THREADS) == 0;
    if (!server->setup->together || !fibres)
        return;
    if (server->began - server->kept > TOGETHER) {
        processor_release();
        server->kept = server->began;
        server->choosing = true;
    } else if (server->choosing) {
        processor_keep(server->pid, server->resident);
        server->choosing = false;
    }
}

/* Asks the fork server, or the resident, to begin the run. */
static bool ask_for_run(struct server *server)
{
    const struct wire_request request = {.command = COMMAND_RUN};
    server->continued = false;
    server->child = server->resident; /* if the resident cannot do it, the server reports the pid */
    return file_write_all(server->request, &request, sizeof request);
}

bool server_continue_run(struct server *server, uint32_t slot, struct error *error)
{
    if (server->holders[slot] != 0 && kill(server->holders[slot], 0) != 0)
        server->holders[slot] = server->continuing[slot] = 0; /* it was killed from outside */
    if (server->pid == 0 || server->holders[slot] == 0)
        return server_begin_run(server, error);
    output_clear(&server->output);
    output_clear(&server->errors);
    clear_run(server);
    keep_together(server);
    processor_join(server->continuing[slot] != 0 ? server->continuing[slot]
                                                 : server->holders[slot]); /* it was asleep */
    uint32_t *go = &server->wire->checkpoints[slot].go;
    __atomic_store_n(go, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, go, FUTEX_WAKE, 1, NULL, NULL, 0);
    server->continued = true;
    server->continued_from = slot;
    server->running = true;
    return true;
}

void server_drop_holder(struct server *server, uint32_t slot)
{
    if (server->holders[slot] == 0)
        return;
    kill_group(server->holders[slot]);
    kill_group(server->continuing[slot]);
    server->holders[slot] = server->continuing[slot] = 0;
    spawn_reap();
}

bool server_begin_run(struct server *server, struct error *error)
{
    /* With one process per run, output before main belongs to the run. */
    if (server->pid == 0 || !server->one_process_per_run) {
        output_clear(&server->output);
        output_clear(&server->errors);
    }
    if (server->pid == 0 && !start_and_greet(server, error))
        return false;
    clear_run(server);
    keep_together(server);
    if (!ask_for_run(server)) {
        /* It died while idle. */
        if (!server_restart(server, error))
            return false;
        if (!ask_for_run(server))
            return error_set(error, EXIT_INTERNAL, "%s dies whenever it is asked to run", server->setup->path);
    }
    server->running = true;
    return true;
}

/* Operations have been done.  If a task that was interrupted did them, and was not taken off before, it only computed: the next time it
   shall not be taken off.  A task that waits in code that is not instrumented never comes to its operation like this.  What main computes
   while it is alone says nothing. */
static void note_computed(struct server *server, int64_t cpu)
{
    int64_t took = cpu - server->computing_since;
    uint64_t heartbeat = wire_check_operations(server->wire);
    if (!server->computing_long || heartbeat <= server->computing_heartbeat + 1) /* the interruption counts as one */
        return;
    server->computing_long = false;
    if (wire_check_taken_off(server->wire) == server->computing_taken_off && wire_check_tasks(server->wire) > 1 &&
        took > server->computes)
        server->computes = took;
}

/* The run was reaped: kills the processes that it left. */
static enum server_state run_ended(struct server *server, int status, bool lives_on)
{
    server->status = status;
    server->running = false;
    note_computed(server, server->interrupted_cpu);
    if (!lives_on) {
        kill_group(server->child);
        spawn_reap_group(server->child);
        spawn_reap();
    }
    pid_t *resident = server->continued ? &server->continuing[server->continued_from] : &server->resident;
    *resident = lives_on ? server->child : 0; /* the others wait during the run */
    server->child = 0;
    return server->hung ? SERVER_HUNG : SERVER_ENDED;
}

/* One process per run: its end is the end of the run. */
static enum server_state process_ended(struct server *server, int status)
{
    bool run = is_the_run(server) && server->child != 0;
    end_family(server);
    return run ? run_ended(server, status, false) : SERVER_DIED;
}

/* CPU time of the run in ns; 0 if it is not known. */
static int64_t run_cpu(struct server *server)
{
    find_child(server);
    clockid_t clock;
    struct timespec used;
    pid_t pid = server->child > 0 ? server->child : server->pid;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return used.tv_sec * CLOCK_SECOND + used.tv_nsec;
}

static void kill_hung(struct server *server, int64_t now)
{
    server->hung = true;
    server->heartbeat_time = now;
    find_child(server);
    if (server->child > 0)
        kill_run(server);
    else
        kill(server->pid, SIGKILL);
}

/* Whether nothing has happened for too long.  For a run that computes, its CPU time counts, so that a busy machine does
   not matter. */
static bool is_hanging(struct server *server, int64_t now, int64_t cpu)
{
    int64_t limit = server->setup->hang_after, waited = now - server->heartbeat_time;
    int64_t computed = cpu - server->heartbeat_cpu;
    int64_t unchanged = server->interrupted_cpu - server->progress_cpu;
    if (computed / SERVER_COMPUTING > limit || (server->progress_cpu >= 0 && unchanged / SERVER_COMPUTING > limit))
        return server->computing = true;
    return waited > limit && computed < waited / 50;
}

/* What the program said at its last interruption says nothing about the time since, if that was long ago. */
static void note_progress(struct server *server, int64_t cpu)
{
    uint64_t progress = wire_check_progress(server->wire);
    bool known = server->progress_cpu >= 0 && cpu - server->interrupted_cpu < server->setup->hang_after / 4;
    if (progress != server->progress || !known)
        server->progress_cpu = cpu;
    server->progress = progress;
    server->interrupted_cpu = cpu;
}

/* How long a task may compute before it is interrupted.  The first time it is longer than runs of most programs compute; after that the program
   is known to need it.  Never so long that the run seems to hang. */
static int64_t preempt_limit(const struct server *server)
{
    const int64_t first = 20 * CLOCK_MILLISECOND, later = 3 * CLOCK_MILLISECOND, most = server->setup->hang_after / 8;
    int64_t limit = 2 * server->computes > later ? 2 * server->computes : later;
    if (!server->preempts && limit < first)
        limit = first;
    return limit < most ? limit : most;
}

/* No operation has been done, but CPU time was used: the task that runs is interrupted, so that others may go on
   (runtime/sched/preempt.c). */
static void preempt(struct server *server, int64_t cpu)
{
    int runner = wire_check_runner(server->wire);
    find_child(server);
    if (runner == 0 || server->child <= 1 || cpu - server->heartbeat_cpu < preempt_limit(server))
        return;
    server->preempts = true;
    if (!server->computing_long) {
        server->computing_long = true;
        server->computing_heartbeat = server->heartbeat;
        server->computing_taken_off = wire_check_taken_off(server->wire);
        server->computing_since = server->heartbeat_cpu;
    }
    note_progress(server, cpu);
    tgkill(server->child, runner == RUNNER_FIRST ? server->child : runner, SIGNAL_PREEMPT);
}

/* Whether the holder of the current run has ended.  No other process would report the end of the run. */
static bool holder_is_dead(const struct server *server)
{
    struct pollfd said = {.fd = server->reply, .events = POLLIN};
    return !spawn_is_alive(server->holders[server->continued_from]) && poll(&said, 1, 0) == 0;
}

/* A holder may be killed, for example by the system when memory is short.  Then its run is started again from the
   beginning.  If the holder only does not answer for long, the run is started in a new server, so that a late answer
   does no harm. */
static bool replace_holder(struct server *server)
{
    struct error error = {0};
    if (holder_is_dead(server)) {
        log_verbose("a checkpoint of %s was killed, by the system perhaps: its schedule is run from the beginning",
                    server->setup->path);
        kill_run(server);
        spawn_reap_group(server->child);
        server_drop_holder(server, server->continued_from);
    } else if (server->child != 0 || clock_now() - server->began < HOLDER_TIMEOUT) {
        return true;
    } else {
        end_process(server);
    }
    return server_begin_run(server, &error);
}

int server_tick(const struct server *server)
{
    const int hasty = 5; /* ms */
    return server->preempts ? hasty : (int)(SERVER_TICK / CLOCK_MILLISECOND);
}

/* False: the server must be ended. */
static bool watch(struct server *server)
{
    int64_t now = clock_now();
    uint64_t heartbeat = wire_check_operations(server->wire);
    if (heartbeat != server->heartbeat) {
        server->heartbeat = heartbeat;
        server->heartbeat_time = now;
        server->heartbeat_new = true;
    }
    if (now - server->watched < server_tick(server) * CLOCK_MILLISECOND)
        return true;
    server->watched = now;
    int64_t cpu = run_cpu(server);
    if (server->heartbeat_new) {
        note_computed(server, cpu);
        server->heartbeat_cpu = cpu;
    }
    server->heartbeat_new = false;
    if (!server->hung && is_hanging(server, now, cpu))
        kill_hung(server, now);
    else if (!server->hung)
        preempt(server, cpu);
    if (now - server->trimmed < SERVER_TICK)
        return true;
    server->trimmed = now;
    output_trim(&server->output);
    output_trim(&server->errors);
    return !server->continued || replace_holder(server);
}

static enum server_state server_lost(struct server *server)
{
    end_process(server);
    return SERVER_DIED;
}

/* Handles one reply.  SERVER_GOING: the run continues. */
static enum server_state handle_reply(struct server *server, const struct wire_reply *reply)
{
    switch (reply->type) {
    case REPLY_STARTED:
        if (reply->pid > 1 && reply->pid != getpid())
            server->child = reply->pid;
        return SERVER_GOING;
    case REPLY_HOLDS:
        if (reply->detail < WIRE_CHECKPOINTS && reply->pid > 1 && reply->pid != getpid()) {
            server_drop_holder(server, reply->detail); /* the run of this holder did not continue */
            server->holders[reply->detail] = reply->pid;
        }
        return SERVER_GOING;
    case REPLY_DECLINED:
        return ask_for_run(server) ? SERVER_GOING : server_lost(server);
    case REPLY_ENDED:
        if (server->child == 0 && reply->pid > 1 && reply->pid != getpid())
            server->child = reply->pid;
        return run_ended(server, reply->status, reply->detail == REPLY_LIVES_ON);
    default:
        return server_lost(server);
    }
}

enum server_state server_attend(struct server *server)
{
    struct wire_reply reply;
    enum reply_state state;
    while ((state = take_reply(server, 0, &reply)) == REPLY_GOT) {
        enum server_state run = handle_reply(server, &reply);
        if (run != SERVER_GOING)
            return run;
    }
    int status;
    /* After end of file the process usually ends.  It may also have closed the pipe itself, so the watchdog continues. */
    if (spawn_wait(server->pid, &status, WNOHANG) == server->pid)
        return process_ended(server, status);
    if (state == REPLY_EOF) {
        struct timespec moment = {0, 200000};
        nanosleep(&moment, NULL);
    }
    return watch(server) ? SERVER_GOING : server_lost(server);
}

void server_abandon_run(struct server *server)
{
    if (!server->running)
        return;
    find_child(server);
    if (is_the_run(server) || server->child == 0) {
        end_process(server);
        return;
    }
    kill_run(server);
    int64_t deadline = clock_now() + 2 * CLOCK_SECOND;
    while (server->running && clock_now() < deadline) {
        struct pollfd wait = {.fd = server->reply, .events = POLLIN};
        poll(&wait, 1, 50);
        server_attend(server);
    }
    if (server->running)
        end_process(server);
}

enum server_state server_finish_run(struct server *server, bool pass_on, int64_t deadline)
{
    enum server_state state;
    do {
        struct pollfd wait = {.fd = server->reply, .events = POLLIN};
        poll(&wait, 1, server_tick(server));
        state = server_attend(server);
        if (pass_on) {
            output_pass_on(&server->output, STDOUT_FILENO);
            output_pass_on(&server->errors, STDERR_FILENO);
        }
        if (state == SERVER_GOING && (stop_requested() || (deadline != 0 && clock_now() >= deadline))) {
            server_abandon_run(server);
            return SERVER_GIVEN_UP;
        }
    } while (state == SERVER_GOING);
    return state;
}
