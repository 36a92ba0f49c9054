// SPDX-License-Identifier: MIT
// deadlock_callback.c - a call-back asks for the lock under which it is called.
//
// Shape: self-deadlock on a normal mutex, only if the listener was registered in time.
// Why:   publish calls foreign code with its own lock held.
//
// expect: deadlock
// find: random within 50
// find: pct within 50
// cause: a:W(listener)@deadlock_callback.c:31 << b:R(listener)@deadlock_callback.c:40
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*listener)(int value);
static int published;
static int last;

static void remember(int value)
{
    pthread_mutex_lock(&lock); /* publish holds it */
    last = value;
    pthread_mutex_unlock(&lock);
}

static void *subscribe(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (!published)
        listener = remember;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void publish(int value)
{
    pthread_mutex_lock(&lock);
    published = 1;
    if (listener != NULL)
        listener(value);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, subscribe, NULL);
    publish(1);
    pthread_join(thread, NULL);
    return 0;
}
