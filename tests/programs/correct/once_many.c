// SPDX-License-Identifier: MIT
// once_many.c - several once controls, one of which is used inside another's routine.
//
// expect: none
#include "correct.h"

static pthread_once_t outer = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static int outer_runs, inner_runs;

static void make_inner(void)
{
    inner_runs++;
}

static void make_outer(void)
{
    pthread_once(&inner, make_inner);
    outer_runs++;
}

static void *work(void *first)
{
    if (first != NULL)
        pthread_once(&inner, make_inner);
    pthread_once(&outer, make_outer);
    CHECK(outer_runs == 1 && inner_runs == 1);
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, NULL), b = start(work, &outer), c = start(work, NULL);
    join(a);
    join(b);
    join(c);
    return 0;
}
