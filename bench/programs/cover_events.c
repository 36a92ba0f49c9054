// SPDX-License-Identifier: MIT
// cover_events.c - correct: an event bus: publishers, subscribers that come and go, a dispatcher that calls them.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

#include "cover.h"

enum { PUBLISHERS = 2, EACH = 4, LISTENERS = 3, ROOM = 4, QUIT = -1 };

struct listener {
    pthread_mutex_t lock;
    int calls, sum, last;
    atomic_int references;
    int is_subscribed;
};

static struct listener listener[LISTENERS];

static struct {
    pthread_mutex_t lock;
    struct listener *subscribed[LISTENERS];
    int count, version;
} bus = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    sem_t items, places;
    int event[ROOM], first, next;
} mailbox = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_int published, delivered, skipped;

static void publish(int event)
{
    sem_wait(&mailbox.places);
    pthread_mutex_lock(&mailbox.lock);
    mailbox.event[mailbox.next++ % ROOM] = event;
    pthread_mutex_unlock(&mailbox.lock);
    sem_post(&mailbox.items);
    atomic_fetch_add(&published, event != QUIT);
}

static int next_event(void)
{
    sem_wait(&mailbox.items);
    pthread_mutex_lock(&mailbox.lock);
    int event = mailbox.event[mailbox.first++ % ROOM];
    pthread_mutex_unlock(&mailbox.lock);
    sem_post(&mailbox.places);
    return event;
}

static void subscribe(struct listener *listener)
{
    pthread_mutex_lock(&bus.lock);
    if (!listener->is_subscribed) {
        listener->is_subscribed = 1;
        bus.subscribed[bus.count++] = listener;
        bus.version++;
        atomic_fetch_add(&listener->references, 1);
    }
    pthread_mutex_unlock(&bus.lock);
}

static void unsubscribe(struct listener *listener)
{
    pthread_mutex_lock(&bus.lock);
    for (int i = 0; i < bus.count; i++)
        if (bus.subscribed[i] == listener) {
            bus.subscribed[i] = bus.subscribed[--bus.count];
            listener->is_subscribed = 0;
            bus.version++;
            atomic_fetch_sub(&listener->references, 1);
        }
    pthread_mutex_unlock(&bus.lock);
}

static void deliver(struct listener *to, int event)
{
    pthread_mutex_lock(&to->lock);
    to->calls++;
    to->sum += event;
    to->last = event;
    pthread_mutex_unlock(&to->lock);
    atomic_fetch_add(&delivered, 1);
}

/* Calls the listeners of now, without the lock: they may change the list. */
static void *dispatch(void *unused)
{
    (void)unused;
    for (int event; (event = next_event()) != QUIT;) {
        struct listener *list[LISTENERS];
        pthread_mutex_lock(&bus.lock);
        int count = bus.count;
        for (int i = 0; i < count; i++) {
            list[i] = bus.subscribed[i];
            atomic_fetch_add(&list[i]->references, 1);
        }
        pthread_mutex_unlock(&bus.lock);
        if (count == 0)
            atomic_fetch_add(&skipped, 1);
        for (int i = 0; i < count; i++) {
            deliver(list[i], event);
            atomic_fetch_sub(&list[i]->references, 1);
        }
    }
    return NULL;
}

static void *publisher(void *argument)
{
    int self = *(int *)argument;
    cover_work(300 * self);
    for (int i = 0; i < EACH; i++) {
        cover_work(40);
        if (i == 1)
            subscribe(&listener[self]);
        publish(self * EACH + i);
        if (i == 2)
            unsubscribe(&listener[(self + 1) % LISTENERS]);
    }
    return NULL;
}

static void *visitor(void *unused)
{
    (void)unused;
    struct listener *self = &listener[LISTENERS - 1];
    cover_work(700);
    subscribe(self);
    pthread_mutex_lock(&self->lock);
    int seen = self->calls;
    pthread_mutex_unlock(&self->lock);
    assert(seen <= atomic_load(&delivered) + 1);
    unsubscribe(self);
    subscribe(&listener[0]);
    return NULL;
}

int main(void)
{
    pthread_t publishers[PUBLISHERS], dispatcher, guest;
    int number[PUBLISHERS];
    sem_init(&mailbox.items, 0, 0);
    sem_init(&mailbox.places, 0, ROOM);
    for (int i = 0; i < LISTENERS; i++)
        pthread_mutex_init(&listener[i].lock, NULL);
    pthread_create(&dispatcher, NULL, dispatch, NULL);
    for (int i = 0; i < PUBLISHERS; i++) {
        number[i] = i;
        pthread_create(&publishers[i], NULL, publisher, &number[i]);
    }
    pthread_create(&guest, NULL, visitor, NULL);
    for (int i = 0; i < PUBLISHERS; i++)
        pthread_join(publishers[i], NULL);
    publish(QUIT);
    pthread_join(dispatcher, NULL);
    pthread_join(guest, NULL);
    assert(atomic_load(&published) == PUBLISHERS * EACH);
    return 0;
}
