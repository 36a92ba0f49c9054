// SPDX-License-Identifier: MIT
// subject_appenders.c - the list of appenders is set to NULL between the check and its use, and made again by the next one that is added.
//
// Shape: AppenderAttachableImpl (Log4j); list nulled between check and use, no lock where events are logged.
// expect: signal
#include "subject.h"

enum { ROOM = 8 };

struct list {
    int count, appender[ROOM];
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct list lists[2];
static int lists_made;
static struct list *volatile appenders; // each use reads it again
static int appended[ROOM];

static void appender_add(int appender)
{
    call_begin();
    pthread_mutex_lock(&lock);
    if (appenders == NULL)
        appenders = &lists[lists_made++];
    struct list *list = appenders;
    list->appender[list->count] = appender;
    list->count++;
    pthread_mutex_unlock(&lock);
    call_end();
}

static void appender_remove_all(void)
{
    call_begin();
    pthread_mutex_lock(&lock);
    if (appenders != NULL)
        appenders->count = 0;
    appenders = NULL;
    pthread_mutex_unlock(&lock);
    call_end();
}

static int append_to_all(void)
{
    int size = 0;
    call_begin();
    if (appenders != NULL) {
        size = appenders->count;
        for (int i = 0; i < size; i++) {
            int to = appenders->appender[i];
            appended[to]++;
        }
    }
    call_end();
    return size;
}

static void *log_events(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++)
        append_to_all();
    return NULL;
}

static void *configure(void *unused)
{
    (void)unused;
    for (int i = 2; i < 6; i++)
        appender_add(i);
    appender_remove_all();
    appender_add(7);
    return NULL;
}

int main(void)
{
    appender_add(1);
    subject_run(2, (subject_task[]){log_events, configure});
    return 0;
}
