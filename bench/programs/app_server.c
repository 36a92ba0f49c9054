// SPDX-License-Identifier: MIT
// app_server.c - correct: a request server: one thread accepts, three work, an administrator changes the configuration while they
// do, asks for statistics, and ends it all.
#include "app.h"

enum { WORKERS = 3, REQUESTS = 12, KEYS = 5, ROOM = 4, LOG = 8 };
enum kind { GET, PUT, DELETE, BROKEN };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    struct {
        enum kind kind;
        int key, value;
    } request[ROOM];
    int first, count, waiting;
    bool closed;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER, .emptied = PTHREAD_COND_INITIALIZER};

static pthread_rwlock_t config_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct {
    int generation, limit;
    bool read_only;
} config = {1, 100, false};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool used;
    int value, writes;
} table[KEYS];

static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static int served, missed, refused, malformed, stopped;

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int log_line[LOG], log_next, log_wrapped;

static void log_write(int line)
{
    pthread_mutex_lock(&log_lock);
    log_line[log_next] = line;
    if (++log_next == LOG) {
        log_next = 0;
        log_wrapped++;
    }
    pthread_mutex_unlock(&log_lock);
}

static void *accept_all(void *unused)
{
    (void)unused;
    log_write(1);
    for (int i = 0; i < REQUESTS; i++) {
        enum kind kind = i % 6 == 5 ? BROKEN : i % 5 == 3 ? DELETE : i % 2 ? GET : PUT;
        int key = (int)(app_crunch((uint32_t)i, 150) % KEYS);
        pthread_mutex_lock(&queue.lock);
        while (queue.count == ROOM)
            pthread_cond_wait(&queue.emptied, &queue.lock);
        int at = (queue.first + queue.count++) % ROOM;
        queue.request[at].kind = kind;
        queue.request[at].key = key;
        queue.request[at].value = i;
        if (queue.waiting > 0)
            pthread_cond_signal(&queue.filled);
        pthread_mutex_unlock(&queue.lock);
    }
    pthread_mutex_lock(&queue.lock);
    queue.closed = true;
    pthread_cond_broadcast(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
    log_write(2);
    return NULL;
}

static bool take(enum kind *kind, int *key, int *value)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.count == 0 && !queue.closed) {
        queue.waiting++;
        pthread_cond_wait(&queue.filled, &queue.lock);
        queue.waiting--;
    }
    bool got = queue.count > 0;
    if (got) {
        *kind = queue.request[queue.first].kind;
        *key = queue.request[queue.first].key;
        *value = queue.request[queue.first].value;
        queue.first = (queue.first + 1) % ROOM;
        if (queue.count-- == ROOM)
            pthread_cond_signal(&queue.emptied);
    }
    pthread_mutex_unlock(&queue.lock);
    return got;
}

static bool is_allowed(enum kind kind)
{
    pthread_rwlock_rdlock(&config_lock);
    bool allowed = kind == GET || !config.read_only;
    pthread_rwlock_unlock(&config_lock);
    return allowed;
}

static bool get(int key)
{
    pthread_mutex_lock(&table_lock);
    bool hit = table[key].used && table[key].value >= 0;
    pthread_mutex_unlock(&table_lock);
    return hit;
}

static void put(int key, int value)
{
    pthread_mutex_lock(&table_lock);
    table[key].used = true;
    table[key].value = value;
    table[key].writes++;
    pthread_mutex_unlock(&table_lock);
}

static void erase(int key)
{
    pthread_mutex_lock(&table_lock);
    if (table[key].used) {
        table[key].used = false;
        table[key].writes++;
    }
    pthread_mutex_unlock(&table_lock);
}

static void count(int *what)
{
    pthread_mutex_lock(&stats_lock);
    ++*what;
    pthread_mutex_unlock(&stats_lock);
}

static void *work(void *argument)
{
    enum kind kind;
    int key, value;
    log_write(10 + (int)(long)argument);
    while (take(&kind, &key, &value)) {
        app_crunch((uint32_t)value, 250);
        if (kind == BROKEN) {
            count(&malformed);
            log_write(20 + value);
            continue;
        }
        if (!is_allowed(kind)) {
            count(&refused);
            continue;
        }
        if (kind == GET && !get(key))
            count(&missed);
        if (kind == PUT)
            put(key, value);
        if (kind == DELETE)
            erase(key);
        app_crunch((uint32_t)key, 200);
        count(&served);
    }
    pthread_mutex_lock(&stats_lock);
    stopped++;
    pthread_mutex_unlock(&stats_lock);
    return NULL;
}

static void *administrate(void *unused)
{
    (void)unused;
    app_crunch(1, 300);
    pthread_rwlock_wrlock(&config_lock);
    config.read_only = true;
    config.generation++;
    pthread_rwlock_unlock(&config_lock);
    log_write(30);
    app_crunch(2, 300);
    pthread_mutex_lock(&stats_lock);
    int sum = served + refused + malformed;
    pthread_mutex_unlock(&stats_lock);
    assert(sum <= REQUESTS);
    pthread_rwlock_wrlock(&config_lock);
    config.read_only = false;
    config.limit *= 2;
    config.generation++;
    pthread_rwlock_unlock(&config_lock);
    app_crunch(3, 300);
    pthread_mutex_lock(&table_lock);
    int used = 0;
    for (int i = 0; i < KEYS; i++)
        used += table[i].used;
    pthread_mutex_unlock(&table_lock);
    assert(used <= KEYS);
    log_write(31);
    return NULL;
}

int main(void)
{
    pthread_t thread[WORKERS + 2];
    app_start(&thread[0], accept_all, 0);
    app_start(&thread[1], administrate, 0);
    for (long i = 0; i < WORKERS; i++)
        app_start(&thread[2 + i], work, i);
    for (int i = 0; i < WORKERS + 2; i++)
        pthread_join(thread[i], NULL);
    assert(stopped == WORKERS && served + refused + malformed == REQUESTS && config.generation == 3);
    return 0;
}
