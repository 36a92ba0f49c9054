// SPDX-License-Identifier: MIT
// pattern_refcount.c - the last thread that gives up its reference frees.
//
// expect: none
#include "correct.h"

#include <stdatomic.h>

struct object {
    atomic_int references;
    int data;
};
static int freed;

static void release(struct object *object)
{
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1) {
        object->data = 0;
        free(object);
        freed++;
    }
}

static void *work(void *argument)
{
    struct object *object = argument;
    CHECK(object->data == 5);
    release(object);
    return NULL;
}

int main(void)
{
    struct object *object = malloc(sizeof *object);
    object->data = 5;
    atomic_init(&object->references, 3);
    pthread_t a = start(work, object), b = start(work, object);
    release(object);
    join(a);
    join(b);
    CHECK(freed == 1);
    return 0;
}
