/* SPDX-License-Identifier: MIT
 *
 * switch.c - context switching by itself: two contexts with stacks and thread-local storage of parked threads take turns with main.
 * Prints one line per property.  Built for x86-64 and, in the long tests, for arm64 under an emulator.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/arch/context.h"

enum { CONTEXTS = 2, TURNS = 1000 };

struct fibre {
    struct arch_context saved;
    uintptr_t top;
    int parked, number;
    long sum;
    double product;
};

static struct arch_context main_context;
static struct fibre fibres[CONTEXTS];
static __thread int turn_of_mine = 7;
static int bad;

static void *park(void *argument)
{
    struct fibre *fibre = argument;
    fibre->saved.thread_base = arch_thread_base();
    fibre->top = (uintptr_t)__builtin_frame_address(0) - 2048;
    __atomic_store_n(&fibre->parked, 1, __ATOMIC_RELEASE);
    for (;;)
        pause();
    return NULL;
}

static void entry(void *argument)
{
    struct fibre *fibre = argument;
    long sum = 0;
    double product = 1.0;
    bad += turn_of_mine != 7;
    for (int turn = 1; turn <= TURNS; turn++) {
        errno = fibre->number * 1000 + turn;
        turn_of_mine = turn;
        sum += turn * (fibre->number + 1);
        product *= 1.0 + 1.0 / (turn + fibre->number);
        arch_switch(&fibre->saved, &main_context);
        bad += turn_of_mine != turn || errno != fibre->number * 1000 + turn;
    }
    fibre->sum = sum;
    fibre->product = product;
    for (;;)
        arch_switch(&fibre->saved, &main_context);
}

static void say(const char *what, int good)
{
    printf("%s %s\n", good ? "ok" : "not ok", what);
}

int main(void)
{
    arch_begin(getenv("SLOW") != NULL);
    main_context.thread_base = arch_thread_base();
    for (int i = 0; i < CONTEXTS; i++) {
        pthread_t thread;
        fibres[i].number = i;
        pthread_create(&thread, NULL, park, &fibres[i]);
        while (!__atomic_load_n(&fibres[i].parked, __ATOMIC_ACQUIRE))
            usleep(100);
        arch_prepare(&fibres[i].saved, fibres[i].top, entry, &fibres[i]);
    }
    turn_of_mine = -1;
    errno = 42;
    double mine = 1.5;
    for (int turn = 0; turn <= TURNS; turn++)
        for (int i = 0; i < CONTEXTS; i++)
            arch_switch(&main_context, &fibres[i].saved);
    say("arch main keeps its thread-local variables, errno and registers",
        turn_of_mine == -1 && errno == 42 && mine == 1.5);
    say("arch contexts keep their thread-local variables and errno", bad == 0);
    say("arch integer registers survive", fibres[0].sum == 500500 && fibres[1].sum == 1001000);
    /* The products telescope: (TURNS + 1) and (TURNS + 2) / 2. */
    double first = fibres[0].product / (TURNS + 1), second = fibres[1].product / ((TURNS + 2) / 2.0);
    say("arch floating-point registers survive",
        first > 0.999999 && first < 1.000001 && second > 0.999999 && second < 1.000001);
    return 0;
}
