/* SPDX-License-Identifier: MIT
 *
 * interrupt.c - Ctrl-C and SIGTERM.
 */
#include "explore/interrupt.h"

#include <signal.h>

#include "util/clock.h"

static volatile sig_atomic_t requested;
static volatile int64_t first_time;

/* Whoever asks again a second later means it; the children die with us.  At once it is an echo: timeout(1), for example, signals
   the process and then its group. */
static void on_signal(int number)
{
    int64_t now = clock_now();
    if (requested && now - first_time > CLOCK_SECOND) {
        signal(number, SIG_DFL);
        raise(number);
    }
    if (!requested)
        first_time = now;
    requested = 1;
}

void interrupt_install(void)
{
    /* No SA_RESTART: poll must return. */
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (signal(SIGHUP, SIG_IGN) != SIG_IGN) /* nohup stays nohup */
        sigaction(SIGHUP, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error of the write, not our end */
    signal(SIGPIPE, SIG_IGN); /* a dead server is noticed by the write that fails */
}

bool interrupt_requested(void)
{
    return requested != 0;
}
