// SPDX-License-Identifier: MIT
// subject.h - for the subject_*.c: what they share.
//
// Each is a small module whose functions may be called by several threads, with one bug, and a test of a few calls.  With -DCORRECT the calls
// exclude each other as a whole: the correct twin, whose threads do the same otherwise.
#ifndef BENCH_SUBJECT_H
#define BENCH_SUBJECT_H

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef CORRECT
static pthread_mutex_t call_lock = PTHREAD_MUTEX_INITIALIZER;
#endif

// At the beginning of each public function of the module.
static inline void call_begin(void)
{
#ifdef CORRECT
    pthread_mutex_lock(&call_lock);
#endif
}

static inline void call_end(void)
{
#ifdef CORRECT
    pthread_mutex_unlock(&call_lock);
#endif
}

typedef void *(*subject_task)(void *);

// Runs each task in a thread of its own, until all have ended.
static inline void subject_run(int count, const subject_task task[])
{
    pthread_t thread[4];
    for (int i = 0; i < count; i++)
        if (pthread_create(&thread[i], NULL, task[i], NULL) != 0)
            abort();
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
}

#endif
