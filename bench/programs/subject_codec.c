// SPDX-License-Identifier: MIT
// subject_codec.c - a registry of names empties its cache before it changes a name: a search in between puts the old name into the cache, where
// it stays.
//
// Shape: XStream; stale cache, two variables, a longer run, each access under a lock.
// expect: assert
#include "subject.h"

enum { TYPES = 24, LENGTH = 8, CACHED = 4 };

static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;
static char name[TYPES][LENGTH];
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool valid;
    char name[LENGTH];
    int type;
} cache[CACHED];

static void text_set(char *to, const char *from)
{
    int i = 0;
    for (; i < LENGTH - 1 && from[i] != '\0'; i++)
        to[i] = from[i];
    to[i] = '\0';
}

static bool text_is(const char *a, const char *b)
{
    int i = 0;
    while (a[i] != '\0' && a[i] == b[i])
        i++;
    return a[i] == b[i];
}

static int search_names(const char *wanted)
{
    int type = 0;
    pthread_mutex_lock(&names_lock);
    while (type < TYPES && !text_is(name[type], wanted))
        type++;
    pthread_mutex_unlock(&names_lock);
    return type;
}

static int search_cache(const char *wanted)
{
    int type = TYPES;
    pthread_mutex_lock(&cache_lock);
    for (int i = 0; i < CACHED; i++)
        if (cache[i].valid && text_is(cache[i].name, wanted))
            type = cache[i].type;
    pthread_mutex_unlock(&cache_lock);
    return type;
}

static void add_to_cache(const char *wanted, int type)
{
    pthread_mutex_lock(&cache_lock);
    for (int i = 0; i < CACHED; i++)
        if (!cache[i].valid) {
            cache[i].valid = true;
            cache[i].type = type;
            text_set(cache[i].name, wanted);
            break;
        }
    pthread_mutex_unlock(&cache_lock);
}

static void empty_cache(void)
{
    pthread_mutex_lock(&cache_lock);
    for (int i = 0; i < CACHED; i++)
        cache[i].valid = false;
    pthread_mutex_unlock(&cache_lock);
}

static int codec_type_of(const char *wanted)
{
    call_begin();
    int type = search_cache(wanted);
    if (type == TYPES) {
        type = search_names(wanted);
        add_to_cache(wanted, type);
    }
    call_end();
    return type;
}

static void codec_alias(const char *alias, int type)
{
    call_begin();
    empty_cache();
    pthread_mutex_lock(&names_lock);
    text_set(name[type], alias);
    pthread_mutex_unlock(&names_lock);
    call_end();
}

static void *write_objects(void *unused)
{
    (void)unused;
    codec_type_of("type-c");
    codec_type_of("type-e");
    codec_type_of("type-n");
    codec_type_of("type-e");
    return NULL;
}

static void *configure(void *unused)
{
    (void)unused;
    codec_alias("point", 7);
    codec_type_of("point");
    codec_type_of("type-e");
    codec_alias("line", 4);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < TYPES; i++) {
        char text[] = {'t', 'y', 'p', 'e', '-', (char)('a' + i), '\0'};
        codec_alias(text, i);
    }
    subject_run(2, (subject_task[]){write_objects, configure});
    assert(codec_type_of("type-e") == TYPES);
    return 0;
}
