/* SPDX-License-Identifier: MIT */
/* pool.h - a few objects that are lent and given back, by number. */
#ifndef POOL_H
#define POOL_H
#include <stdbool.h>
struct pool;
int pool_create(struct pool **pool, unsigned size);
void pool_destroy(struct pool *pool);
int pool_acquire(struct pool *pool);
bool pool_release(struct pool *pool, unsigned number);
unsigned pool_available(struct pool *pool);
#endif
