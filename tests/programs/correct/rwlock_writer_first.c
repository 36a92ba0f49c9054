// SPDX-License-Identifier: MIT
// rwlock_writer_first.c - a rwlock that prefers writers: readers see complete states only.
//
// expect: none
#include "correct.h"

static pthread_rwlock_t lock;
static int left, right;

static void *write_both(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_rwlock_wrlock(&lock);
        left++;
        right++;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

static void *read_both(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_rwlock_rdlock(&lock);
        CHECK(left == right);
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attributes);
    pthread_t threads[3] = {start(read_both, NULL), start(write_both, NULL), start(read_both, NULL)};
    for (int i = 0; i < 3; i++)
        join(threads[i]);
    CHECK(left == 2 && pthread_rwlock_destroy(&lock) == 0);
    return 0;
}
