/* SPDX-License-Identifier: MIT */
/* logger.c - handlers are called without the lock, from the array itself: adding one meanwhile moves the array. */
#include "logger.h"

#include <pthread.h>
#include <stdlib.h>

struct handler {
    logger_handler function;
    void *data;
};

struct logger {
    pthread_mutex_t lock;
    struct handler *handlers;
    size_t count;
};

logger_t *logger_create(void)
{
    logger_t *logger = calloc(1, sizeof *logger);
    if (logger != NULL)
        pthread_mutex_init(&logger->lock, NULL);
    return logger;
}

void logger_destroy(logger_t *logger)
{
    free(logger->handlers);
    free(logger);
}

/* With another number of handlers, in a new array. */
static int resize(logger_t *logger, size_t count)
{
    struct handler *handlers = malloc((count + 1) * sizeof *handlers);
    if (handlers == NULL)
        return -1;
    for (size_t i = 0; i < count && i < logger->count; i++)
        handlers[i] = logger->handlers[i];
    free(logger->handlers);
    logger->handlers = handlers;
    return 0;
}

int logger_add_handler(logger_t *logger, logger_handler handler, void *data)
{
    if (handler == NULL)
        return -1;
    pthread_mutex_lock(&logger->lock);
    int result = resize(logger, logger->count + 1);
    if (result == 0)
        logger->handlers[logger->count++] = (struct handler){handler, data};
    pthread_mutex_unlock(&logger->lock);
    return result;
}

int logger_remove_handler(logger_t *logger, void *data)
{
    int removed = 0;
    pthread_mutex_lock(&logger->lock);
    for (size_t i = 0; i < logger->count; i++)
        if (logger->handlers[i].data == data) {
            logger->handlers[i--] = logger->handlers[--logger->count];
            removed++;
        }
    pthread_mutex_unlock(&logger->lock);
    return removed;
}

size_t logger_log(logger_t *logger, const char *text)
{
    pthread_mutex_lock(&logger->lock);
    size_t count = logger->count;
    const struct handler *handlers = logger->handlers;
#ifndef CORRECT
    pthread_mutex_unlock(&logger->lock);
#endif
    for (size_t i = 0; i < count; i++)
        handlers[i].function(handlers[i].data, text);
#ifdef CORRECT
    pthread_mutex_unlock(&logger->lock);
#endif
    return count;
}
