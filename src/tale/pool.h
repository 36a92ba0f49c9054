/* SPDX-License-Identifier: MIT
 *
 * pool.h - the texts of a tale: each kept once, so that equal texts are equal pointers.
 */
#ifndef RADDLE_TALE_POOL_H
#define RADDLE_TALE_POOL_H

#include <stddef.h>
#include <stdint.h>

struct tale_pool;

struct tale_pool *tale_pool_open(void);
void tale_pool_close(struct tale_pool *pool); /* NULL: nothing */

/* The text as it is kept, fit to be shown anywhere: what is no UTF-8 and what would steer a terminal is \xNN in it, a tab is a
   blank.  Lives as long as the pool.  NULL gives NULL. */
char *tale_pool_text(struct tale_pool *pool, const char *text);
char *tale_pool_format(struct tale_pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* All texts by number, in the order in which they came. */
size_t tale_pool_count(const struct tale_pool *pool);
char *tale_pool_at(const struct tale_pool *pool, size_t number);
size_t tale_pool_number(const struct tale_pool *pool, const char *text); /* of one that the pool gave out */

#endif
