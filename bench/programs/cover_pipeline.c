// SPDX-License-Identifier: MIT
// cover_pipeline.c - correct: read, transform, check, collect: four stages with a one-place channel between neighbours.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "cover.h"

enum { ITEMS = 6, STAGES = 4, END = -1 };

struct channel {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int item, is_full;
    int passed, waits;
};

static struct channel channel[STAGES - 1];

static struct {
    pthread_mutex_t lock;
    int in, out, rejected;
    int stage_of[ITEMS];
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void channel_send(struct channel *to, int item)
{
    pthread_mutex_lock(&to->lock);
    while (to->is_full) {
        to->waits++;
        pthread_cond_wait(&to->changed, &to->lock);
    }
    to->item = item;
    to->is_full = 1;
    pthread_cond_broadcast(&to->changed);
    pthread_mutex_unlock(&to->lock);
}

static int channel_receive(struct channel *from)
{
    pthread_mutex_lock(&from->lock);
    while (!from->is_full) {
        from->waits++;
        pthread_cond_wait(&from->changed, &from->lock);
    }
    int item = from->item;
    from->is_full = 0;
    from->passed++;
    pthread_cond_broadcast(&from->changed);
    pthread_mutex_unlock(&from->lock);
    return item;
}

static void progress_note(int item, int stage)
{
    pthread_mutex_lock(&progress.lock);
    assert(progress.stage_of[item] == stage - 1);
    progress.stage_of[item] = stage;
    if (stage == 1)
        progress.in++;
    pthread_mutex_unlock(&progress.lock);
}

static void *read_items(void *unused)
{
    (void)unused;
    for (int i = 0; i < ITEMS; i++) {
        cover_work(60);
        progress_note(i, 1);
        channel_send(&channel[0], i);
    }
    channel_send(&channel[0], END);
    return NULL;
}

static void *transform(void *unused)
{
    (void)unused;
    for (int item; (item = channel_receive(&channel[0])) != END;) {
        cover_work(20 * item);
        progress_note(item, 2);
        channel_send(&channel[1], item);
    }
    channel_send(&channel[1], END);
    return NULL;
}

static void *check(void *unused)
{
    (void)unused;
    for (int item; (item = channel_receive(&channel[1])) != END;) {
        if (item % 4 == 3) {
            pthread_mutex_lock(&progress.lock);
            progress.rejected++;
            pthread_mutex_unlock(&progress.lock);
            continue;
        }
        progress_note(item, 3);
        channel_send(&channel[2], item);
    }
    channel_send(&channel[2], END);
    return NULL;
}

static void *collect(void *unused)
{
    (void)unused;
    for (int item; (item = channel_receive(&channel[2])) != END;) {
        progress_note(item, 4);
        cover_work(50);
        pthread_mutex_lock(&progress.lock);
        progress.out++;
        int open = progress.in - progress.out - progress.rejected;
        pthread_mutex_unlock(&progress.lock);
        assert(open >= 0);
    }
    return NULL;
}

int main(void)
{
    void *(*const stage[STAGES])(void *) = {read_items, transform, check, collect};
    pthread_t threads[STAGES];
    for (int i = 0; i < STAGES - 1; i++) {
        pthread_mutex_init(&channel[i].lock, NULL);
        pthread_cond_init(&channel[i].changed, NULL);
    }
    for (int i = 0; i < STAGES; i++)
        pthread_create(&threads[i], NULL, stage[i], NULL);
    for (int i = 0; i < STAGES; i++)
        pthread_join(threads[i], NULL);
    assert(progress.out + progress.rejected == ITEMS);
    return 0;
}
