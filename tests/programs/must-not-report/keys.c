// SPDX-License-Identifier: MIT
// keys.c - thread-specific data with destructors; one destructor sets a value again, so that a second round is needed.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_key_t block_key, again_key;
static atomic_int freed, rounds;

static void free_block(void *block)
{
    free(block);
    atomic_fetch_add(&freed, 1);
}

static void again(void *count)
{
    int *left = count;
    atomic_fetch_add(&rounds, 1);
    if (--*left > 0)
        pthread_setspecific(again_key, left);
    else
        free(left);
}

static void *work(void *unused)
{
    (void)unused;
    assert(pthread_getspecific(block_key) == NULL);
    pthread_setspecific(block_key, malloc(32));
    int *left = malloc(sizeof *left);
    *left = 2;
    pthread_setspecific(again_key, left);
    assert(pthread_getspecific(again_key) == left);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    assert(pthread_key_create(&block_key, free_block) == 0);
    assert(pthread_key_create(&again_key, again) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(atomic_load(&freed) == 2);
    assert(atomic_load(&rounds) == 4);
    pthread_key_delete(block_key);
    pthread_key_delete(again_key);
    return 0;
}
