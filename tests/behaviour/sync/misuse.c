// SPDX-License-Identifier: MIT
// misuse.c - does what row ARGUMENT of docs/posix.md leaves undefined.  Under control it must be reported.
#include "rows.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int waiting;

static int wait_here(void *which)
{
    pthread_mutex_lock(which);
    waiting = 1;
    int error = pthread_cond_wait(&cond, which);
    pthread_mutex_unlock(which);
    return error;
}
static void *waiter(void *which)
{
    return (void *)(long)wait_here(which);
}
static void *sem_waiter(void *unused)
{
    (void)unused;
    sem_wait(&sem);
    return NULL;
}
static void *barrier_waiter(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&barrier);
    return NULL;
}
static void *locker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    return NULL;
}
static int initialise(void *unused)
{
    (void)unused;
    return pthread_mutex_init(&mutex, NULL);
}
static void again(void)
{
    pthread_once(&once, again);
}
static void begin(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    pthread_create(&thread, NULL, function, argument);
    usleep(10000); /* virtual: until it cannot go on */
}
static void begin_waiting(void)
{
    begin(waiter, &mutex);
    for (int seen = 0; !seen;) {
        pthread_mutex_lock(&mutex);
        seen = waiting;
        pthread_mutex_unlock(&mutex);
    }
}
static int nothing(void *unused)
{
    (void)unused;
    return pthread_mutex_trylock(&second) ?: pthread_mutex_unlock(&second);
}

static void mutex_rows(const char *row)
{
    if (strcmp(row, "M11") == 0) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_lock(&mutex);
    } else if (strcmp(row, "M14") == 0) {
        pthread_mutex_lock(&mutex);
        ELSEWHERE(pthread_mutex_unlock, &mutex);
    } else if (strcmp(row, "M15") == 0) {
        pthread_mutex_unlock(&mutex);
    } else if (strcmp(row, "M40") == 0) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_destroy(&mutex);
    } else if (strcmp(row, "M41") == 0) {
        begin_waiting();
        pthread_mutex_destroy(&mutex);
    } else if (strcmp(row, "M42") == 0) {
        pthread_mutex_destroy(&mutex);
        pthread_mutex_lock(&mutex);
    } else if (strcmp(row, "M43") == 0) {
        pthread_mutex_destroy(&mutex);
        pthread_mutex_destroy(&mutex);
    } else if (strcmp(row, "M44") == 0) {
        pthread_mutex_lock(&mutex);
        begin(locker, NULL);
        ELSEWHERE(initialise, NULL);
    } else if (strcmp(row, "freed") == 0) {
        pthread_mutex_t *gone = malloc(sizeof *gone);
        pthread_mutex_init(gone, NULL);
        free(gone);
        pthread_mutex_lock(gone);
    }
}

static void cond_rows(const char *row)
{
    if (strcmp(row, "C30") == 0) {
        pthread_cond_wait(&cond, &mutex);
    } else if (strcmp(row, "C31") == 0) {
        begin_waiting();
        ELSEWHERE(wait_here, &second);
    } else if (strcmp(row, "C32") == 0) {
        begin_waiting();
        pthread_cond_destroy(&cond);
    } else if (strcmp(row, "C33") == 0) {
        pthread_cond_destroy(&cond);
        pthread_cond_signal(&cond);
    }
}

static void rwlock_rows(const char *row)
{
    if (strcmp(row, "R17") == 0) {
        pthread_rwlock_rdlock(&lock);
        pthread_rwlock_wrlock(&lock);
    } else if (strcmp(row, "R30") == 0) {
        pthread_rwlock_rdlock(&lock);
        ELSEWHERE(pthread_rwlock_unlock, &lock);
    } else if (strcmp(row, "R30w") == 0) {
        pthread_rwlock_wrlock(&lock);
        ELSEWHERE(pthread_rwlock_unlock, &lock);
    } else if (strcmp(row, "R31") == 0) {
        pthread_rwlock_unlock(&lock);
    } else if (strcmp(row, "R32") == 0) {
        pthread_rwlock_rdlock(&lock);
        pthread_rwlock_destroy(&lock);
    } else if (strcmp(row, "R33") == 0) {
        pthread_rwlock_destroy(&lock);
        pthread_rwlock_wrlock(&lock);
    }
}

static void spin_rows(const char *row)
{
    if (strcmp(row, "S30") == 0) {
        pthread_spin_lock(&spin);
        pthread_spin_lock(&spin);
    } else if (strcmp(row, "S31") == 0) {
        pthread_spin_lock(&spin);
        ELSEWHERE(pthread_spin_unlock, &spin);
    } else if (strcmp(row, "S32") == 0) {
        pthread_spin_lock(&spin);
        pthread_spin_destroy(&spin);
    } else if (strcmp(row, "S33") == 0) {
        pthread_spin_destroy(&spin);
        pthread_spin_lock(&spin);
    }
}

static void other_rows(const char *row)
{
    if (strcmp(row, "P30") == 0) {
        begin(sem_waiter, NULL);
        sem_destroy(&sem);
    } else if (strcmp(row, "P31") == 0) {
        sem_destroy(&sem);
        sem_post(&sem);
    } else if (strcmp(row, "B30") == 0) {
        begin(barrier_waiter, NULL);
        pthread_barrier_destroy(&barrier);
    } else if (strcmp(row, "B31") == 0) {
        pthread_barrier_destroy(&barrier);
        pthread_barrier_wait(&barrier);
    } else if (strcmp(row, "B32") == 0) {
        static pthread_barrier_t never;
        pthread_barrier_wait(&never);
    } else if (strcmp(row, "O7") == 0) {
        again();
    }
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 1;
    ELSEWHERE(nothing, NULL); /* one thread is no concurrency */
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    sem_init(&sem, 0, 0);
    pthread_barrier_init(&barrier, NULL, 3);
    mutex_rows(argv[1]);
    cond_rows(argv[1]);
    rwlock_rows(argv[1]);
    spin_rows(argv[1]);
    other_rows(argv[1]);
    return 0;
}
