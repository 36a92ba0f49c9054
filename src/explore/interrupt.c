/* SPDX-License-Identifier: MIT
 *
 * interrupt.c - Ctrl-C and SIGTERM.
 */
#include "explore/interrupt.h"

#include <signal.h>

static volatile sig_atomic_t requested;

static void on_signal(int number)
{
    requested = 1;
    signal(number, SIG_DFL); /* whoever asks twice means it; the children die with us */
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
