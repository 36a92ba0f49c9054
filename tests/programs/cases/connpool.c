// connpool.c - connection pool: a worker looks for a free connection and takes it without the lock.
// clang-format off
// expect: exit
// says: pool.conns\[[01]\].(users|in_use) at connpool.c:(40|56|71)
// rows: 40 56 71 74

/* A connection pool: a connection may be checked out by one worker at a time. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define POOL_SIZE 2
#define WORKERS 3

struct connection {
    int id;
    bool in_use;
    int users;                  /* for the self-check */
};

struct pool {
    struct connection conns[POOL_SIZE];
    int available;
    pthread_mutex_t lock;
    pthread_cond_t freed;
};

static struct pool pool = {
    .conns = { { .id = 1 }, { .id = 2 } },
    .available = POOL_SIZE,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .freed = PTHREAD_COND_INITIALIZER,
};

static struct connection *pool_find_free(struct pool *p)
{
    for (int i = 0; i < POOL_SIZE; i++)
        if (!p->conns[i].in_use)
            return &p->conns[i];
    return NULL;
}

static struct connection *pool_checkout(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->available == 0)
        pthread_cond_wait(&p->freed, &p->lock);
    p->available--;
    pthread_mutex_unlock(&p->lock);

    /* one is reserved for us now, take it */
    struct connection *c = pool_find_free(p);
    assert(c != NULL);
    c->in_use = true;
    return c;
}

static void pool_return(struct pool *p, struct connection *c)
{
    pthread_mutex_lock(&p->lock);
    c->in_use = false;
    p->available++;
    pthread_cond_signal(&p->freed);
    pthread_mutex_unlock(&p->lock);
}

static void run_query(struct connection *c, int worker)
{
    int users = __atomic_add_fetch(&c->users, 1, __ATOMIC_SEQ_CST);
    if (users != 1) {
        fprintf(stderr, "worker %d: connection %d is used by somebody else\n", worker, c->id);
        exit(1);
    }
    __atomic_sub_fetch(&c->users, 1, __ATOMIC_SEQ_CST);
}

static void *worker(void *arg)
{
    int id = (int)(long)arg;
    for (int i = 0; i < 2; i++) {
        struct connection *c = pool_checkout(&pool);
        run_query(c, id);
        pool_return(&pool, c);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[WORKERS];
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
