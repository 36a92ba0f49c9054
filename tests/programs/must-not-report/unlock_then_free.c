// SPDX-License-Identifier: MIT
// unlock_then_free.c - a block is freed by a thread that got its lock last, which POSIX allows.
//
// The first one is through with the lock when its unlock has let the second one in; the second destroys and frees.
//
// expect: none
#include <pthread.h>
#include <stdlib.h>

struct shared {
    pthread_mutex_t lock;
    int users;
};

static void *leave(void *argument)
{
    struct shared *shared = argument;
    pthread_mutex_lock(&shared->lock);
    int last = --shared->users == 0;
    pthread_mutex_unlock(&shared->lock);
    if (last) {
        pthread_mutex_destroy(&shared->lock);
        free(shared);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    struct shared *shared = malloc(sizeof *shared);
    pthread_mutex_init(&shared->lock, NULL);
    shared->users = 3;
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, leave, shared);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
