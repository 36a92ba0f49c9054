// SPDX-License-Identifier: MIT
// phase_connections.c - correct: clients share two connections of a pool: open, query, retry, pin, give back, close; a reaper.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#include "cover.h"

enum { CLIENTS = 3, CONNECTIONS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t freed = PTHREAD_COND_INITIALIZER;
static struct {
    bool busy, open;
    int queries, age;
} connection[CONNECTIONS];
static int waiting, opened, reaped, served, clients;

static int take(void)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        for (int i = 0; i < CONNECTIONS; i++)
            if (!connection[i].busy) {
                connection[i].busy = true;
                pthread_mutex_unlock(&lock);
                return i;
            }
        waiting++;
        pthread_cond_wait(&freed, &lock);
        waiting--;
    }
}

static void ensure_open(int at)
{
    pthread_mutex_lock(&lock);
    if (!connection[at].open) {
        connection[at].open = true;
        connection[at].age = 0;
        opened++;
    }
    pthread_mutex_unlock(&lock);
}

static void query(int at)
{
    pthread_mutex_lock(&lock);
    connection[at].queries++;
    connection[at].age++;
    pthread_mutex_unlock(&lock);
}

static void give_back(int at)
{
    pthread_mutex_lock(&lock);
    connection[at].busy = false;
    served++;
    if (waiting > 0)
        pthread_cond_signal(&freed);
    pthread_mutex_unlock(&lock);
}

static void *client(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    clients++;
    pthread_mutex_unlock(&lock);
    cover_work(8);
    int at = take();
    ensure_open(at);
    cover_work(8);
    query(at);
    cover_work(8);
    give_back(at);
    cover_work(8);
    at = take();
    ensure_open(at);
    query(at);
    cover_work(8);
    give_back(at);
    pthread_mutex_lock(&lock);
    clients--;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *reaper(void *unused)
{
    (void)unused;
    for (int round = 0; round < 3; round++) {
        cover_work(10);
        pthread_mutex_lock(&lock);
        for (int i = 0; i < CONNECTIONS; i++)
            if (connection[i].open && !connection[i].busy && connection[i].age > round) {
                connection[i].open = false;
                reaped++;
            }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[CLIENTS + 1];
    for (int i = 0; i <= CLIENTS; i++)
        pthread_create(&thread[i], NULL, i < CLIENTS ? client : reaper, NULL);
    for (int i = 0; i <= CLIENTS; i++)
        pthread_join(thread[i], NULL);
    assert(served == 2 * CLIENTS && clients == 0 && waiting == 0 && opened >= reaped);
    return 0;
}
