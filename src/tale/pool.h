/* SPDX-License-Identifier: MIT
 *
 * pool.h - the texts of a tale.  Each is stored once, so equal texts are equal pointers.
 */
#ifndef RADDLE_TALE_POOL_H
#define RADDLE_TALE_POOL_H

#include <stddef.h>
#include <stdint.h>

struct tale_pool;

struct tale_pool *tale_pool_open(void);
void tale_pool_close(struct tale_pool *pool); /* NULL: nothing */

/* The stored copy of the text, safe to print: bytes that are not UTF-8 or would control a terminal become \xNN, a tab
   becomes a blank.  Valid as long as the pool.  NULL gives NULL. */
char *tale_pool_text(struct tale_pool *pool, const char *text);
char *tale_pool_format(struct tale_pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* All texts by number, in the order in which they were added. */
size_t tale_pool_count(const struct tale_pool *pool);
char *tale_pool_at(const struct tale_pool *pool, size_t number);
size_t tale_pool_number(const struct tale_pool *pool, const char *text); /* of a text that tale_pool_text returned */

#endif
