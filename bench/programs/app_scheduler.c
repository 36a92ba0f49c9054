// SPDX-License-Identifier: MIT
// app_scheduler.c - correct: a thread pool with two priorities: jobs start other jobs, some are cancelled before they run, one worker
// retires early, and the pool is shut down when all is done.
#include "app.h"

enum { WORKERS = 3, JOBS = 10, QUEUE = 32 };
enum state { NEW, QUEUED, RUNNING, DONE, CANCELLED };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_to_do = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
static int urgent[QUEUE], urgent_first, urgent_count, normal[QUEUE], normal_first, normal_count;
static int outstanding, idle;
static bool shut_down;

static pthread_mutex_t job_lock[JOBS];
static struct {
    enum state state;
    int result, waits_for;
} job[JOBS];

static pthread_mutex_t result_lock = PTHREAD_MUTEX_INITIALIZER;
static int done, cancelled, sum, retired;

static void submit(int number, bool is_urgent)
{
    pthread_mutex_lock(&job_lock[number]);
    job[number].state = QUEUED;
    pthread_mutex_unlock(&job_lock[number]);
    pthread_mutex_lock(&lock);
    if (is_urgent)
        urgent[(urgent_first + urgent_count++) % QUEUE] = number;
    else
        normal[(normal_first + normal_count++) % QUEUE] = number;
    outstanding++;
    if (idle > 0)
        pthread_cond_signal(&work_to_do);
    pthread_mutex_unlock(&lock);
}

static int next_job(void)
{
    int number = -1;
    pthread_mutex_lock(&lock);
    while (urgent_count == 0 && normal_count == 0 && !shut_down) {
        idle++;
        pthread_cond_wait(&work_to_do, &lock);
        idle--;
    }
    if (urgent_count > 0) {
        number = urgent[urgent_first];
        urgent_first = (urgent_first + 1) % QUEUE;
        urgent_count--;
    } else if (normal_count > 0) {
        number = normal[normal_first];
        normal_first = (normal_first + 1) % QUEUE;
        normal_count--;
    }
    pthread_mutex_unlock(&lock);
    return number;
}

static bool begin(int number)
{
    pthread_mutex_lock(&job_lock[number]);
    bool go = job[number].state == QUEUED;
    if (go)
        job[number].state = RUNNING;
    pthread_mutex_unlock(&job_lock[number]);
    return go;
}

static void end(int number, int result)
{
    pthread_mutex_lock(&job_lock[number]);
    job[number].result = result;
    job[number].state = DONE;
    pthread_mutex_unlock(&job_lock[number]);
    pthread_mutex_lock(&result_lock);
    done++;
    sum += result;
    pthread_mutex_unlock(&result_lock);
}

static void leave_job(void)
{
    pthread_mutex_lock(&lock);
    if (--outstanding == 0)
        pthread_cond_broadcast(&finished);
    pthread_mutex_unlock(&lock);
}

static void *work(void *argument)
{
    int worker = (int)(long)argument, ran = 0, number;
    while ((worker != 0 || ran < 2) && (number = next_job()) >= 0) {
        if (begin(number)) {
            int result = (int)(app_crunch((uint32_t)number, 260) & 7);
            if (number < 4) /* the first ones start others */
                submit(number + 6, number % 2 == 0);
            end(number, result);
        }
        ran++;
        leave_job();
    }
    pthread_mutex_lock(&result_lock);
    retired++;
    pthread_mutex_unlock(&result_lock);
    return NULL;
}

static bool cancel(int number)
{
    pthread_mutex_lock(&job_lock[number]);
    bool took = job[number].state == NEW || job[number].state == QUEUED;
    bool queued = job[number].state == QUEUED;
    if (queued)
        job[number].state = CANCELLED;
    pthread_mutex_unlock(&job_lock[number]);
    return took && queued;
}

static void *cancel_some(void *unused)
{
    (void)unused;
    for (int number = 1; number < JOBS; number += 4) {
        app_crunch((uint32_t)number, 300);
        if (cancel(number)) {
            pthread_mutex_lock(&result_lock);
            cancelled++;
            pthread_mutex_unlock(&result_lock);
        }
    }
    return NULL;
}

static void *watch(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        app_crunch((uint32_t)i, 350);
        pthread_mutex_lock(&lock);
        int waiting = urgent_count + normal_count;
        assert(waiting <= outstanding);
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&result_lock);
        assert(done + cancelled <= JOBS);
        pthread_mutex_unlock(&result_lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t worker[WORKERS], canceller, watcher;
    for (int i = 0; i < JOBS; i++)
        pthread_mutex_init(&job_lock[i], NULL);
    for (long i = 0; i < WORKERS; i++)
        app_start(&worker[i], work, i);
    app_start(&canceller, cancel_some, 0);
    app_start(&watcher, watch, 0);
    for (int i = 0; i < 6; i++) {
        app_crunch((uint32_t)i, 120);
        submit(i, i == 5);
    }
    pthread_mutex_lock(&lock);
    while (outstanding > 0)
        pthread_cond_wait(&finished, &lock);
    shut_down = true;
    pthread_cond_broadcast(&work_to_do);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(worker[i], NULL);
    pthread_join(canceller, NULL);
    pthread_join(watcher, NULL);
    assert(retired == WORKERS && done + cancelled <= JOBS && done >= 6 - cancelled);
    return 0;
}
