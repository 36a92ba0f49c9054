// SPDX-License-Identifier: MIT
// set_connections.c - a table of connections looks for a free place, and takes it in a second step: two connections are in one place.
//
// Shape: the connections of jigsaw (httpd).
// expect: assert
#include "set.h"

enum { PLACES = 4 };

struct table {
    pthread_mutex_t lock;
    int place[PLACES];
    int used, idle;
};

LIBRARY struct table *table_new(void)
{
    struct table *t = calloc(1, sizeof *t);
    object_lock_init(&t->lock);
    t->idle = PLACES;
    return t;
}

LIBRARY int table_find_free(struct table *t)
{
    pthread_mutex_lock(&t->lock);
    int place = 0;
    while (place < PLACES && t->place[place] != 0)
        place++;
    pthread_mutex_unlock(&t->lock);
    return place;
}

// BUG: not a whole.
LIBRARY int table_open(struct table *t, int connection)
{
    whole_begin(&t->lock);
    int place = table_find_free(t);
    if (place < PLACES) {
        pthread_mutex_lock(&t->lock);
        t->place[place] = connection;
        t->used++;
        pthread_mutex_unlock(&t->lock);
        pthread_mutex_lock(&t->lock);
        t->idle--;
        pthread_mutex_unlock(&t->lock);
    }
    whole_end(&t->lock);
    return place;
}

LIBRARY void table_close(struct table *t, int place, int connection)
{
    pthread_mutex_lock(&t->lock);
    assert(t->place[place] == connection);
    t->place[place] = 0;
    t->used--;
    t->idle++;
    pthread_mutex_unlock(&t->lock);
}

// How many there are and how many more there could be.
LIBRARY int table_load(struct table *t)
{
    pthread_mutex_lock(&t->lock);
    int load = 100 * t->used / (t->used + t->idle + 1);
    pthread_mutex_unlock(&t->lock);
    return load;
}

static struct table *table;

static void *first_client(void *unused)
{
    (void)unused;
    int place = table_open(table, 1);
    work(WORK);
    table_close(table, place, 1);
    return NULL;
}

static void *second_client(void *unused)
{
    (void)unused;
    work(WORK);
    int place = table_open(table, 2);
    work(WORK / 2);
    table_close(table, place, 2);
    return NULL;
}

static void *administrator(void *unused)
{
    (void)unused;
    work(WORK * 2);
    table_load(table);
    return NULL;
}

int main(void)
{
    table = table_new();
    const set_thread threads[] = {first_client, second_client, administrator};
    set_run(3, threads);
    free(table);
    return 0;
}
