/* SPDX-License-Identifier: MIT */
/* logger.h - passes texts on to handlers. */
#ifndef LOGGER_H
#define LOGGER_H
#include <stddef.h>
typedef struct logger logger_t;
typedef void (*logger_handler)(void *data, const char *text);
logger_t *logger_create(void);
void logger_destroy(logger_t *logger);
int logger_add_handler(logger_t *logger, logger_handler handler, void *data);
int logger_remove_handler(logger_t *logger, void *data);
size_t logger_log(logger_t *logger, const char *text);
#endif
