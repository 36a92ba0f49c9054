// server.c - a server is freed while a worker has not ended.
// clang-format off
// expect: use-after-free
// says: T0 freed heap#[0-9]+ at server.c:84 before T[0-9]'s (read|write) of heap#[0-9]+[.a-z]* at :(34|35|36|38|25|26|27|39|42|43): the (read|write) must come before the free
// rows: 80 84

/* A job server with worker threads that can be stopped. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 2

struct server {
    pthread_mutex_t lock;
    pthread_cond_t work;
    int pending, done;
    bool stop;
    int running;
};

static void handle(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    s->done++;
    pthread_mutex_unlock(&s->lock);
}

static void *worker(void *arg)
{
    struct server *s = arg;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        while (s->pending == 0 && !s->stop)
            pthread_cond_wait(&s->work, &s->lock);
        if (s->pending == 0) {
            s->running--;
            pthread_mutex_unlock(&s->lock);
            break;
        }
        s->pending--;
        pthread_mutex_unlock(&s->lock);
        handle(s);
    }
    return NULL;
}

static struct server *server_start(void)
{
    struct server *s = calloc(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    s->running = WORKERS;
    for (int i = 0; i < WORKERS; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, s);
        pthread_detach(t);
    }
    return s;
}

static void server_submit(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    s->pending++;
    pthread_cond_signal(&s->work);
    pthread_mutex_unlock(&s->lock);
}

static void server_stop(struct server *s)
{
    bool gone;
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_broadcast(&s->work);
    pthread_mutex_unlock(&s->lock);
    do {
        pthread_mutex_lock(&s->lock);
        gone = s->running == 0 || s->pending == 0;
        pthread_mutex_unlock(&s->lock);
    } while (!gone);
    printf("%d jobs done\n", s->done);
    free(s);
}

int main(void)
{
    struct server *s = server_start();
    for (int i = 0; i < 3; i++)
        server_submit(s);
    server_stop(s);
    return 0;
}
