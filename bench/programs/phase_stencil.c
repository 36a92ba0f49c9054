// SPDX-License-Identifier: MIT
// phase_stencil.c - correct: a stencil in three phases between barriers; within a phase borders are exchanged and sums kept under
// locks, each phase in code of its own, and a monitor looks on.
#include <assert.h>
#include <pthread.h>

#include "cover.h"

enum { PARTS = 3 };

static pthread_barrier_t barrier;
static pthread_mutex_t border_lock[PARTS], sum_lock = PTHREAD_MUTEX_INITIALIZER;
static int border[PARTS], weight[PARTS], sum, largest, phases, residue, looks;

static void scatter(int part)
{
    pthread_mutex_lock(&border_lock[part]);
    border[part] = part + 1;
    pthread_mutex_unlock(&border_lock[part]);
    cover_work(8);
    pthread_mutex_lock(&sum_lock);
    sum += part + 1;
    pthread_mutex_unlock(&sum_lock);
    cover_work(8);
    pthread_mutex_lock(&border_lock[(part + 1) % PARTS]);
    weight[(part + 1) % PARTS]++;
    pthread_mutex_unlock(&border_lock[(part + 1) % PARTS]);
}

static void relax(int part)
{
    int next = (part + 1) % PARTS;
    pthread_mutex_lock(&border_lock[next]);
    int theirs = border[next];
    weight[next]++;
    pthread_mutex_unlock(&border_lock[next]);
    cover_work(8);
    pthread_mutex_lock(&border_lock[part]);
    border[part] += theirs > 0;
    pthread_mutex_unlock(&border_lock[part]);
    cover_work(8);
    pthread_mutex_lock(&sum_lock);
    if (theirs > largest)
        largest = theirs;
    residue += 1;
    pthread_mutex_unlock(&sum_lock);
}

static void gather(int part)
{
    pthread_mutex_lock(&sum_lock);
    phases++;
    pthread_mutex_unlock(&sum_lock);
    cover_work(8);
    pthread_mutex_lock(&border_lock[part]);
    int own = border[part] * weight[part];
    pthread_mutex_unlock(&border_lock[part]);
    cover_work(8);
    pthread_mutex_lock(&sum_lock);
    sum += own > 0;
    residue--;
    pthread_mutex_unlock(&sum_lock);
}

static void *compute(void *argument)
{
    int part = (int)(long)argument;
    scatter(part);
    pthread_barrier_wait(&barrier);
    relax(part);
    pthread_barrier_wait(&barrier);
    gather(part);
    return NULL;
}

static void *monitor(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&sum_lock);
    looks += sum >= 0;
    pthread_mutex_unlock(&sum_lock);
    for (int i = 0; i < PARTS; i++) {
        cover_work(10);
        pthread_mutex_lock(&border_lock[i]);
        looks += border[i] <= weight[i];
        pthread_mutex_unlock(&border_lock[i]);
    }
    cover_work(10);
    pthread_mutex_lock(&sum_lock);
    if (phases > 0 && residue > 0)
        looks += largest;
    pthread_mutex_unlock(&sum_lock);
    return NULL;
}

int main(void)
{
    pthread_t thread[PARTS + 1];
    pthread_barrier_init(&barrier, NULL, PARTS);
    for (int i = 0; i < PARTS; i++)
        pthread_mutex_init(&border_lock[i], NULL);
    for (long i = 0; i < PARTS; i++)
        pthread_create(&thread[i], NULL, compute, (void *)i);
    pthread_create(&thread[PARTS], NULL, monitor, NULL);
    for (int i = 0; i <= PARTS; i++)
        pthread_join(thread[i], NULL);
    assert(sum == 1 + 2 + 3 + PARTS && residue == 0 && phases == PARTS);
    return 0;
}
