// SPDX-License-Identifier: MIT
// phase_store.c - correct: a log-structured store: writers append, read back, overwrite and delete; one compacts and swaps segments.
#include <assert.h>
#include <pthread.h>

#include "cover.h"

enum { KEYS = 4, ROOM = 64 };

struct record {
    int key, value; /* value 0: deleted */
};

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER, index_lock = PTHREAD_MUTEX_INITIALIZER;
static struct record segment[2][ROOM];
static int used[2], active, generation, compactions, appended;
static int place[KEYS]; /* in the active segment, + 1; 0: none */

/* log_lock, then index_lock */
static void append(int key, int value)
{
    pthread_mutex_lock(&log_lock);
    int at = used[active]++;
    segment[active][at] = (struct record){key, value};
    appended++;
    pthread_mutex_lock(&index_lock);
    place[key] = value != 0 ? at + 1 : 0;
    pthread_mutex_unlock(&index_lock);
    pthread_mutex_unlock(&log_lock);
}

static int read_back(int key)
{
    pthread_mutex_lock(&log_lock);
    pthread_mutex_lock(&index_lock);
    int at = place[key];
    pthread_mutex_unlock(&index_lock);
    int value = at != 0 ? segment[active][at - 1].value : 0;
    pthread_mutex_unlock(&log_lock);
    return value;
}

static int count_keys(void)
{
    int count = 0;
    pthread_mutex_lock(&index_lock);
    for (int i = 0; i < KEYS; i++)
        count += place[i] != 0;
    pthread_mutex_unlock(&index_lock);
    return count;
}

static void compact(void)
{
    pthread_mutex_lock(&log_lock);
    int to = 1 - active;
    used[to] = 0;
    pthread_mutex_lock(&index_lock);
    for (int key = 0; key < KEYS; key++)
        if (place[key] != 0) {
            segment[to][used[to]] = segment[active][place[key] - 1];
            place[key] = ++used[to];
        }
    active = to;
    generation++;
    pthread_mutex_unlock(&index_lock);
    compactions++;
    pthread_mutex_unlock(&log_lock);
}

static void *writer(void *argument)
{
    int own = argument == NULL ? 0 : 1;
    append(own, 10);
    cover_work(10);
    assert(read_back(own) == 10);
    cover_work(10);
    append(2, 20 + own);
    cover_work(10);
    append(own, 30);
    cover_work(10);
    assert(count_keys() >= 1);
    cover_work(10);
    append(3, own);
    cover_work(10);
    append(own, 0);
    assert(read_back(own) == 0);
    return NULL;
}

static void *compacter(void *unused)
{
    (void)unused;
    cover_work(10);
    compact();
    cover_work(20);
    if (count_keys() > 1)
        compact();
    cover_work(20);
    pthread_mutex_lock(&log_lock);
    int wasteful = used[active] > 3;
    pthread_mutex_unlock(&log_lock);
    if (wasteful)
        compact();
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, writer, NULL);
    pthread_create(&thread[1], NULL, writer, thread);
    pthread_create(&thread[2], NULL, compacter, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert(appended == 10 && generation == compactions && place[0] == 0 && place[1] == 0 && place[2] != 0);
    return 0;
}
