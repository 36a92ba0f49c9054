/* SPDX-License-Identifier: MIT
 *
 * solve.c - how long a question about other orders of a run takes, as the run grows, and what answers it.
 *
 *   solve EVENTS QUESTIONS WINDOW
 *
 * A run of four tasks is made up: they take one of eight locks, count up the variable that it guards, and now and then read or write one of four
 * values in a variable that no lock guards.  Asked is whether a read could come before or after a near write of another task:
 * two out of three of variables without a lock.  A run of more events than WINDOW is asked about in a window of so many (solve/window.h).
 * Prints a line: events, questions, answered by a cycle, by a reordering, by the solver, not at all; seconds of CPU to read the run, seconds
 * for all questions, the longest, seconds of those that the solver was asked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "solve/prover.h"
#include "util/hash.h"

enum { TASKS = 4, LOCKS = 8, FREE = 8, NEAR = 400, VALUES = 4 };

struct task {
    unsigned at; /* of its round */
    unsigned lock;
    bool guarded, writes;
    uint64_t operation;
};

struct run {
    struct generator random;
    struct task tasks[TASKS];
    uint16_t holder[LOCKS]; /* task + 1; 0: no task */
    uint64_t memory[LOCKS + FREE];
    struct execution execution;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void add(struct run *run, uint16_t number, enum wire_op op, uint64_t address, uint64_t value, uint32_t site)
{
    struct event event = {.address = address,
                          .size = op == OP_READ || op == OP_WRITE ? 4 : 0,
                          .value = value,
                          .site = site,
                          .task = number,
                          .op = (uint8_t)op,
                          .flags = EVENT_VALUE,
                          .operation = ++run->tasks[number].operation};
    execution_add(&run->execution, &event);
}

static void access_memory(struct run *run, uint16_t number, bool writes, unsigned variable)
{
    if (writes)
        run->memory[variable] = variable < LOCKS ? run->memory[variable] + 1 : generator_below(&run->random, VALUES);
    add(run, number, writes ? OP_WRITE : OP_READ, 0x1000 + 16 * variable, run->memory[variable],
        1 + number * 100 + variable * 2 + writes);
}

/* The next event of the task, if it can go on: lock, read, write, unlock; or one access. */
static void step(struct run *run, uint16_t number)
{
    struct task *task = &run->tasks[number];
    if (task->at == 0) {
        task->guarded = generator_below(&run->random, 3) > 0;
        task->writes = generator_below(&run->random, 2);
        task->lock = (unsigned)generator_below(&run->random, LOCKS);
    }
    if (!task->guarded) {
        access_memory(run, number, task->writes, LOCKS + task->lock % FREE);
        return;
    }
    if (task->at == 0 && run->holder[task->lock] != 0)
        return;
    uint64_t lock = 0x9000 + 64 * task->lock;
    switch (task->at++) {
    case 0:
        run->holder[task->lock] = number + 1;
        add(run, number, OP_MUTEX_LOCK, lock, 0, 1000 + number);
        break;
    case 1:
        access_memory(run, number, false, task->lock);
        break;
    case 2:
        access_memory(run, number, true, task->lock);
        break;
    default:
        run->holder[task->lock] = 0;
        add(run, number, OP_MUTEX_UNLOCK, lock, 0, 2000 + number);
        task->at = 0;
    }
}

static void make_run(struct run *run, uint32_t events)
{
    while (run->execution.events.count < events)
        step(run, (uint16_t)generator_below(&run->random, TASKS));
    execution_end(&run->execution);
}

/* Two accesses of different tasks to one variable, one of which writes, near each other: the later one is to come first. */
static bool choose(struct run *run, const struct execution *execution, uint32_t first, struct question *question)
{
    uint32_t count = execution_count(execution);
    uint32_t one = first + (uint32_t)generator_below(&run->random, count - first);
    const struct event *from = execution_event(execution, one);
    for (uint32_t other = one + 1; other < count && other < one + NEAR; other++) {
        const struct event *to = execution_event(execution, other);
        if ((from->op != OP_READ && from->op != OP_WRITE) || to->address != from->address || to->task == from->task ||
            (from->op == OP_READ && to->op == OP_READ))
            continue;
        struct question_order order = {.first = other, .second = one, .immediate = true};
        order.from = *execution_find_access(execution, other, to->op == OP_READ ? ACCESS_READ : ACCESS_WRITE);
        order.to = *execution_find_access(execution, one, from->op == OP_READ ? ACCESS_READ : ACCESS_WRITE);
        question_clear(question);
        question_order(question, &order);
        return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 1;
    uint32_t events = (uint32_t)strtoul(argv[1], NULL, 10), window = (uint32_t)strtoul(argv[3], NULL, 10);
    unsigned wanted = (unsigned)strtoul(argv[2], NULL, 10);
    struct run run = {.random = {events}};
    struct window part = {0};
    struct prover prover;
    struct answer answer = {0};
    struct question question = {.changed = EVENT_NONE};
    double reading = 0, asking = 0, longest = 0, solving = 0;
    make_run(&run, events);
    prover_open(&prover, &(struct solver_limits){0});
    for (unsigned asked = 0, tried = 0; asked < wanted && tried < 100 * wanted; tried++) {
        if (tried % 100 == 0) { /* another window now and then, as from run to run */
            uint32_t from = events > window ? (uint32_t)generator_below(&run.random, events - window) : 0;
            double begin = now();
            window_make(&part, &run.execution, from, events > window ? from + window : events);
            prover_read_window(&prover, &part);
            reading = reading < now() - begin ? now() - begin : reading;
        }
        if (!choose(&run, &part.execution, part.carried, &question))
            continue;
        uint64_t quick = prover.counts.by_cycle + prover.counts.by_reordering;
        double begin = now();
        prover_ask(&prover, &question, &answer);
        double took = now() - begin;
        asking += took;
        longest = longest < took ? took : longest;
        solving += prover.counts.by_cycle + prover.counts.by_reordering == quick ? took : 0;
        asked++;
    }
    const struct prover_counts *counts = &prover.counts;
    uint64_t quick = counts->by_cycle + counts->by_reordering;
    printf("%u %llu %llu %llu %llu %llu %.6f %.6f %.6f %.6f\n", events, (unsigned long long)counts->asked,
           (unsigned long long)counts->by_cycle, (unsigned long long)counts->by_reordering,
           (unsigned long long)(counts->asked - quick - counts->unknown), (unsigned long long)counts->unknown, reading,
           asking, longest, solving);
    bool none = counts->asked == 0;
    prover_close(&prover);
    answer_free(&answer);
    question_free(&question);
    window_free(&part);
    execution_free(&run.execution);
    return none;
}
