// stats.c - a writer takes a read-write lock for reading.
// clang-format off
// expect: assert
// says: T2 (read|.*read) .*stats.(total|count) at (stats.c)?:33 .*before T1 (came to its write|wrote it) at :(24|25)
// rows: 24 33 50

/* Statistics: one writer, several readers; count and total belong together. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

struct stats {
    uint64_t count;
    uint64_t total;
};

static struct stats stats;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void record(uint64_t value)
{
    pthread_rwlock_rdlock(&lock);         /* wrong: should be wrlock */
    stats.count++;
    stats.total += value;
    pthread_rwlock_unlock(&lock);
}

static struct stats snapshot(void)
{
    struct stats s;
    pthread_rwlock_rdlock(&lock);
    s = stats;
    pthread_rwlock_unlock(&lock);
    return s;
}

static void *requests(void *unused)
{
    for (int i = 0; i < 3; i++)
        record(10);
    return unused;
}

static void *monitor(void *unused)
{
    for (int i = 0; i < 2; i++) {
        struct stats s = snapshot();
        if (s.count)
            assert(s.total / s.count == 10);
    }
    return unused;
}

int main(void)
{
    pthread_t r, m;
    pthread_create(&r, NULL, requests, NULL);
    pthread_create(&m, NULL, monitor, NULL);
    pthread_join(r, NULL);
    pthread_join(m, NULL);
    return 0;
}
