// SPDX-License-Identifier: MIT
// subject_vector_copy.c - a copy of a vector gets a block for as many elements as there are, and is filled in the next critical section, when
// there are more.
//
// Shape: Vector(Collection) (JDK 1.4); size and content in two calls, each access under the lock.
// expect: out-of-block
#include "subject.h"

enum { ROOM = 12 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, element[ROOM];

static int size(void)
{
    pthread_mutex_lock(&lock);
    int now = count;
    pthread_mutex_unlock(&lock);
    return now;
}

static void to_array(int *array)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count; i++)
        array[i] = element[i];
    pthread_mutex_unlock(&lock);
}

static int *vector_copy(void)
{
    call_begin();
    int *copy = malloc((size_t)size() * sizeof *copy);
    if (copy == NULL)
        abort();
    to_array(copy);
    call_end();
    return copy;
}

static void vector_add(int value)
{
    call_begin();
    pthread_mutex_lock(&lock);
    if (count < ROOM)
        element[count++] = value;
    pthread_mutex_unlock(&lock);
    call_end();
}

static void vector_set(int at, int value)
{
    call_begin();
    pthread_mutex_lock(&lock);
    if (at < count)
        element[at] = value;
    pthread_mutex_unlock(&lock);
    call_end();
}

static int vector_get(int at)
{
    call_begin();
    pthread_mutex_lock(&lock);
    int value = at < count ? element[at] : -1;
    pthread_mutex_unlock(&lock);
    call_end();
    return value;
}

static void *copier(void *unused)
{
    (void)unused;
    int *copy = vector_copy();
    assert(copy[0] == 0);
    free(copy);
    return NULL;
}

static void *changer(void *unused)
{
    (void)unused;
    for (int i = 1; i < 4; i++)
        vector_set(i, vector_get(i) * 2);
    vector_add(4);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 4; i++)
        vector_add(i);
    subject_run(2, (subject_task[]){copier, changer});
    return 0;
}
