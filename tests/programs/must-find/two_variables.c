// SPDX-License-Identifier: MIT
// two_variables.c - a table and its length are changed one after the other.
//
// Shape: two-variable invariant, W(length) R'(length) R'(table) W(table); no lock is missing on any single variable.
// Why:   the invariant "length says how many entries are set" spans two variables with a lock each.
//
// expect: assert
// find: pct within 100
// cause: a:R(table)@two_variables.c:39 << b:W(table)@two_variables.c:25
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t length_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static int length;
static const char *table[4];

static void *add_entry(void *name)
{
    pthread_mutex_lock(&length_lock);
    int at = length++;
    pthread_mutex_unlock(&length_lock);
    pthread_mutex_lock(&table_lock);
    table[at] = name;
    pthread_mutex_unlock(&table_lock);
    return NULL;
}

static void *check_last(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&length_lock);
    int last = length - 1;
    pthread_mutex_unlock(&length_lock);
    if (last < 0)
        return NULL;
    pthread_mutex_lock(&table_lock);
    const char *name = table[last];
    pthread_mutex_unlock(&table_lock);
    assert(name != NULL);
    return NULL;
}

int main(void)
{
    static char name[] = "first";
    pthread_t writer, reader;
    pthread_create(&writer, NULL, add_entry, name);
    pthread_create(&reader, NULL, check_last, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
