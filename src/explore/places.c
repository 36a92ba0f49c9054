/* SPDX-License-Identifier: MIT
 *
 * places.c - from pcs to sites and back; see places.h.
 */
#include "explore/places.h"

#include <string.h>

#include "pattern/access.h"
#include "trace/table.h"
#include "util/hash.h"
#include "util/memory.h"

enum { LAYOUTS = 8, NO_MODULE = UINT32_MAX };

struct place {
    uint64_t offset; /* relative to the module */
    uint32_t module; /* index into paths */
    uint32_t site;
    uint32_t next; /* other place of the site, index + 1; 0 none */
};

struct fresh {
    uint64_t pc;
    struct place place;
};

/* Which modules are loaded where. */
struct layout {
    uint64_t identity;  /* 0: not used */
    struct table sites; /* pc → site */
};

struct places {
    struct sites *sites;
    VECTOR(char *) paths; /* of modules */
    VECTOR(struct place) all;
    struct table index;       /* hash of module and offset → index into all + 1 */
    VECTOR(uint32_t) of_site; /* by site: its last place, index + 1; 0 none */
    struct layout layouts[LAYOUTS];
    unsigned oldest;
    VECTOR(struct fresh) fresh; /* met for the first time in this layout */
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

struct places *places_new(struct sites *sites)
{
    struct places *places = memory_allocate(1, sizeof *places);
    places->sites = sites;
    for (unsigned op = 0; op < WIRE_OP_COUNT; op++)
        places->accesses[op] = has_access(op);
    return places;
}

void places_free(struct places *places)
{
    if (places == NULL)
        return;
    for (size_t i = 0; i < places->paths.count; i++)
        free(places->paths.data[i]);
    for (unsigned i = 0; i < LAYOUTS; i++)
        table_free(&places->layouts[i].sites);
    vector_free(&places->paths);
    vector_free(&places->all);
    vector_free(&places->of_site);
    vector_free(&places->fresh);
    table_free(&places->index);
    free(places);
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

static struct layout *find_layout(struct places *places, const struct wire_modules *modules)
{
    uint64_t identity = layout_identity(modules);
    for (unsigned i = 0; i < LAYOUTS; i++)
        if (places->layouts[i].identity == identity)
            return &places->layouts[i];
    struct layout *layout = &places->layouts[places->oldest];
    places->oldest = (places->oldest + 1) % LAYOUTS;
    table_free(&layout->sites);
    layout->identity = identity;
    return layout;
}

/* ---- places ------------------------------------------------------------------------------------------------------- */

static const struct wire_module *module_of(const struct wire_modules *modules, uint64_t pc)
{
    for (uint32_t i = 0; i < modules->count; i++)
        if (pc > modules->entries[i].lo && pc <= modules->entries[i].hi) /* pcs are return addresses */
            return &modules->entries[i];
    return NULL;
}

static uint32_t path_number(struct places *places, const char *path)
{
    for (size_t i = 0; i < places->paths.count; i++)
        if (strcmp(places->paths.data[i], path) == 0)
            return (uint32_t)i;
    vector_push(&places->paths, memory_copy_string(path));
    return (uint32_t)places->paths.count - 1;
}

static struct place place_of(struct places *places, const struct wire_modules *modules, uint64_t pc)
{
    const struct wire_module *module = module_of(modules, pc);
    if (module == NULL)
        return (struct place){.offset = pc, .module = NO_MODULE};
    return (struct place){.offset = pc - module->base, .module = path_number(places, module->path)};
}

/* The entry of the place in the index; 0 in it if it is new.  Of places with the same hash the later ones get the next. */
static uint64_t *index_of(struct places *places, const struct place *place)
{
    uint64_t *entry;
    for (uint64_t hash = hash_combine(place->module, place->offset);; hash++) {
        entry = table_put(&places->index, hash);
        if (*entry == 0)
            return entry;
        const struct place *known = &places->all.data[*entry - 1];
        if (known->module == place->module && known->offset == place->offset)
            return entry;
    }
}

static void keep_place(struct places *places, struct place *place, uint64_t *entry)
{
    while (places->of_site.count <= place->site)
        vector_push(&places->of_site, 0);
    place->next = places->of_site.data[place->site];
    vector_push(&places->all, *place);
    *entry = places->of_site.data[place->site] = (uint32_t)places->all.count;
}

static uint32_t unknown_site(struct places *places)
{
    struct site_key key = {.by_offset = true, .ordinal = 1};
    return sites_add(places->sites, &key);
}

static uint32_t site_of(struct places *places, struct fresh *fresh, struct symbols *symbols)
{
    struct place *place = &fresh->place;
    if (place->module == NO_MODULE)
        return unknown_site(places);
    uint64_t *entry = index_of(places, place);
    if (*entry == 0) {
        uint64_t base = fresh->pc - place->offset;
        place->site = sites_add_symbol(places->sites, symbols_site(symbols, fresh->pc), fresh->pc, base);
        keep_place(places, place, entry);
    }
    return places->all.data[*entry - 1].site;
}

static int compare_fresh(const void *left, const void *right, void *context)
{
    const struct place *a = &((const struct fresh *)left)->place, *b = &((const struct fresh *)right)->place;
    const struct places *places = context;
    if (a->module == b->module)
        return (a->offset > b->offset) - (a->offset < b->offset);
    if (a->module == NO_MODULE || b->module == NO_MODULE)
        return a->module == NO_MODULE ? 1 : -1;
    return strcmp(places->paths.data[a->module], places->paths.data[b->module]);
}

/* Sites for the pcs that are new in the layout, in order. */
static void add_fresh(struct places *places, struct layout *layout, const struct wire_modules *modules,
                      struct symbols *symbols)
{
    for (size_t i = 0; i < places->fresh.count; i++)
        places->fresh.data[i].place = place_of(places, modules, places->fresh.data[i].pc);
    qsort_r(places->fresh.data, places->fresh.count, sizeof *places->fresh.data, compare_fresh, places);
    for (size_t i = 0; i < places->fresh.count; i++) {
        struct fresh *fresh = &places->fresh.data[i];
        *table_put(&layout->sites, fresh->pc) = site_of(places, fresh, symbols);
    }
    vector_clear(&places->fresh);
}

/* ---- interface ---------------------------------------------------------------------------------------------------- */

void places_find(struct places *places, const struct wire_modules *modules, struct symbols *symbols,
                 const struct wire_event *events, size_t count, site_list *found)
{
    struct layout *layout = find_layout(places, modules);
    vector_clear(found);
    vector_reserve(found, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t site = SITE_ANY;
        if (places->accesses[events[i].op]) {
            uint64_t *known = table_put(&layout->sites, events[i].pc);
            if (*known == 0) {
                vector_push(&places->fresh, (struct fresh){.pc = events[i].pc});
                *known = UINT32_MAX;
            }
            site = (uint32_t)*known;
        }
        found->data[found->count++] = site;
    }
    if (places->fresh.count == 0)
        return;
    add_fresh(places, layout, modules, symbols);
    for (size_t i = 0; i < count; i++)
        if (found->data[i] == UINT32_MAX)
            found->data[i] = (uint32_t)*table_get(&layout->sites, events[i].pc);
}

size_t places_pcs(const struct places *places, uint32_t site, const struct wire_modules *modules, uint64_t *pcs,
                  size_t most)
{
    size_t count = 0;
    uint32_t link = site < places->of_site.count ? places->of_site.data[site] : 0;
    for (; link != 0; link = places->all.data[link - 1].next) {
        const struct place *place = &places->all.data[link - 1];
        for (uint32_t i = 0; i < modules->count && count < most; i++)
            if (strcmp(modules->entries[i].path, places->paths.data[place->module]) == 0)
                pcs[count++] = modules->entries[i].base + place->offset;
    }
    return count;
}
