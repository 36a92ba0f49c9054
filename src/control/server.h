/* SPDX-License-Identifier: MIT
 *
 * server.h - the driver's side of one fork server: start it, run schedules in it, watch over them.
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
/* A run that uses CPU time but neither does an operation nor changes anything gets so many times as long as one that sleeps. */
enum { SERVER_COMPUTING = 6 };

struct server_setup { /* must outlive the server */
    const char *path;
    char *const *command;
    const char *directory; /* NULL: here */
    const char *preload;   /* library, NULL none */
    uint32_t head_flags;   /* HEAD_KERNEL_THREADS and the like */
    bool together;         /* nothing else runs beside: share a processor with the program */
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
    bool choosing;              /* which one, the system decides just now */
    pid_t resident;             /* a process that did the last run and will do the next one too; 0: none */
    int memory, request, reply; /* -1: none */
    bool one_process_per_run, randomised;
    bool running, hung;
    bool computing; /* hung: it was computing, not asleep */
    int status;     /* of the last run, as from waitpid */
    struct output output, errors;
    pid_t holders[WIRE_CHECKPOINTS]; /* processes that hold a run in the middle; 0: none */
    bool continued;                  /* the run is (or was) continued by one of them, */
    uint32_t continued_from;         /* in this slot */
    int64_t began;
    uint64_t heartbeat;
    int64_t heartbeat_time, heartbeat_cpu; /* when it last changed; CPU time of the run then */
    bool heartbeat_new;                    /* changed since the CPU time was looked at */
    uint64_t progress;                     /* of the run, at its last interruption */
    int64_t progress_cpu;                  /* CPU time when that last changed; -1: not interrupted yet */
    bool preempts;                         /* a run of this program had to be interrupted */
    int64_t watched, trimmed;              /* when it was looked at last; when output was trimmed last */
};

enum server_state {
    SERVER_GOING,    /* the run goes on */
    SERVER_ENDED,    /* it ended: server->status */
    SERVER_HUNG,     /* it was killed because nothing happened any more */
    SERVER_DIED,     /* the server is gone, and the run's result with it: the next run starts it again */
    SERVER_GIVEN_UP, /* we ended the run ourselves, and it has no result */
};

/* Starts the program and waits until it is ready to be run. */
bool server_start(struct server *server, const struct server_setup *setup, struct error *error);
/* Again after SERVER_DIED; keeps what was learned (wire->sites). */
bool server_restart(struct server *server, struct error *error);
void server_stop(struct server *server);

/* Begins a run by server->wire->plan. */
bool server_begin_run(struct server *server, struct error *error);
/* The same, but as the continuation of the run that is held in a slot (server->holders).  If the plan does not lead there, it is run from
   the beginning: server->continued says what was done when the run has ended. */
bool server_continue_run(struct server *server, uint32_t slot, struct error *error);
/* Ends the holder in a slot, if there is one. */
void server_drop_holder(struct server *server, uint32_t slot);
/* How long to wait for it at most, in ms. */
int server_tick(const struct server *server);
/* What became of it. Never blocks for long. */
enum server_state server_attend(struct server *server);
/* The run is not wanted any more. */
void server_abandon_run(struct server *server);
/* Waits for the end of the run.  SERVER_GIVEN_UP: it went on when a stop was requested, or at the deadline (as clock_now(); 0: none).  While it
   waits, output is passed on to our own stdout and stderr if asked for. */
enum server_state server_finish_run(struct server *server, bool pass_on, int64_t deadline);

#endif
