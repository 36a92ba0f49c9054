/* SPDX-License-Identifier: MIT
 *
 * forkserver.c - load once, fork per schedule.
 *
 * The server process is never controlled: it stays as the program was at the fork point. Each child is one run, or, on
 * fibres, as many as it can do by restarting itself (restart.c): it then talks to the driver itself while the server waits for it.
 * _Fork updates libc's data about the process without running the program's atfork handlers.
 */
#include "runtime/forkserver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "runtime/arch/arch.h"
#include "runtime/debug.h"
#include "runtime/descriptors.h"
#include "runtime/destructors.h"
#include "runtime/init.h"
#include "runtime/model/signal.h"
#include "runtime/origin.h"
#include "runtime/pool.h"
#include "runtime/restart.h"
#include "runtime/rt.h"
#include "runtime/sched/carrier.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/task.h"
#include "runtime/shadow.h"

static struct wire *wire;
static int request_pipe, reply_pipe;
static bool connected; /* to them */
static int run_pid;    /* in the process that is the run: its own */

extern char __start_raddle_ready_marker[] __attribute__((weak));

void forkserver_connect(struct wire *mapped, const int descriptors[3])
{
    wire = mapped;
    request_pipe = descriptors[1];
    reply_pipe = descriptors[2];
    connected = true;
}

void forkserver_disconnect(void)
{
    syscall_raw(SYS_close, request_pipe, 0, 0, 0, 0, 0);
    syscall_raw(SYS_close, reply_pipe, 0, 0, 0, 0, 0);
    connected = false;
}

bool forkserver_owns(int fd)
{
    return connected && (fd == request_pipe || fd == reply_pipe);
}

static void reply(enum wire_reply_type type, int pid, int status, uint32_t detail)
{
    struct wire_reply message = {.type = type, .pid = pid, .status = status, .detail = detail};
    long written;
    do
        written = syscall_raw(SYS_write, reply_pipe, (long)&message, sizeof message, 0, 0, 0);
    while (written == -EINTR);
    if (written != (long)sizeof message)
        rt_end_process(0); /* the driver is gone */
}

void forkserver_refuse(enum wire_refusal why, int error)
{
    reply(REPLY_REFUSED, 0, error, why);
    rt_end_process(77);
}

/* Waits for the next COMMAND_RUN.  Ends the process on COMMAND_QUIT or when the driver has ended. */
static void await_run(void)
{
    struct wire_request request = {0};
    long got;
    do
        got = syscall_raw(SYS_read, request_pipe, (long)&request, sizeof request, 0, 0, 0);
    while (got == -EINTR);
    if (got != (long)sizeof request || request.command != COMMAND_RUN)
        rt_end_process(0);
}

static bool is_terminal(int fd)
{
    struct termios settings;
    return syscall_raw(SYS_ioctl, fd, TCGETS, (long)&settings, 0, 0, 0) == 0;
}

static int own_pid(void)
{
    return (int)syscall_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

/* In a process that does runs: it must end when the driver dies, and the server after it. */
static void die_with_server(void)
{
    syscall_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
}

/* In the process of the run: takes control. */
static void begin_run(void)
{
    syscall_raw(SYS_lseek, 0, 0, 0, 0, 0, 0);
    sched_begin();
    wire->result.pid = run_pid;
}

static int wait_for(int pid)
{
    int status = 0;
    long got;
    do
        got = syscall_raw(SYS_wait4, pid, (long)&status, 0, 0, 0, 0);
    while (got == -EINTR);
    return status;
}

/* One process per schedule: this process is the run. */
static void serve_once(void)
{
    await_run();
    run_pid = own_pid();
    reply(REPLY_STARTED, run_pid, 0, 0);
    forkserver_disconnect();
    die_with_server();
    if (debug_wanted)
        debug_await();
    begin_run();
}

/* ---- the resident: a child that does one run after another by restarting itself ---------------------------------------- */

enum { RESIDENT_LEAVES = 32 };
enum { RESIDENT_IDLE = 0x1d1eb11d }; /* a value that the program does not write there by chance */

static struct resident { /* shared by the server and its child: the program may write over it */
    uint32_t state;      /* other than RESIDENT_IDLE: a run has begun, and its end was not reported */
    struct {
        uint32_t state; /* the same, of a continuation */
        uint32_t runs;  /* of the current one, after its first */
        uint32_t large; /* too much memory to restart in place */
    } held[WIRE_CHECKPOINTS];
    uint32_t has_holders; /* children of the child: they are collected between runs */
    uint32_t contexts;    /* that runs have needed */
    uint32_t leaf_count;  /* where runs had to make shadow memory: the server makes it for later children */
    uintptr_t leaves[RESIDENT_LEAVES];
} * resident;
static uint32_t *own_state; /* in a process that restarts itself: its state there */

static struct resident *share_resident(void)
{
    long map = syscall_raw(SYS_mmap, 0, sizeof *resident, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return map < 0 && map > -4096 ? NULL : (struct resident *)map;
}

/* Holders that the driver has ended. */
static void collect_holders(void)
{
    int status;
    while (syscall_raw(SYS_wait4, -1, (long)&status, WNOHANG, 0, 0, 0) > 0)
        continue;
}

/* In the child: returns for its first run, and again for each later one. */
static void begin_resident(void)
{
    own_state = &resident->state;
    if (!restart_prepare()) {
        forkserver_disconnect();
    } else if (restart_count() > 0) {
        if (resident->has_holders)
            collect_holders();
        await_run(); /* the driver knows which process does the run */
        resident->state = 0;
    }
    begin_run();
}

void forkserver_note_leaf(uintptr_t address)
{
    if (resident == NULL || !rt.controlled || resident->leaf_count >= RESIDENT_LEAVES)
        return;
    resident->leaves[resident->leaf_count++] = address;
    restart_forbid_here(""); /* to make it in every run costs more than a new process that has it */
}

void forkserver_note_contexts(uint32_t count)
{
    if (resident != NULL && rt.controlled && count > resident->contexts)
        resident->contexts = count;
}

/* In the server, before the next child is made: prepares what runs have needed. */
static void prepare_child(void)
{
    if (carrier == &carrier_fibre && resident != NULL)
        carrier_fibre_grow(resident->contexts);
    for (uint32_t i = 0; resident != NULL && i < RESIDENT_LEAVES && i < resident->leaf_count; i++)
        shadow_cell(resident->leaves[i]);
}

void forkserver_run_ended(int status)
{
    if (resident == NULL)
        return;
    if (!restart_possible())
        rt_end_process(status &
                       0xff); /* without the rest of libc's exit, which would cost a new process several page faults */
    signal_put_back();
    *own_state = RESIDENT_IDLE;
    reply(REPLY_ENDED, run_pid, (status & 0xff) << 8, REPLY_LIVES_ON);
    restart_again();
}

bool forkserver_driver_lives(void)
{
    struct pollfd wait = {.fd = reply_pipe, .events = POLLOUT};
    struct timespec at_once = {0, 0};
    syscall_raw(SYS_ppoll, (long)&wait, 1, (long)&at_once, 0, 0, 0);
    return !(wait.revents & (POLLERR | POLLNVAL));
}

void forkserver_tell_holder(int pid, uint32_t slot)
{
    if (resident != NULL)
        resident->has_holders = 1;
    reply(REPLY_HOLDS, pid, 0, slot);
}

void forkserver_tell_declined(void)
{
    reply(REPLY_DECLINED, 0, 0, 0);
}

void forkserver_before_held(uint32_t slot)
{
    resident->held[slot].state = resident->held[slot].runs = 0; /* before the child can report its end */
}

bool forkserver_tell_run(int pid, uint32_t slot)
{
    enum { OFTEN = 3 };
    static uint32_t useless; /* continuations that ended with their first run */
    reply(REPLY_STARTED, pid, 0, 0);
    int status = wait_for(pid);
    if (resident->held[slot].state != RESIDENT_IDLE)
        reply(REPLY_ENDED, pid, status, 0);
    useless = resident->held[slot].runs > 0 ? 0 : useless + 1;
    return !resident->held[slot].large && useless < OFTEN;
}

bool forkserver_stay_held(uint32_t slot)
{
    run_pid = own_pid();
    own_state = &resident->held[slot].state;
    signal_keep();
    bool stays = restart_prepare_inside();
    if (stays && restart_count() > 0 && resident->has_holders)
        collect_holders();
    resident->held[slot].runs += stays && restart_count() > 0;
    resident->held[slot].large = !stays;
    return stays;
}

void forkserver_begin_held(void)
{
    *own_state = 0;
    reply(REPLY_STARTED, run_pid, 0, 0);
}

static void choose_carrier(void)
{
    if (wire->head.flags & HEAD_KERNEL_THREADS)
        return;
    carrier = &carrier_fibre;
    carrier_fibre_prepare((wire->head.flags & HEAD_SLOW_SWITCH) != 0);
    wire->head.flags |= HEAD_FIBRES;
}

/* Forks one child and waits for it. True in the child. */
static bool serve_run(bool own_group)
{
    bool stays = carrier == &carrier_fibre && resident != NULL && !(wire->head.flags & HEAD_FORK_PER_RUN);
    bool another = resident != NULL && resident->state == RESIDENT_IDLE; /* than the driver expects */
    prepare_child();
    if (resident != NULL)
        resident->state = 0; /* before the child can report its end */
    int pid = _Fork();
    if (pid < 0)
        forkserver_refuse(REFUSED_FORK, errno);
    if (own_group)
        syscall_raw(SYS_setpgid, pid, 0, 0, 0, 0, 0); /* parent and child both do it: the first one takes effect */
    if (pid == 0) {
        run_pid = own_pid();
        if (another)
            reply(REPLY_STARTED, run_pid, 0, 0);
        die_with_server();
        if (stays) {
            begin_resident();
        } else {
            forkserver_disconnect();
            begin_run();
        }
        return true;
    }
    int status = wait_for(pid);
    if (resident == NULL || resident->state != RESIDENT_IDLE)
        reply(REPLY_ENDED, pid, status, 0);
    return false;
}

void forkserver_enter(void)
{
    init_list_modules();
    shadow_init(); /* malloc has done it already, unless the program defines malloc */
    signal_learn();
    task_learn_main();
    destructors_learn();
    pool_prepare();
    origin_prepare();
    choose_carrier();
    descriptors_learn();
    if (wire->head.flags & HEAD_DEBUG)
        debug_prepare();
    reply(REPLY_HELLO, own_pid(), 0, 0);
    if (wire->head.flags & (HEAD_EXEC_PER_RUN | HEAD_DEBUG)) {
        serve_once();
        return;
    }
    resident = share_resident();
    bool own_group = !is_terminal(0); /* a background group may not read from the terminal */
    do
        await_run();
    while (!serve_run(own_group));
}

bool forkserver_waits_for_ready(void)
{
    return __start_raddle_ready_marker != NULL;
}

void forkserver_before_first_thread(void)
{
    if (!rt.attached || rt.controlled || !connected)
        return;
    if (forkserver_waits_for_ready() && task_main_entered())
        forkserver_enter();
    else
        forkserver_refuse(REFUSED_EARLY_THREAD, 0);
}

void raddle_ready(void);
__attribute__((visibility("default"))) void raddle_ready(void)
{
    if (rt.attached && !rt.controlled && connected)
        forkserver_enter();
}
