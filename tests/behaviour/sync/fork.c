// SPDX-License-Identifier: MIT
// fork.c - a forked child finds the objects as POSIX says, and shares the process-shared and named ones with its parent.
#include "rows.h"

#include <assert.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>

static pthread_mutex_t foreign = PTHREAD_MUTEX_INITIALIZER, mine = PTHREAD_MUTEX_INITIALIZER,
                       recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, unused = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t reading = PTHREAD_RWLOCK_INITIALIZER, writing = PTHREAD_RWLOCK_INITIALIZER,
                        foreign_writing = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT, once_forking = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static sem_t sem, *named;
static int ready, done, runs;
static bool is_child;
static const char *const name = "/raddle-behaviour-fork";

static struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    pthread_barrier_t barrier;
    pthread_rwlock_t lock;
    sem_t there, back;
    int flag;
} * shared;

/* What fails in the child must reach the parent. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                    \
            _exit(9);                                                                                                  \
        }                                                                                                              \
    } while (0)

static void routine(void)
{
    runs++;
}

static void *holder(void *argument)
{
    pthread_mutex_lock(&foreign);
    pthread_rwlock_rdlock(&reading);
    pthread_rwlock_wrlock(&foreign_writing);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_broadcast(&cond);
    while (!done)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_unlock(&foreign_writing);
    pthread_rwlock_unlock(&reading);
    pthread_mutex_unlock(&foreign);
    return argument;
}

static void make_shared(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t for_mutex;
    pthread_mutexattr_init(&for_mutex);
    pthread_mutexattr_setpshared(&for_mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &for_mutex);
    pthread_condattr_t for_cond;
    pthread_condattr_init(&for_cond);
    pthread_condattr_setpshared(&for_cond, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->cond, &for_cond);
    pthread_barrierattr_t for_barrier;
    pthread_barrierattr_init(&for_barrier);
    pthread_barrierattr_setpshared(&for_barrier, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->barrier, &for_barrier, 2);
    pthread_rwlockattr_t for_lock;
    pthread_rwlockattr_init(&for_lock);
    pthread_rwlockattr_setpshared(&for_lock, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&shared->lock, &for_lock);
    sem_init(&shared->there, 1, 0);
    sem_init(&shared->back, 1, 0);
}

static void check_own_objects(void)
{
    int value;
    CHECK(pthread_mutex_trylock(&foreign) == EBUSY);
    CHECK(pthread_mutex_trylock(&mine) == EBUSY && pthread_mutex_unlock(&mine) == 0);
    CHECK(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
    CHECK(pthread_mutex_unlock(&recursive) == EPERM);
    CHECK(pthread_mutex_lock(&unused) == 0);
    CHECK(pthread_rwlock_trywrlock(&reading) == EBUSY && pthread_rwlock_unlock(&reading) == 0);
    CHECK(pthread_rwlock_trywrlock(&reading) == EBUSY && pthread_rwlock_tryrdlock(&reading) == 0);
    CHECK(pthread_rwlock_rdlock(&writing) == EDEADLK && pthread_rwlock_unlock(&writing) == 0);
    CHECK(pthread_rwlock_trywrlock(&writing) == 0);
    CHECK(pthread_rwlock_tryrdlock(&foreign_writing) == EBUSY);
    CHECK(pthread_once(&once, routine) == 0 && runs == 1);
    CHECK(sem_getvalue(&sem, &value) == 0 && value == 2 && sem_wait(&sem) == 0);
    CHECK(pthread_cond_signal(&cond) == 0 && pthread_cond_destroy(&cond) == 0);
    CHECK(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
}

static void child(void)
{
    check_own_objects();
    CHECK(sem_open(name, 0) == named && sem_post(named) == 0);
    usleep(5000);
    CHECK(sem_post(&shared->there) == 0);
    usleep(5000);
    CHECK(pthread_mutex_lock(&shared->mutex) == 0);
    shared->flag = 1;
    CHECK(pthread_cond_signal(&shared->cond) == 0 && pthread_mutex_unlock(&shared->mutex) == 0);
    pthread_barrier_wait(&shared->barrier);
    CHECK(pthread_rwlock_wrlock(&shared->lock) == 0);
    shared->flag = 2;
    CHECK(pthread_rwlock_unlock(&shared->lock) == 0);
    CHECK(sem_wait(&shared->back) == 0);
    _exit(7);
}

static void parent(pid_t pid)
{
    CHECK(sem_wait(named) == 0);
    CHECK(sem_wait(&shared->there) == 0);
    pthread_mutex_lock(&shared->mutex);
    while (shared->flag == 0)
        pthread_cond_wait(&shared->cond, &shared->mutex);
    pthread_mutex_unlock(&shared->mutex);
    pthread_barrier_wait(&shared->barrier);
    for (int seen = 0; seen != 2;) {
        pthread_rwlock_rdlock(&shared->lock);
        seen = shared->flag;
        pthread_rwlock_unlock(&shared->lock);
        usleep(1000);
    }
    sem_post(&shared->back);
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

/* The child goes on in the routine, and has run it when it returns. */
static void forking_routine(void)
{
    runs++;
    pid_t pid = fork();
    int status = 0;
    is_child = pid == 0;
    CHECK(is_child || (waitpid(pid, &status, 0) == pid && status == 0));
}

int main(void)
{
    pthread_t thread;
    sem_init(&sem, 0, 3);
    sem_wait(&sem);
    named = sem_open(name, O_CREAT, 0600, 0);
    pthread_barrier_init(&barrier, NULL, 1);
    make_shared();
    pthread_once(&once, routine);
    pthread_create(&thread, NULL, holder, NULL);
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mine);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_rwlock_rdlock(&reading);
    pthread_rwlock_wrlock(&writing);
    pid_t pid = fork();
    if (pid == 0)
        child();
    parent(pid);
    pthread_rwlock_unlock(&writing);
    pthread_rwlock_unlock(&reading);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&mine);
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    pthread_once(&once_forking, forking_routine);
    pthread_once(&once_forking, forking_routine);
    CHECK(runs == 2);
    if (!is_child)
        sem_unlink(name);
    return 0;
}
