/* SPDX-License-Identifier: MIT
 *
 * frame.h - what the programs of this folder share: two threads with something in common, between `before` and `after`.
 *
 * Each program prints in `before` what it finds and changes it in `after`.  A run that finds what an earlier one has left prints
 * something else than in a new process.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void before(void);
static void after(void);

static pthread_mutex_t frame_lock = PTHREAD_MUTEX_INITIALIZER;
static int frame_count;

static void *frame_thread(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&frame_lock);
    frame_count++;
    pthread_mutex_unlock(&frame_lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    before();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, frame_thread, NULL);
    after();
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", frame_count);
    return 0;
}
