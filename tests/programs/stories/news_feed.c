// news_feed.c - a feed delivers messages to subscribers; a subscriber may leave at any time.
//
// kind: use after free
// expect: heap
// wrong: feed_publish() takes the subscriber out of the list under the lock and uses it after unlock; subscriber_leave() frees it
// where: feed_publish subscriber_leave
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MESSAGES 2

struct subscriber {
    struct subscriber *next;
    int number;
    int received;
    int last;
};

struct feed {
    pthread_mutex_t lock;
    struct subscriber *first;
    int published;
};

static struct feed feed = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

static struct subscriber *subscriber_join(int number)
{
    struct subscriber *s = calloc(1, sizeof *s);
    s->number = number;
    pthread_mutex_lock(&feed.lock);
    s->next = feed.first;
    feed.first = s;
    pthread_mutex_unlock(&feed.lock);
    return s;
}

static void subscriber_leave(int number)
{
    pthread_mutex_lock(&feed.lock);
    struct subscriber **link = &feed.first;
    while (*link && (*link)->number != number)
        link = &(*link)->next;
    struct subscriber *s = *link;
    if (s)
        *link = s->next;
    pthread_mutex_unlock(&feed.lock);
    free(s);
}

static struct subscriber *feed_next(int after)
{
    struct subscriber *best = NULL;
    pthread_mutex_lock(&feed.lock);
    for (struct subscriber *s = feed.first; s; s = s->next)
        if (s->number > after && (!best || s->number < best->number))
            best = s;
    pthread_mutex_unlock(&feed.lock);
    return best;
}

static void deliver(struct subscriber *s, int message)
{
    s->last = message;
    s->received++;
}

static void feed_publish(int message)
{
    int at = 0;
    struct subscriber *s;
    while ((s = feed_next(at)) != NULL) {
        at = s->number;
        deliver(s, message);
    }
    pthread_mutex_lock(&feed.lock);
    feed.published++;
    pthread_mutex_unlock(&feed.lock);
}

static void *publisher(void *arg)
{
    (void)arg;
    for (int i = 1; i <= MESSAGES; i++)
        feed_publish(i);
    return NULL;
}

static void *visitor(void *arg)
{
    (void)arg;
    subscriber_leave(2);
    return NULL;
}

int main(void)
{
    for (int i = 1; i <= 3; i++)
        subscriber_join(i);
    pthread_t a, b;
    pthread_create(&a, NULL, publisher, NULL);
    pthread_create(&b, NULL, visitor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int i = 1; i <= 3; i++)
        subscriber_leave(i);
    printf("%d published\n", feed.published);
    return 0;
}
