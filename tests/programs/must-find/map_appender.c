// SPDX-License-Identifier: MIT
// map_appender.c - a list of appenders is set to NULL between the check and its use.
//
// Shape: the Log4j appender list of the MAP-coverage paper (figure 2).
//
// expect: signal
// find: random within 500
// find: maptest within 500
// find: pcr within 10
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct list {
    int size;
    int element[4];
};
static struct list *volatile appenders; /* each use reads it again */

static bool is_attached(int appender)
{
    if (appenders == NULL)
        return false;
    int size = appenders->size;
    for (int i = 0; i < size; i++)
        if (appenders->element[i] == appender)
            return true;
    return false;
}

static void *look(void *unused)
{
    (void)unused;
    is_attached(7);
    return NULL;
}

static void *remove_all(void *unused)
{
    (void)unused;
    if (appenders != NULL) {
        appenders->size = 0;
        appenders = NULL;
    }
    return NULL;
}

int main(void)
{
    static struct list first = {.size = 2, .element = {3, 7}};
    pthread_t thread[2];
    appenders = &first;
    pthread_create(&thread[0], NULL, look, NULL);
    pthread_create(&thread[1], NULL, remove_all, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
