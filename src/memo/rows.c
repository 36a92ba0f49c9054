/* SPDX-License-Identifier: MIT
 *
 * rows.c - a cache from texts to rows of the database.  It is valid for one transaction: outside one, another process
 * may prune rows.
 */
#include <stdlib.h>
#include <string.h>

#include "memo/memo_private.h"
#include "util/hash.h"

/* The table maps hashes to indices of the list.  If two texts have the same hash, the later one gets the next free key.
   */
int64_t memo_rows_get(const struct memo_rows *rows, const char *text)
{
    const uint64_t *place;
    for (uint64_t hash = hash_string(text); (place = table_get(&rows->index, hash)) != NULL; hash++)
        if (strcmp(rows->list.data[*place].text, text) == 0)
            return rows->list.data[*place].row;
    return 0;
}

void memo_rows_put(struct memo_rows *rows, const char *text, int64_t row)
{
    uint64_t hash = hash_string(text);
    while (table_get(&rows->index, hash) != NULL)
        hash++;
    *table_put(&rows->index, hash) = rows->list.count;
    vector_push(&rows->list, (struct memo_row){.text = memory_copy_string(text), .row = row});
}

void memo_rows_clear(struct memo_rows *rows)
{
    for (size_t i = 0; i < rows->list.count; i++)
        free(rows->list.data[i].text);
    vector_free(&rows->list);
    table_free(&rows->index);
    *rows = (struct memo_rows){0};
}
