// SPDX-License-Identifier: MIT
// set_crawler.c - an address is taken from the queue and the download is counted in two steps: in between, there seems to be nothing left to do.
//
// Shape: weblech.
// expect: assert
#include "set.h"

enum { MOST = 16 };

struct crawler {
    pthread_mutex_t lock;
    int queue[MOST];
    int head, tail;
    int downloads;
    int ended;
};

LIBRARY void crawler_add(struct crawler *c, int address)
{
    pthread_mutex_lock(&c->lock);
    assert(!c->ended);
    c->queue[c->tail++ % MOST] = address;
    pthread_mutex_unlock(&c->lock);
}

LIBRARY int crawler_pop(struct crawler *c)
{
    pthread_mutex_lock(&c->lock);
    int address = c->head < c->tail ? c->queue[c->head++ % MOST] : 0;
    pthread_mutex_unlock(&c->lock);
    return address;
}

LIBRARY void crawler_count(struct crawler *c, int change)
{
    pthread_mutex_lock(&c->lock);
    c->downloads += change;
    pthread_mutex_unlock(&c->lock);
}

// BUG: not a whole.
LIBRARY int crawler_take(struct crawler *c)
{
    whole_begin(&c->lock);
    int address = crawler_pop(c);
    if (address != 0)
        crawler_count(c, 1);
    whole_end(&c->lock);
    return address;
}

LIBRARY bool crawler_end_if_idle(struct crawler *c)
{
    pthread_mutex_lock(&c->lock);
    if (c->head == c->tail && c->downloads == 0)
        c->ended = 1;
    bool ended = c->ended;
    pthread_mutex_unlock(&c->lock);
    return ended;
}

static struct crawler crawler = {OBJECT_LOCK, {0}, 0, 0, 0, 0};

static void *download(void *unused)
{
    (void)unused;
    for (int turn = 0; turn < 2; turn++) {
        int address = crawler_take(&crawler);
        if (address == 0)
            continue;
        work(WORK / 2);
        if (address < 3)
            crawler_add(&crawler, address + 2);
        crawler_count(&crawler, -1);
    }
    return NULL;
}

static void *watch(void *unused)
{
    (void)unused;
    work(WORK);
    for (int turn = 0; turn < 2 && !crawler_end_if_idle(&crawler); turn++)
        work(WORK);
    return NULL;
}

int main(void)
{
    crawler_add(&crawler, 1);
    const set_thread threads[] = {download, download, watch};
    set_run(3, threads);
    return 0;
}
