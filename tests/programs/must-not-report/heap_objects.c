// SPDX-License-Identifier: MIT
// heap_objects.c - reference-counted objects with their own locks, freed by the last thread; addresses come back.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t lock;
    atomic_int references;
    int value;
};

static atomic_int alive;

static struct object *object_new(int references)
{
    struct object *object = malloc(sizeof *object);
    pthread_mutex_init(&object->lock, NULL);
    atomic_init(&object->references, references);
    object->value = 0;
    atomic_fetch_add(&alive, 1);
    return object;
}

static void object_release(struct object *object)
{
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1) {
        pthread_mutex_destroy(&object->lock);
        free(object);
        atomic_fetch_sub(&alive, 1);
    }
}

static void *use(void *argument)
{
    struct object *object = argument;
    pthread_mutex_lock(&object->lock);
    object->value++;
    pthread_mutex_unlock(&object->lock);
    object_release(object);
    return NULL;
}

int main(void)
{
    for (int round = 0; round < 2; round++) {
        pthread_t thread[2];
        struct object *object = object_new(2);
        for (int i = 0; i < 2; i++)
            pthread_create(&thread[i], NULL, use, object);
        for (int i = 0; i < 2; i++)
            pthread_join(thread[i], NULL);
    }
    assert(atomic_load(&alive) == 0);
    return 0;
}
