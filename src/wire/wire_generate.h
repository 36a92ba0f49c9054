/* SPDX-License-Identifier: MIT
 *
 * wire_generate.h - what `raddle gen` shares with the programs that it builds around a module: calls, and what became of them.
 *
 * Two programs are linked with the module and with generated code (gen_module_call): one runs calls one after another (harness/alone.c),
 * one runs a test in threads under control (harness/together.c).
 */
#ifndef RADDLE_WIRE_GENERATE_H
#define RADDLE_WIRE_GENERATE_H

#include <stdint.h>

enum {
    GEN_VALUES = 10,      /* parameters of a function, at most */
    GEN_SLOTS = 6,        /* what a call gives back, at most: its result and its out-parameters */
    GEN_CALLS = 64,       /* of a sequence */
    GEN_ROWS = 256,       /* orders of the calls of a test */
    GEN_TEST_CALLS = 24,  /* calls of both threads and observers of a test */
    GEN_EXTENSIONS = 128, /* of a sequence, in one question */
    GEN_EVENTS = 512,     /* of a call that are kept */
    GEN_THREADS = 3,
};

/* A call: which function of the plan, and which of the values that its parameters may have. */
struct gen_call {
    uint16_t function;
    uint8_t values[GEN_VALUES];
};

enum gen_status {
    GEN_NOT_RUN,
    GEN_RUNNING, /* it began and did not come back: it ended the process */
    GEN_DONE,
    GEN_BLOCKED, /* it waits for another thread */
    /* Failures: */
    GEN_CRASHED,
    GEN_EXITED,
    GEN_HEAP,     /* access to freed memory, or outside a block */
    GEN_LOCKED,   /* it takes a lock that it holds, or that an earlier call has left locked */
    GEN_MISUSE,   /* it releases a lock that it does not hold */
    GEN_ENDLESS,  /* it used too much time */
    GEN_THREADED, /* it creates a thread */
    GEN_READS,    /* it reads the standard input */
    GEN_NO_OBJECT /* the constructor made none */
};

enum gen_event_kind { GEN_READ, GEN_WRITE, GEN_LOCK, GEN_UNLOCK };

/* An access or lock operation of a call that runs alone. */
struct gen_event {
    uint8_t kind;
    uint8_t atomic;
    uint8_t shared; /* a lock: for reading */
    uint8_t size;
    uint32_t site;
    uint64_t location; /* heap: block number << 32 | offset, plus GEN_HEAP_BIT; else an address */
};
#define GEN_HEAP_BIT ((uint64_t)1 << 63)

struct gen_report {
    uint32_t status;
    uint32_t events; /* kept ones */
    uint64_t trace;  /* hash of what the call did, by places in the code */
    uint64_t state;  /* hash of what is reachable from the object afterwards */
    int64_t slots[GEN_SLOTS];
};

/* One order of the calls of a test. */
struct gen_row {
    uint8_t order[GEN_TEST_CALLS];            /* the calls, numbered through both threads */
    int64_t slots[GEN_TEST_CALLS][GEN_SLOTS]; /* of calls and observers */
};

enum gen_question { GEN_EXPAND, GEN_ORDERS };

struct gen_request {
    uint32_t question;
    uint32_t prefix_count, count[GEN_THREADS]; /* GEN_EXPAND: count[0] extensions */
    uint32_t observer_count;
    uint32_t destroy; /* function + 1; 0: none */
    struct gen_call construct;
    struct gen_call prefix[GEN_CALLS];
    struct gen_call calls[GEN_EXTENSIONS]; /* extensions, or the calls of all threads, then the observers */
};

struct gen_answer {
    uint32_t status; /* of what comes before: constructor and prefix */
    uint32_t stuck;  /* there is an order after which no call can go on */
    uint32_t rows;
    uint32_t failed;          /* a status: there is an order in which a call fails */
    uint32_t failed_function; /* that call's */
    uint32_t tries;           /* a call gives up if a lock is taken: orders do not say what it does between others */
    struct gen_report start;  /* after the prefix */
    struct gen_report reports[GEN_EXTENSIONS];
    struct gen_event events[GEN_EXTENSIONS][GEN_EVENTS];
    struct gen_row row[GEN_ROWS];
};

/* Shared by the driver and alone.c, file descriptor GEN_SHARED.  A byte in GEN_ASK asks, one in GEN_TELL tells that the answer is there. */
struct gen_shared {
    struct gen_request request;
    struct gen_answer answer;
};
enum { GEN_ASK = 200, GEN_TELL, GEN_SHARED };

static inline int gen_is_failure(uint32_t status)
{
    return status >= GEN_CRASHED;
}

/* In the generated code. */
extern void *gen_object;
void gen_module_call(unsigned function, const unsigned char *values, long long *slots);
/* For the generated code: what a pointer is, without its address. */
long long gen_token(const void *pointer);
long long gen_hash(const void *bytes, unsigned long size);
long long gen_real(double number);
extern int gen_items[8];

#endif
