// name_cache.c - a cache of names to numbers behind a read-write lock.
//
// kind: rwlock upgrade
// expect: assert
// wrong: cache_number() gives the read lock up and takes the write lock; it does not look again, so two threads add the same name
// where: cache_number cache_add
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ENTRIES 8

struct entry {
    char name[16];
    int number;
};

struct cache {
    pthread_rwlock_t lock;
    struct entry entries[ENTRIES];
    int used;
    int next_number;
};

static struct cache cache = {.lock = PTHREAD_RWLOCK_INITIALIZER, .next_number = 1};

static int cache_find(const char *name)
{
    for (int i = 0; i < cache.used; i++)
        if (!strcmp(cache.entries[i].name, name))
            return cache.entries[i].number;
    return 0;
}

static int cache_add(const char *name)
{
    struct entry *entry = &cache.entries[cache.used];
    strcpy(entry->name, name);
    entry->number = cache.next_number;
    cache.next_number++;
    cache.used++;
    return entry->number;
}

static int cache_number(const char *name)
{
    pthread_rwlock_rdlock(&cache.lock);
    int number = cache_find(name);
    pthread_rwlock_unlock(&cache.lock);
    if (number)
        return number;
    pthread_rwlock_wrlock(&cache.lock);
    number = cache_add(name);
    pthread_rwlock_unlock(&cache.lock);
    return number;
}

struct lookup {
    const char *names[2];
    int numbers[2];
};

static void *look_up(void *arg)
{
    struct lookup *lookup = arg;
    for (int i = 0; i < 2; i++)
        lookup->numbers[i] = cache_number(lookup->names[i]);
    return NULL;
}

int main(void)
{
    struct lookup one = {{"oak", "elm"}, {0, 0}};
    struct lookup two = {{"ash", "elm"}, {0, 0}};
    pthread_t a, b;
    pthread_create(&a, NULL, look_up, &one);
    pthread_create(&b, NULL, look_up, &two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(one.numbers[1] == two.numbers[1]);
    printf("%d names\n", cache.used);
    return 0;
}
