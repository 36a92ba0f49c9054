// SPDX-License-Identifier: MIT
// subject_vector_find.c - a search from the end takes the size first and begins at the last element in the next critical section, when that
// element has been removed.
//
// Shape: Vector.lastIndexOf (JDK 1.1); stale index, each access under the lock.
// expect: assert
#include "subject.h"

enum { ROOM = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, element[ROOM];

static int size(void)
{
    pthread_mutex_lock(&lock);
    int now = count;
    pthread_mutex_unlock(&lock);
    return now;
}

static int last_index_from(int wanted, int from)
{
    pthread_mutex_lock(&lock);
    assert(from < count);
    int at = from;
    while (at >= 0 && element[at] != wanted)
        at--;
    pthread_mutex_unlock(&lock);
    return at;
}

static int vector_last_index(int wanted)
{
    call_begin();
    int at = last_index_from(wanted, size() - 1);
    call_end();
    return at;
}

static void vector_add(int value)
{
    call_begin();
    pthread_mutex_lock(&lock);
    element[count++] = value;
    pthread_mutex_unlock(&lock);
    call_end();
}

static bool vector_remove(int value)
{
    int at = 0;
    call_begin();
    pthread_mutex_lock(&lock);
    while (at < count && element[at] != value)
        at++;
    bool found = at < count;
    if (found)
        count--;
    for (int i = at; i < count; i++)
        element[i] = element[i + 1];
    pthread_mutex_unlock(&lock);
    call_end();
    return found;
}

static void *search(void *unused)
{
    (void)unused;
    assert(vector_last_index(2) == 2);
    vector_last_index(1);
    return NULL;
}

static void *change(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++)
        vector_add(20 + i);
    vector_remove(99);
    vector_remove(20);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 6; i++)
        vector_add(i);
    subject_run(2, (subject_task[]){search, change});
    return 0;
}
