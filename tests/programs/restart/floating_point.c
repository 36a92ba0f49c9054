// SPDX-License-Identifier: MIT
// floating_point.c - how the processor rounds
// build: -Wl,--no-as-needed -lm
#include "frame.h"

#include <fenv.h>

static void *rounding(void *unused)
{
    (void)unused;
    printf("%d\n", fegetround() == FE_TONEAREST);
    fesetround(FE_UPWARD);
    return NULL;
}

static void before(void)
{
    rounding(NULL);
    fesetround(FE_TONEAREST);
}

static void after(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, rounding, NULL);
    pthread_join(thread, NULL);
    fesetround(FE_DOWNWARD);
}
