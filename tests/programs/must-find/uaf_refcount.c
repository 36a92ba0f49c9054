// SPDX-License-Identifier: MIT
// uaf_refcount.c - a reference is taken from a shared pointer while the last one is given back.
//
// Shape: R(shared)=p, the other: release p (count 1 -> 0, free), then count++ on freed memory.
// Why:   the count protects the object only for threads that already have a reference.
//
// expect: use-after-free|double-free
// find: random within 200
// find: pct within 500
// cause: a:free(object)@uaf_refcount.c:25 << b:W(object)@uaf_refcount.c:33
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int value;
};

static _Atomic(struct object *) shared;

static void release(struct object *object)
{
    if (atomic_fetch_sub(&object->references, 1) == 1)
        free(object);
}

static void *use(void *unused)
{
    (void)unused;
    struct object *object = atomic_load(&shared);
    if (object != NULL) {
        atomic_fetch_add(&object->references, 1);
        release(object);
    }
    return NULL;
}

static void *retire(void *unused)
{
    (void)unused;
    struct object *object = atomic_exchange(&shared, NULL);
    release(object);
    return NULL;
}

int main(void)
{
    pthread_t user, retirer;
    struct object *object = malloc(sizeof *object);
    atomic_init(&object->references, 1);
    object->value = 5;
    atomic_store(&shared, object);
    pthread_create(&user, NULL, use, NULL);
    pthread_create(&retirer, NULL, retire, NULL);
    pthread_join(user, NULL);
    pthread_join(retirer, NULL);
    return 0;
}
