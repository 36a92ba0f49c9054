// SPDX-License-Identifier: MIT
// malloc_heavy.c - threads allocate, grow, free, and hand blocks to each other under a lock; addresses are reused.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, ROUNDS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *parked;

static char *exchange(char *block)
{
    pthread_mutex_lock(&lock);
    char *other = parked;
    parked = block;
    pthread_mutex_unlock(&lock);
    return other;
}

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        char *block = malloc(24);
        strcpy(block, "some text");
        block = realloc(block, 200);
        assert(strcmp(block, "some text") == 0);
        memset(block, 'a' + i, 200);
        char *other = exchange(block);
        if (other != NULL) {
            assert(other[0] == other[199]);
            free(other);
        }
        free(calloc(5, 7));
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    free(exchange(NULL));
    void *aligned = NULL;
    assert(posix_memalign(&aligned, 64, 100) == 0);
    free(aligned);
    return 0;
}
