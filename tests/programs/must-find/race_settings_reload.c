// SPDX-License-Identifier: MIT
// race_settings_reload.c - settings are loaded again while a worker reads one of them without the lock: for a moment it is 0, and it divides.
//
// expect: signal
// find: race within 20
#include <pthread.h>
#include <stddef.h>

static struct {
    pthread_mutex_t lock;
    int width;
} settings = {PTHREAD_MUTEX_INITIALIZER, 80};

static pthread_mutex_t lines_lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;

static void count_line(void)
{
    pthread_mutex_lock(&lines_lock);
    lines++;
    pthread_mutex_unlock(&lines_lock);
}

static void *reload(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&settings.lock);
    settings.width = 0;
    count_line();
    settings.width = 132;
    pthread_mutex_unlock(&settings.lock);
    return NULL;
}

static void *print(void *unused)
{
    (void)unused;
    int columns = 0;
    for (int i = 0; i < 20; i++)
        count_line();
    columns = 1000 / settings.width;
    count_line();
    return columns > 0 ? NULL : unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, reload, NULL);
    pthread_create(&two, NULL, print, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
