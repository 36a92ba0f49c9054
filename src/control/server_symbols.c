/* SPDX-License-Identifier: MIT
 *
 * server_symbols.c - symbols of what is loaded in a server.
 */
#include "control/server_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

struct symbols *server_symbols_get(struct server_symbols *cache, const struct server *server)
{
    struct wire_modules *modules = memory_allocate(1, sizeof *modules);
    wire_check_modules(server->wire, modules);
    bool same = cache->symbols != NULL && modules->count == cache->modules.count &&
                memcmp(modules->entries, cache->modules.entries, modules->count * sizeof modules->entries[0]) == 0;
    if (!same) {
        server_symbols_close(cache);
        cache->modules = *modules;
        cache->symbols = symbols_open(modules->entries, modules->count);
    }
    free(modules);
    return cache->symbols;
}

void server_symbols_close(struct server_symbols *cache)
{
    if (cache->symbols != NULL)
        symbols_close(cache->symbols);
    cache->symbols = NULL;
}
