/* SPDX-License-Identifier: MIT
 *
 * switch.c - nanoseconds of one hand-over between two tasks: by loading another context, and by a futex between two kernel threads.
 * Prints "FIBRE KERNEL", measured in turns.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/arch/context.h"

enum { SWITCHES = 2000000, HAND_OVERS = 50000, TURNS = 9 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* ---- contexts: another thread's stack and thread-local storage, as in carrier_fibre.c ----------------------------------- */

static struct arch_context here, there;
static uintptr_t top;
static int parked;

static void *park(void *unused)
{
    there.thread_base = arch_thread_base();
    top = (uintptr_t)__builtin_frame_address(0) - 2048;
    __atomic_store_n(&parked, 1, __ATOMIC_RELEASE);
    for (;;)
        pause();
    return unused;
}

static void back_and_forth(void *unused)
{
    (void)unused;
    for (;;)
        arch_switch(&there, &here);
}

static double fibre_switch(void)
{
    double begin = now();
    for (int i = 0; i < SWITCHES / 2; i++)
        arch_switch(&here, &there);
    return (now() - begin) / SWITCHES;
}

/* ---- kernel threads: a word each, as in carrier_kernel.c ------------------------------------------------------------------ */

static int batons[2];

static void hand_over(int to)
{
    __atomic_store_n(&batons[to], 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &batons[to], FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void await(int mine)
{
    while (__atomic_load_n(&batons[mine], __ATOMIC_ACQUIRE) == 0)
        syscall(SYS_futex, &batons[mine], FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    batons[mine] = 0;
}

static void *partner(void *unused)
{
    for (int i = 0; i < HAND_OVERS / 2; i++) {
        await(1);
        hand_over(0);
    }
    return unused;
}

static double kernel_switch(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, partner, NULL);
    double begin = now();
    for (int i = 0; i < HAND_OVERS / 2; i++) {
        hand_over(1);
        await(0);
    }
    double end = now();
    pthread_join(thread, NULL);
    return (end - begin) / HAND_OVERS;
}

int main(void)
{
    pthread_t thread;
    arch_begin(false);
    here.thread_base = arch_thread_base();
    pthread_create(&thread, NULL, park, NULL);
    while (!__atomic_load_n(&parked, __ATOMIC_ACQUIRE))
        usleep(100);
    arch_prepare(&there, top, back_and_forth, NULL);
    for (int turn = 0; turn < TURNS; turn++)
        printf("%.1f %.1f\n", fibre_switch(), kernel_switch());
    return 0;
}
