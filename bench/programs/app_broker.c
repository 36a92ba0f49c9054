// SPDX-License-Identifier: MIT
// app_broker.c - correct: a message broker: two publishers, two subscribers that come late or leave early, small queues with
// back-pressure, the last message of a topic kept for later subscribers, and a dead-letter list for what has no subscriber.
#include "app.h"

enum { TOPICS = 2, SUBSCRIBERS = 3, ROOM = 2, MESSAGES = 6 };

static struct topic {
    pthread_mutex_t lock;
    int retained, published;
    bool subscribed[SUBSCRIBERS];
} topic[TOPICS];

static struct inbox {
    pthread_mutex_t lock;
    pthread_cond_t arrived, taken;
    int message[ROOM], first, count, dropped;
    bool open;
} inbox[SUBSCRIBERS];

static pthread_mutex_t dead_lock = PTHREAD_MUTEX_INITIALIZER;
static int dead_letters, last_dead;
static pthread_mutex_t broker_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t publishers_gone = PTHREAD_COND_INITIALIZER;
static int publishers = 2, joined, left, delivered;

static bool deliver(int to, int message)
{
    struct inbox *own = &inbox[to];
    bool good = false;
    pthread_mutex_lock(&own->lock);
    while (own->open && own->count == ROOM)
        pthread_cond_wait(&own->taken, &own->lock);
    if (own->open) {
        own->message[(own->first + own->count++) % ROOM] = message;
        pthread_cond_signal(&own->arrived);
        good = true;
    } else {
        own->dropped++;
    }
    pthread_mutex_unlock(&own->lock);
    return good;
}

static void publish(struct topic *own, int message)
{
    bool to[SUBSCRIBERS];
    int reached = 0;
    pthread_mutex_lock(&own->lock);
    own->retained = message;
    own->published++;
    for (int i = 0; i < SUBSCRIBERS; i++)
        to[i] = own->subscribed[i];
    pthread_mutex_unlock(&own->lock);
    for (int i = 0; i < SUBSCRIBERS; i++)
        if (to[i])
            reached += deliver(i, message);
    if (reached == 0) {
        pthread_mutex_lock(&dead_lock);
        dead_letters++;
        last_dead = message;
        pthread_mutex_unlock(&dead_lock);
    }
}

static void *publish_some(void *argument)
{
    int publisher = (int)(long)argument;
    for (int i = 0; i < MESSAGES; i++) {
        app_crunch((uint32_t)i, 200);
        publish(&topic[(publisher + i / 4) % TOPICS], 1 + publisher * MESSAGES + i);
    }
    pthread_mutex_lock(&broker_lock);
    if (--publishers == 0)
        pthread_cond_broadcast(&publishers_gone);
    pthread_mutex_unlock(&broker_lock);
    return NULL;
}

static int subscribe(int subscriber, struct topic *own)
{
    pthread_mutex_lock(&own->lock);
    own->subscribed[subscriber] = true;
    int retained = own->retained;
    pthread_mutex_unlock(&own->lock);
    pthread_mutex_lock(&broker_lock);
    joined++;
    pthread_mutex_unlock(&broker_lock);
    return retained;
}

static void unsubscribe(int subscriber, struct topic *own)
{
    pthread_mutex_lock(&own->lock);
    own->subscribed[subscriber] = false;
    pthread_mutex_unlock(&own->lock);
}

static void close_inbox(int subscriber)
{
    pthread_mutex_lock(&inbox[subscriber].lock);
    inbox[subscriber].open = false;
    pthread_cond_broadcast(&inbox[subscriber].taken);
    pthread_cond_broadcast(&inbox[subscriber].arrived);
    pthread_mutex_unlock(&inbox[subscriber].lock);
}

static int receive(int subscriber)
{
    struct inbox *own = &inbox[subscriber];
    int message = 0;
    pthread_mutex_lock(&own->lock);
    while (own->open && own->count == 0)
        pthread_cond_wait(&own->arrived, &own->lock);
    if (own->count > 0) {
        message = own->message[own->first];
        own->first = (own->first + 1) % ROOM;
        own->count--;
        pthread_cond_signal(&own->taken);
    }
    pthread_mutex_unlock(&own->lock);
    return message;
}

static void *subscribe_and_read(void *argument)
{
    int subscriber = (int)(long)argument, got = 0;
    app_crunch((uint32_t)subscriber, 150 * (unsigned)(subscriber + 1));
    got += subscribe(subscriber, &topic[subscriber % TOPICS]) != 0;
    if (subscriber == 2)
        got += subscribe(subscriber, &topic[1]) != 0;
    int patience = subscriber == 1 ? 3 : 100;
    while (patience-- > 0 && receive(subscriber) != 0) {
        got++;
        app_crunch((uint32_t)got, 220);
    }
    for (int i = 0; i < TOPICS; i++)
        unsubscribe(subscriber, &topic[i]);
    close_inbox(subscriber);
    pthread_mutex_lock(&broker_lock);
    left++;
    delivered += got;
    pthread_mutex_unlock(&broker_lock);
    return NULL;
}

int main(void)
{
    pthread_t publisher[2], subscriber[SUBSCRIBERS];
    for (int i = 0; i < TOPICS; i++)
        pthread_mutex_init(&topic[i].lock, NULL);
    for (int i = 0; i < SUBSCRIBERS; i++) {
        pthread_mutex_init(&inbox[i].lock, NULL);
        pthread_cond_init(&inbox[i].arrived, NULL);
        pthread_cond_init(&inbox[i].taken, NULL);
        inbox[i].open = true;
    }
    for (long i = 0; i < SUBSCRIBERS; i++)
        app_start(&subscriber[i], subscribe_and_read, i);
    for (long i = 0; i < 2; i++)
        app_start(&publisher[i], publish_some, i);
    pthread_mutex_lock(&broker_lock);
    while (publishers > 0)
        pthread_cond_wait(&publishers_gone, &broker_lock);
    pthread_mutex_unlock(&broker_lock);
    for (int i = 0; i < SUBSCRIBERS; i++)
        close_inbox(i);
    for (int i = 0; i < SUBSCRIBERS; i++)
        pthread_join(subscriber[i], NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(publisher[i], NULL);
    assert(left == SUBSCRIBERS && joined == SUBSCRIBERS + 1 && dead_letters <= 2 * MESSAGES);
    assert(topic[0].published + topic[1].published == 2 * MESSAGES);
    return 0;
}
