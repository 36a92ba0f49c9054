/* SPDX-License-Identifier: MIT
 *
 * site_map.c - from pcs to sites and back; see site_map.h.
 */
#include "coverage/site_map.h"

#include <assert.h>

#include <string.h>

#include "trace/access.h"
#include "util/hash.h"
#include "util/memory.h"
#include "util/table.h"

enum { LAYOUTS = 64 /* as many servers may have addresses of their own */, NO_MODULE = UINT32_MAX };

struct code_place {
    uint64_t offset; /* relative to the module */
    uint32_t module; /* index into paths */
    uint32_t site;
    uint32_t next; /* other place of the site, index + 1; 0 none */
};

struct fresh_pc {
    uint64_t pc;
    struct code_place place;
};

/* Which modules are loaded where. */
struct layout {
    uint64_t identity;  /* 0: not used */
    struct table sites; /* pc → site */
};

struct site_map {
    struct sites *sites;
    VECTOR(char *) paths; /* of modules */
    VECTOR(struct code_place) all;
    struct table index;       /* hash of module and offset → index into all + 1 */
    VECTOR(uint32_t) of_site; /* by site: its last place, index + 1; 0 none */
    struct layout layouts[LAYOUTS];
    unsigned oldest;
    VECTOR(struct fresh_pc) fresh; /* met for the first time in this layout */
    bool accesses[WIRE_OP_COUNT];
};

/* Whether events of this kind ever access something. */
static bool has_access(unsigned op)
{
    struct access accesses[EVENT_ACCESSES];
    bool waits = op == OP_COND_WAIT || op == OP_COND_WAKE;
    struct event event = {.op = (uint8_t)op, .address = 1, .size = 1};
    unsigned count = event_accesses(&event, waits ? 1 : 0, accesses);
    event.flags = EVENT_FAILED;
    return count + event_accesses(&event, 0, accesses) > 0;
}

struct site_map *site_map_new(struct sites *sites)
{
    struct site_map *site_map = memory_allocate(1, sizeof *site_map);
    site_map->sites = sites;
    for (unsigned op = 0; op < WIRE_OP_COUNT; op++)
        site_map->accesses[op] = has_access(op);
    return site_map;
}

void site_map_free(struct site_map *site_map)
{
    if (site_map == NULL)
        return;
    for (size_t i = 0; i < site_map->paths.count; i++)
        free(site_map->paths.data[i]);
    for (unsigned i = 0; i < LAYOUTS; i++)
        table_free(&site_map->layouts[i].sites);
    vector_free(&site_map->paths);
    vector_free(&site_map->all);
    vector_free(&site_map->of_site);
    vector_free(&site_map->fresh);
    table_free(&site_map->index);
    free(site_map);
}

/* ---- layouts ------------------------------------------------------------------------------------------------------ */

static uint64_t layout_identity(const struct wire_modules *modules)
{
    uint64_t hash = modules->count;
    for (uint32_t i = 0; i < modules->count; i++) {
        const struct wire_module *module = &modules->entries[i];
        hash = hash_combine(hash_combine(hash, module->base), module->lo);
        hash = hash_bytes(module->path, strlen(module->path), hash_combine(hash, module->hi));
    }
    return hash != 0 ? hash : 1;
}

static struct layout *find_layout(struct site_map *site_map, const struct wire_modules *modules)
{
    uint64_t identity = layout_identity(modules);
    for (unsigned i = 0; i < LAYOUTS; i++)
        if (site_map->layouts[i].identity == identity)
            return &site_map->layouts[i];
    struct layout *layout = &site_map->layouts[site_map->oldest];
    site_map->oldest = (site_map->oldest + 1) % LAYOUTS;
    table_free(&layout->sites);
    layout->identity = identity;
    return layout;
}

/* ---- site_map ------------------------------------------------------------------------------------------------------- */

static const struct wire_module *module_of(const struct wire_modules *modules, uint64_t pc)
{
    for (uint32_t i = 0; i < modules->count; i++)
        if (pc > modules->entries[i].lo && pc <= modules->entries[i].hi) /* pcs are return addresses */
            return &modules->entries[i];
    return NULL;
}

static uint32_t path_number(struct site_map *site_map, const char *path)
{
    for (size_t i = 0; i < site_map->paths.count; i++)
        if (strcmp(site_map->paths.data[i], path) == 0)
            return (uint32_t)i;
    vector_push(&site_map->paths, memory_copy_string(path));
    return (uint32_t)site_map->paths.count - 1;
}

static struct code_place place_of(struct site_map *site_map, const struct wire_modules *modules, uint64_t pc)
{
    const struct wire_module *module = module_of(modules, pc);
    if (module == NULL)
        return (struct code_place){.offset = pc, .module = NO_MODULE};
    return (struct code_place){.offset = pc - module->base, .module = path_number(site_map, module->path)};
}

/* The entry of the place in the index; 0 in it if it is new.  Of site_map with the same hash the later ones get the next. */
static uint64_t *index_of(struct site_map *site_map, const struct code_place *place)
{
    uint64_t *entry;
    for (uint64_t hash = hash_combine(place->module, place->offset);; hash++) {
        entry = table_put(&site_map->index, hash);
        if (*entry == 0)
            return entry;
        const struct code_place *known = &site_map->all.data[*entry - 1];
        if (known->module == place->module && known->offset == place->offset)
            return entry;
    }
}

static void keep_place(struct site_map *site_map, struct code_place *place, uint64_t *entry)
{
    assert(place->site != SITE_ANY && *entry == 0);
    while (site_map->of_site.count <= place->site)
        vector_push(&site_map->of_site, 0);
    place->next = site_map->of_site.data[place->site];
    vector_push(&site_map->all, *place);
    *entry = site_map->of_site.data[place->site] = (uint32_t)site_map->all.count;
}

static uint32_t unknown_site(struct site_map *site_map)
{
    struct site_key key = {.by_offset = true, .ordinal = 1};
    return sites_add(site_map->sites, &key);
}

static uint32_t site_of(struct site_map *site_map, struct fresh_pc *fresh, struct symbols *symbols)
{
    struct code_place *place = &fresh->place;
    if (place->module == NO_MODULE)
        return unknown_site(site_map);
    uint64_t *entry = index_of(site_map, place);
    if (*entry == 0) {
        uint64_t base = fresh->pc - place->offset;
        place->site = sites_add_symbol(site_map->sites, symbols_site(symbols, fresh->pc), fresh->pc, base);
        keep_place(site_map, place, entry);
    }
    return site_map->all.data[*entry - 1].site;
}

static int compare_fresh(const void *left, const void *right, void *context)
{
    const struct code_place *a = &((const struct fresh_pc *)left)->place, *b = &((const struct fresh_pc *)right)->place;
    const struct site_map *site_map = context;
    if (a->module == b->module)
        return (a->offset > b->offset) - (a->offset < b->offset);
    if (a->module == NO_MODULE || b->module == NO_MODULE)
        return a->module == NO_MODULE ? 1 : -1;
    return strcmp(site_map->paths.data[a->module], site_map->paths.data[b->module]);
}

/* Sites for the pcs that are new in the layout, in order. */
static void add_fresh(struct site_map *site_map, struct layout *layout, const struct wire_modules *modules,
                      struct symbols *symbols)
{
    for (size_t i = 0; i < site_map->fresh.count; i++)
        site_map->fresh.data[i].place = place_of(site_map, modules, site_map->fresh.data[i].pc);
    qsort_r(site_map->fresh.data, site_map->fresh.count, sizeof *site_map->fresh.data, compare_fresh, site_map);
    for (size_t i = 0; i < site_map->fresh.count; i++) {
        struct fresh_pc *fresh = &site_map->fresh.data[i];
        *table_put(&layout->sites, fresh->pc) = site_of(site_map, fresh, symbols);
    }
    vector_clear(&site_map->fresh);
}

/* ---- interface ---------------------------------------------------------------------------------------------------- */

void site_map_find(struct site_map *site_map, const struct wire_modules *modules, struct symbols *symbols,
                   struct event *events, size_t count)
{
    struct layout *layout = find_layout(site_map, modules);
    for (size_t i = 0; i < count; i++) {
        uint32_t site = SITE_ANY;
        assert(events[i].op < WIRE_OP_COUNT);
        if (site_map->accesses[events[i].op]) {
            uint64_t *known = table_put(&layout->sites, events[i].pc);
            if (*known == 0) {
                vector_push(&site_map->fresh, (struct fresh_pc){.pc = events[i].pc});
                *known = UINT32_MAX;
            }
            site = (uint32_t)*known;
        }
        events[i].site = site;
    }
    if (site_map->fresh.count == 0)
        return;
    add_fresh(site_map, layout, modules, symbols);
    for (size_t i = 0; i < count; i++)
        if (events[i].site == UINT32_MAX)
            events[i].site = (uint32_t)*table_get(&layout->sites, events[i].pc);
}

size_t site_map_pcs(const struct site_map *site_map, uint32_t site, const struct wire_modules *modules, uint64_t *pcs,
                    size_t most)
{
    size_t count = 0;
    uint32_t link = site < site_map->of_site.count ? site_map->of_site.data[site] : 0;
    for (; link != 0; link = site_map->all.data[link - 1].next) {
        const struct code_place *place = &site_map->all.data[link - 1];
        for (uint32_t i = 0; i < modules->count && count < most; i++)
            if (strcmp(modules->entries[i].path, site_map->paths.data[place->module]) == 0)
                pcs[count++] = modules->entries[i].base + place->offset;
    }
    return count;
}
