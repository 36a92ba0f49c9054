// SPDX-License-Identifier: MIT
// robust_mutex.c - a thread ends with a robust mutex held; the next owner repairs the state.
//
// expect: none
// tsan: no (ThreadSanitizer does not know that a robust mutex passes on at thread end)
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static int half, whole; /* whole == 2 * half when no thread holds the lock properly */

static void *die(void *unused)
{
    (void)unused;
    int error = pthread_mutex_lock(&lock);
    if (error == EOWNERDEAD)
        pthread_mutex_consistent(&lock);
    half = 1; /* and gone, in the middle of the update */
    return NULL;
}

static void *repair(void *unused)
{
    (void)unused;
    int error = pthread_mutex_lock(&lock);
    if (error == EOWNERDEAD) {
        whole = 2 * half;
        assert(pthread_mutex_consistent(&lock) == 0);
    } else {
        assert(error == 0);
    }
    assert(whole == 2 * half);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t killer, doctor;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    pthread_create(&killer, NULL, die, NULL);
    pthread_create(&doctor, NULL, repair, NULL);
    pthread_join(killer, NULL);
    pthread_join(doctor, NULL);
    int error = pthread_mutex_lock(&lock);
    assert(error == 0 || error == EOWNERDEAD);
    if (error == EOWNERDEAD)
        pthread_mutex_consistent(&lock);
    pthread_mutex_unlock(&lock);
    assert(pthread_mutex_destroy(&lock) == 0);
    return 0;
}
