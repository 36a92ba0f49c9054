// SPDX-License-Identifier: MIT
// set_search.c - a task of a search is cancelled after it was seen running, when it has just been completed: it is done and has no result.
//
// Shape: hedc (ETH).
// expect: assert
#include "set.h"

enum state { RUNNING, DONE, CANCELLED };

struct task {
    pthread_mutex_t lock;
    enum state state;
    const char *result;
    int listeners;
};

LIBRARY enum state task_state(struct task *t)
{
    pthread_mutex_lock(&t->lock);
    enum state state = t->state;
    pthread_mutex_unlock(&t->lock);
    return state;
}

LIBRARY void task_complete(struct task *t, const char *result)
{
    pthread_mutex_lock(&t->lock);
    if (t->state == RUNNING) {
        t->result = result;
        t->state = DONE;
        t->listeners = 0;
    }
    pthread_mutex_unlock(&t->lock);
}

// BUG: not a whole.
LIBRARY bool task_cancel(struct task *t)
{
    whole_begin(&t->lock);
    bool running = task_state(t) == RUNNING;
    if (running) {
        pthread_mutex_lock(&t->lock);
        t->result = NULL;
        pthread_mutex_unlock(&t->lock);
        pthread_mutex_lock(&t->lock);
        t->state = CANCELLED;
        pthread_mutex_unlock(&t->lock);
    }
    whole_end(&t->lock);
    return running;
}

LIBRARY void task_listen(struct task *t)
{
    pthread_mutex_lock(&t->lock);
    if (t->state == RUNNING)
        t->listeners++;
    assert(t->state != DONE || t->result != NULL);
    pthread_mutex_unlock(&t->lock);
}

static struct task task = {OBJECT_LOCK, RUNNING, NULL, 0};

static void *user(void *unused)
{
    (void)unused;
    task_cancel(&task);
    work(WORK);
    return NULL;
}

static void *worker(void *unused)
{
    (void)unused;
    work(WORK);
    task_complete(&task, "text");
    return NULL;
}

static void *listener(void *unused)
{
    (void)unused;
    work(WORK / 2);
    task_listen(&task);
    work(WORK);
    task_listen(&task);
    return NULL;
}

int main(void)
{
    const set_thread threads[] = {user, worker, listener};
    set_run(3, threads);
    return 0;
}
