/* SPDX-License-Identifier: MIT
 *
 * server.h - the driver's side of one fork server: starts it, runs schedules in it, and monitors them.
 *
 * DESIGN
 *   A server is the program, stopped before main, with one shared memory and two pipes (wire.h).  For one run: fill in
 *   server->wire->plan, server_begin_run, then server_attend whenever its descriptor is readable and at least every
 *   server_tick, until it says that the run is over.  Programs that cannot be forked (threads before main) are started again for
 *   each run; the interface is the same.
 */
#ifndef RADDLE_CONTROL_SERVER_H
#define RADDLE_CONTROL_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "control/output.h"
#include "util/clock.h"
#include "util/error.h"
#include "wire/wire.h"

#define SERVER_TICK (50 * CLOCK_MILLISECOND)
/* A run that uses CPU time without an operation gets this many times the limit of a run that sleeps. */
enum { SERVER_COMPUTING = 6 };

struct server_setup { /* must stay valid as long as the server */
    const char *path;
    char *const *command;
    const char *directory; /* NULL: here */
    const char *preload;   /* library; NULL: none */
    uint32_t head_flags;   /* HEAD_KERNEL_THREADS and the like */
    bool together;         /* no other server runs: share a processor with the program */
    const struct input *input;
    uint64_t keep_first, keep_last; /* of the output */
    int64_t hang_after; /* ns without an operation; SERVER_COMPUTING times as much CPU time if it computes */
};

struct server {
    const struct server_setup *setup;
    struct wire *wire;
    pid_t pid;                  /* 0: not running */
    pid_t child;                /* the run; 0: none */
    int64_t kept;               /* since when driver and program share a processor */
    bool choosing;              /* the system is choosing the processor */
    pid_t resident;             /* a process that did the last run and will do the next one too; 0: none */
    int memory, request, reply; /* -1: none */
    bool one_process_per_run, randomised;
    bool running, hung;
    bool computing; /* hung: it was computing, not asleep */
    int status;     /* of the last run, as from waitpid */
    struct output output, errors;
    pid_t holders[WIRE_CHECKPOINTS];    /* processes that hold a checkpoint; 0: none */
    pid_t continuing[WIRE_CHECKPOINTS]; /* processes that do one continuation after another from there; 0: none */
    bool continued;                     /* the run is (or was) continued from a checkpoint, */
    uint32_t continued_from;            /* in this slot */
    int64_t began;
    uint64_t heartbeat;
    int64_t heartbeat_time, heartbeat_cpu; /* when it last changed; CPU time of the run then */
    bool heartbeat_new;                    /* changed since the CPU time was read */
    uint64_t progress;                     /* of the run, at its last interruption */
    int64_t progress_cpu;                  /* CPU time when that last changed; -1: not interrupted yet */
    int64_t interrupted_cpu;               /* CPU time at the last interruption */
    bool preempts;                         /* a run of this program had to be interrupted */
    bool computing_long;                   /* a task was interrupted and has done no operation since */
    uint64_t computing_heartbeat;          /* then: heartbeat, */
    uint32_t computing_taken_off;          /* how many tasks had been taken off, */
    int64_t computing_since;               /* CPU time since when it computes */
    int64_t computes;                      /* the longest time that tasks computed and then came to an operation */
    int64_t watched, trimmed;              /* time of the last check; time of the last trim of the output */
};

enum server_state {
    SERVER_GOING,    /* the run continues */
    SERVER_ENDED,    /* it ended: server->status */
    SERVER_HUNG,     /* it was killed because nothing happened any more */
    SERVER_DIED,     /* the server has ended and the result is lost: the next run starts it again */
    SERVER_GIVEN_UP, /* we ended the run ourselves, and it has no result */
};

/* Starts the program and waits until it is ready to be run. */
bool server_start(struct server *server, const struct server_setup *setup, struct error *error);
/* Starts it again after SERVER_DIED; keeps what was learned (wire->sites). */
bool server_restart(struct server *server, struct error *error);
void server_stop(struct server *server);

/* Begins a run by server->wire->plan. */
bool server_begin_run(struct server *server, struct error *error);
/* The same, but continued from the checkpoint in a slot (server->holders).  If the plan does not lead there, it is run
   from the beginning.  After the run, server->continued says which. */
bool server_continue_run(struct server *server, uint32_t slot, struct error *error);
/* Ends the holder in a slot, if there is one. */
void server_drop_holder(struct server *server, uint32_t slot);
/* The longest time to wait before server_attend, in ms. */
int server_tick(const struct server *server);
/* The state of the run.  Never blocks for long. */
enum server_state server_attend(struct server *server);
/* Ends the run; its result is not needed. */
void server_abandon_run(struct server *server);
/* Waits for the end of the run.  SERVER_GIVEN_UP: it was still running when a stop was requested, or at the deadline
   (as clock_now(); 0: none).  `pass_on`: output is copied to our stdout and stderr meanwhile. */
enum server_state server_finish_run(struct server *server, bool pass_on, int64_t deadline);

#endif
