/* SPDX-License-Identifier: MIT
 *
 * server_symbols.c - symbols of what is loaded in a server.
 *
 * DESIGN
 *   The servers of a campaign run the same program at the same addresses.  So symbols are shared: those that are open stand in a
 *   list, with the number of users, and debug information is read once for all of them.  The driver has one thread.
 */
#include "control/server_symbols.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

struct shared_symbols {
    struct wire_modules modules;
    struct symbols *symbols;
    struct atomic_sets *sets; /* NULL: not asked for yet */
    uint32_t users;
    struct shared_symbols *next;
};

static struct shared_symbols *all_open;

static bool are_same(const struct wire_modules *a, const struct wire_modules *b)
{
    return a->count == b->count && memcmp(a->entries, b->entries, a->count * sizeof a->entries[0]) == 0;
}

static struct shared_symbols *find_or_open(const struct wire_modules *modules)
{
    struct shared_symbols *shared = all_open;
    while (shared != NULL && !are_same(&shared->modules, modules))
        shared = shared->next;
    if (shared == NULL) {
        shared = memory_allocate(1, sizeof *shared);
        shared->modules = *modules;
        shared->symbols = symbols_open(modules->entries, modules->count);
        shared->next = all_open;
        all_open = shared;
    }
    shared->users++;
    return shared;
}

struct symbols *server_symbols_get(struct server_symbols *cache, const struct server *server)
{
    struct wire_modules *modules = memory_allocate(1, sizeof *modules);
    wire_check_modules(server->wire, modules);
    bool starting = modules->count == 0; /* again: its modules will be those that it had */
    if (cache->shared == NULL || (!starting && !are_same(&cache->shared->modules, modules))) {
        server_symbols_close(cache);
        cache->shared = find_or_open(modules);
        cache->symbols = cache->shared->symbols;
        cache->modules = *modules;
    }
    free(modules);
    return cache->symbols;
}

struct atomic_sets *server_symbols_sets(const struct server_symbols *cache, const struct assumptions *assumptions)
{
    struct shared_symbols *shared = cache->shared;
    assert(shared != NULL);
    if (shared->sets == NULL)
        shared->sets = atomic_sets_open(shared->symbols, assumptions);
    return shared->sets;
}

void server_symbols_close(struct server_symbols *cache)
{
    struct shared_symbols *shared = cache->shared, **link = &all_open;
    cache->shared = NULL;
    cache->symbols = NULL;
    if (shared == NULL)
        return;
    assert(shared->users > 0);
    if (--shared->users > 0)
        return;
    while (*link != shared)
        link = &(*link)->next;
    *link = shared->next;
    atomic_sets_close(shared->sets);
    symbols_close(shared->symbols);
    free(shared);
}
