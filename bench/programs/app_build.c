// SPDX-License-Identifier: MIT
// app_build.c - correct: a parallel build: targets wait for others, results come from a cache if they are there, one target fails and
// those that need it are skipped, progress is shown by a thread of its own, and a summary is made at the end.
#include "app.h"

enum { TARGETS = 9, BUILDERS = 3, CACHED = 4, NONE = -1 };
enum state { WAITING, READY, BUILDING, BUILT, FAILED, SKIPPED };

static const int needs[TARGETS][2] = {{NONE, NONE}, {NONE, NONE}, {0, NONE}, {0, 1}, {1, NONE},
                                      {2, 3},       {4, NONE},    {5, 6},    {3, 4}};

static pthread_mutex_t graph_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static enum state state[TARGETS];
static int left = TARGETS, building;

static pthread_rwlock_t cache_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct {
    int target, result;
} cache[CACHED] = {{1, 11}, {4, 14}};
static int cache_count = 2, cache_full;

static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;
static int built, failed, skipped, hits, lines, last_line;

static bool is_over(enum state what)
{
    return what == BUILT || what == FAILED || what == SKIPPED;
}

/* With the lock held: a target whose needs are met; targets whose needs have failed are skipped on the way. */
static int choose_target(void)
{
    for (int i = 0; i < TARGETS; i++) {
        if (state[i] != WAITING)
            continue;
        bool ready = true, hopeless = false;
        for (int k = 0; k < 2; k++) {
            if (needs[i][k] == NONE)
                continue;
            enum state of = state[needs[i][k]];
            ready &= of == BUILT;
            hopeless |= of == FAILED || of == SKIPPED;
        }
        if (hopeless) {
            state[i] = SKIPPED;
            left--;
            pthread_cond_broadcast(&changed);
            continue;
        }
        if (ready)
            return i;
    }
    return NONE;
}

static int take_target(void)
{
    int target = NONE;
    pthread_mutex_lock(&graph_lock);
    while (left > 0 && (target = choose_target()) == NONE && left > 0)
        pthread_cond_wait(&changed, &graph_lock);
    if (target != NONE) {
        state[target] = BUILDING;
        building++;
    }
    pthread_mutex_unlock(&graph_lock);
    return target;
}

static void finish_target(int target, bool good)
{
    pthread_mutex_lock(&graph_lock);
    state[target] = good ? BUILT : FAILED;
    building--;
    left--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&graph_lock);
}

static int cached_result(int target)
{
    int result = NONE;
    pthread_rwlock_rdlock(&cache_lock);
    for (int i = 0; i < cache_count; i++)
        if (cache[i].target == target)
            result = cache[i].result;
    pthread_rwlock_unlock(&cache_lock);
    return result;
}

static void cache_result(int target, int result)
{
    pthread_rwlock_wrlock(&cache_lock);
    if (cache_count < CACHED) {
        cache[cache_count].target = target;
        cache[cache_count].result = result;
        cache_count++;
    } else {
        cache_full++;
    }
    pthread_rwlock_unlock(&cache_lock);
}

static void say(int line)
{
    pthread_mutex_lock(&report_lock);
    lines++;
    last_line = line;
    pthread_mutex_unlock(&report_lock);
}

static void *build(void *argument)
{
    int target;
    say(100 + (int)(long)argument);
    while ((target = take_target()) != NONE) {
        app_crunch((uint32_t)target, 100);
        int result = cached_result(target);
        bool hit = result != NONE, good = target != 6;
        if (!hit && good) {
            app_crunch((uint32_t)target, 350);
            cache_result(target, target + 10);
        }
        pthread_mutex_lock(&report_lock);
        hits += hit;
        if (good)
            built++;
        else
            failed++;
        pthread_mutex_unlock(&report_lock);
        if (!good)
            say(target);
        finish_target(target, good);
    }
    return NULL;
}

static void *show_progress(void *unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++) {
        app_crunch((uint32_t)i, 300);
        pthread_mutex_lock(&graph_lock);
        int over = 0, now = building;
        for (int k = 0; k < TARGETS; k++)
            over += is_over(state[k]);
        pthread_mutex_unlock(&graph_lock);
        assert(over + now <= TARGETS);
        pthread_mutex_lock(&report_lock);
        lines++;
        assert(built + failed <= TARGETS);
        pthread_mutex_unlock(&report_lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t builder[BUILDERS], progress;
    app_start(&progress, show_progress, 0);
    for (long i = 0; i < BUILDERS; i++)
        app_start(&builder[i], build, i);
    for (int i = 0; i < BUILDERS; i++)
        pthread_join(builder[i], NULL);
    pthread_join(progress, NULL);
    for (int i = 0; i < TARGETS; i++)
        skipped += state[i] == SKIPPED;
    assert(left == 0 && building == 0 && built == 7 && failed == 1 && skipped == 1 && hits == 2);
    return 0;
}
