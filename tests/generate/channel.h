/* SPDX-License-Identifier: MIT */
/* channel.h - a queue whose readers wait for values. */
#ifndef CHANNEL_H
#define CHANNEL_H
#include <stdbool.h>
#include <stddef.h>
struct channel;
struct channel *channel_new(void);
void channel_free(struct channel *channel);
bool channel_put(struct channel *channel, int value);
int channel_take(struct channel *channel);
bool channel_try_take(struct channel *channel, int *value);
size_t channel_count(struct channel *channel);
#endif
