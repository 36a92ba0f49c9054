// SPDX-License-Identifier: MIT
// subject_logger.c - the filter of a logger is got twice, for the check and for the call; another thread takes it away for a moment while
// it replaces it.
//
// Shape: Logger (JDK 1.4); a pointer that is NULL for a short time only, each access under the lock.
// expect: signal
#include "subject.h"

typedef bool (*filter)(int level);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int least_level = 2, written, handlers = 1;

static bool accept_all(int level)
{
    return level >= 0;
}

static bool accept_warnings(int level)
{
    return level > 3;
}
static filter own_filter = accept_all;

static filter get_filter(void)
{
    pthread_mutex_lock(&lock);
    filter is = own_filter;
    pthread_mutex_unlock(&lock);
    return is;
}

static void set_filter(filter to)
{
    pthread_mutex_lock(&lock);
    own_filter = to;
    pthread_mutex_unlock(&lock);
}

static int get_level(void)
{
    pthread_mutex_lock(&lock);
    int level = least_level;
    pthread_mutex_unlock(&lock);
    return level;
}

static void publish(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < handlers; i++)
        written++;
    pthread_mutex_unlock(&lock);
}

static void logger_log(int level)
{
    call_begin();
    if (level >= get_level() && (get_filter() == NULL || get_filter()(level)))
        publish();
    call_end();
}

static void logger_replace_filter(filter to)
{
    call_begin();
    set_filter(NULL);
    pthread_mutex_lock(&lock);
    least_level++;
    pthread_mutex_unlock(&lock);
    set_filter(to);
    call_end();
}

static void logger_add_handler(void)
{
    call_begin();
    pthread_mutex_lock(&lock);
    handlers++;
    pthread_mutex_unlock(&lock);
    call_end();
}

static void *write_messages(void *unused)
{
    (void)unused;
    for (int level = 1; level <= 4; level++)
        logger_log(level);
    return NULL;
}

static void *configure(void *unused)
{
    (void)unused;
    logger_add_handler();
    logger_replace_filter(accept_warnings);
    return NULL;
}

int main(void)
{
    subject_run(2, (subject_task[]){write_messages, configure});
    return 0;
}
