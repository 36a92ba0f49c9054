/* SPDX-License-Identifier: MIT
 *
 * table.h - a table from 64-bit keys to 64-bit values: open addressing, linear probing, grows at three quarters.
 */
#ifndef RADDLE_UTIL_TABLE_H
#define RADDLE_UTIL_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table_entry {
    uint64_t key, value;
    uint64_t used;
};

struct table { /* all zero is the empty table */
    struct table_entry *entries;
    size_t count, capacity;
};

/* The value of key, or NULL.  Valid until the next table_put. */
uint64_t *table_get(const struct table *table, uint64_t key);
/* The value of key; added with value 0 if there was none.  Valid until the next table_put. */
uint64_t *table_put(struct table *table, uint64_t key);
/* Removes all entries; keeps the memory. */
void table_clear(struct table *table);
void table_free(struct table *table);

#endif
