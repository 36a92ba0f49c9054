/* SPDX-License-Identifier: MIT
 *
 * observe.c - what observer and predictor cost per event, and how much memory they hold, as a run gets longer.
 *
 *   observe EVENTS      prints: events, ns per event and bytes of the observer, ns per event and bytes of the predictor
 *
 * The run is made up: four threads take one of eight locks, touch three of sixty-four variables under it and a few others
 * without, from a hundred sites.
 */
#include <stdio.h>
#include <stdlib.h>

#include "pattern/observe.h"
#include "predict/predictor.h"
#include "util/clock.h"
#include "util/hash.h"

enum { THREADS = 4, LOCKS = 8, VARIABLES = 64, SITES = 100 };

struct maker {
    struct generator random;
    uint64_t operation[THREADS];
    struct execution execution;
};

static void make(struct maker *maker, uint16_t task, uint8_t op, uint64_t address, uint32_t site)
{
    struct event event = {.address = address,
                          .operation = ++maker->operation[task],
                          .size = op == OP_READ || op == OP_WRITE ? 4 : 0,
                          .site = site,
                          .task = task,
                          .op = op};
    execution_add(&maker->execution, &event);
}

static void access_something(struct maker *maker, uint16_t task, uint64_t variable)
{
    bool write = generator_below(&maker->random, 3) == 0;
    make(maker, task, write ? OP_WRITE : OP_READ, 0x100000 + 64 * variable, (uint32_t)(1 + variable % 32 * 2 + write));
}

/* One critical section, and something beside it. */
static void make_turn(struct maker *maker)
{
    uint16_t task = (uint16_t)generator_below(&maker->random, THREADS);
    uint64_t lock = generator_below(&maker->random, LOCKS);
    make(maker, task, OP_MUTEX_LOCK, 0x1000 + 64 * lock, (uint32_t)(70 + lock));
    for (int i = 0; i < 3; i++)
        access_something(maker, task, lock * (VARIABLES / LOCKS) + generator_below(&maker->random, VARIABLES / LOCKS));
    make(maker, task, OP_MUTEX_UNLOCK, 0x1000 + 64 * lock, (uint32_t)(80 + lock));
    if (generator_below(&maker->random, 4) == 0)
        access_something(maker, task, generator_below(&maker->random, VARIABLES));
}

static double per_event(int64_t began, uint64_t events)
{
    return (double)(clock_now() - began) / (double)events;
}

int main(int argc, char **argv)
{
    struct error error;
    uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    if (events == 0) {
        fprintf(stderr, "usage: observe EVENTS\n");
        return 1;
    }
    family_mask idioms = family_by_name("idiom", &error);
    struct instances seen = {0}, predicted = {0};
    struct maker maker = {.random = {7}};
    while (execution_count(&maker.execution) < events)
        make_turn(&maker);
    execution_end(&maker.execution);
    struct observer *observer = observer_new(&(struct observer_options){.wanted = idioms, .window = 50}, &seen);
    int64_t began = clock_now();
    observer_observe(observer, &maker.execution);
    double observing = per_event(began, execution_count(&maker.execution));
    began = clock_now();
    struct predictor_result result = predictor_locksets.predict(
        &maker.execution, &(struct predictor_options){.wanted = idioms, .window = 50}, &predicted);
    double predicting = per_event(began, execution_count(&maker.execution));
    printf("%llu %.0f %zu %.0f %zu\n", (unsigned long long)events, observing, observer_memory(observer), predicting,
           result.memory);
    return 0;
}
