/* SPDX-License-Identifier: MIT
 *
 * table.c - see table.h.
 */
#include "util/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/memory.h"

/* The slot of key, or the free slot where it belongs. */
static struct table_entry *find_slot(struct table_entry *entries, size_t capacity, uint64_t key)
{
    assert(entries != NULL);
    assert(capacity > 0 && (capacity & (capacity - 1)) == 0);
    size_t slot = (size_t)hash_mix(key) & (capacity - 1);
    while (entries[slot].used && entries[slot].key != key)
        slot = (slot + 1) & (capacity - 1);
    return &entries[slot];
}

static void grow(struct table *table)
{
    size_t capacity = table->capacity ? table->capacity * 2 : 64;
    struct table_entry *entries = memory_allocate(capacity, sizeof *entries);
    for (size_t i = 0; i < table->capacity; i++)
        if (table->entries[i].used)
            *find_slot(entries, capacity, table->entries[i].key) = table->entries[i];
    free(table->entries);
    table->entries = entries;
    assert(table->count < capacity);
    table->capacity = capacity;
}

uint64_t *table_get(const struct table *table, uint64_t key)
{
    assert(table->count <= table->capacity);
    if (table->capacity == 0)
        return NULL;
    struct table_entry *entry = find_slot(table->entries, table->capacity, key);
    return entry->used ? &entry->value : NULL;
}

uint64_t *table_put(struct table *table, uint64_t key)
{
    assert(table->count <= table->capacity);
    if (table->count >= table->capacity / 4 * 3)
        grow(table);
    struct table_entry *entry = find_slot(table->entries, table->capacity, key);
    if (!entry->used) {
        assert(table->count < table->capacity);
        *entry = (struct table_entry){.key = key, .used = 1};
        table->count++;
    }
    return &entry->value;
}

void table_clear(struct table *table)
{
    assert(table->count == 0 || table->entries != NULL);
    if (table->count > 0)
        memset(table->entries, 0, table->capacity * sizeof *table->entries);
    table->count = 0;
}

void table_free(struct table *table)
{
    free(table->entries);
    *table = (struct table){0};
}
