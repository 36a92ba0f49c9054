/* SPDX-License-Identifier: MIT
 *
 * variables.c - see variables.h.
 */
#include "coverage/variables.h"

#include <assert.h>
#include <stdlib.h>

#include "trace/location.h"

/* ---- sets of sites ------------------------------------------------------------------------------------------------ */

static uint32_t find_root(const struct variables *variables, uint32_t site)
{
    while (variables->parent.data[site] != site)
        site = variables->parent.data[site];
    return site;
}

static void know_site(struct variables *variables, uint32_t site)
{
    while (variables->parent.count <= site) {
        uint32_t own = (uint32_t)variables->parent.count;
        vector_push(&variables->parent, own);
        vector_push(&variables->use, 0);
    }
}

/* The smaller number is the root: what is one variable does not depend on the order of the runs. */
static void unite(struct variables *variables, uint32_t site, uint32_t other)
{
    uint32_t a = find_root(variables, site), b = find_root(variables, other);
    uint32_t root = a < b ? a : b;
    variables->parent.data[a] = variables->parent.data[b] = root;
    variables->parent.data[site] = variables->parent.data[other] = root;
}

static uint64_t wide_key(uint32_t of, uint32_t site)
{
    return (uint64_t)of << 32 | site;
}

/* ---- one run ------------------------------------------------------------------------------------------------------ */

/* What a task does with a location from a site. */
struct location_use {
    uint32_t site;
    uint16_t task;
    uint8_t use; /* VARIABLE_* */
    bool wide;   /* along with other locations */
};

struct location_uses {
    VECTOR(struct location_use) all;
};

struct variable_reader {
    struct variables *variables;
    struct locations locations;
    VECTOR(struct location_uses) cells; /* by location */
    location_list touched;
};

static void cell_made(void *owner, uint32_t location)
{
    struct variable_reader *reader = owner;
    while (reader->cells.count <= location)
        vector_push(&reader->cells, ((struct location_uses){0}));
    vector_clear(&reader->cells.data[location].all);
}

static void cell_split(void *owner, uint32_t location, uint32_t upper)
{
    struct variable_reader *reader = owner;
    cell_made(reader, upper);
    const struct location_uses *from = &reader->cells.data[location];
    vector_append(&reader->cells.data[upper].all, from->all.data, from->all.count);
}

static bool is_shared(const struct location_uses *cell)
{
    bool tasks = false, written = false;
    for (size_t i = 0; i < cell->all.count; i++) {
        tasks |= cell->all.data[i].task != cell->all.data[0].task;
        written |= (cell->all.data[i].use & VARIABLE_WRITE) != 0;
    }
    return tasks && written;
}

/* One that accesses no other location at the same time, if there is one. */
static const struct location_use *representative(const struct location_uses *cell)
{
    for (size_t i = 0; i < cell->all.count; i++)
        if (!cell->all.data[i].wide)
            return &cell->all.data[i];
    return &cell->all.data[0];
}

/* The location is complete: what was done with it is known. */
static void cell_dropped(void *owner, uint32_t location)
{
    struct variable_reader *reader = owner;
    struct variables *variables = reader->variables;
    struct location_uses *cell = &reader->cells.data[location];
    const struct location_use *chosen = is_shared(cell) ? representative(cell) : NULL;
    for (size_t i = 0; chosen != NULL && i < cell->all.count; i++) {
        const struct location_use *use = &cell->all.data[i];
        if (use->wide && !chosen->wide) {
            *table_put(&variables->wide, wide_key(chosen->site, use->site)) |= use->use;
        } else {
            unite(variables, chosen->site, use->site);
            variables->use.data[use->site] |= use->use;
        }
    }
    vector_clear(&cell->all);
}

static void note_use(struct location_uses *cell, const struct location_use *use)
{
    for (size_t i = 0; i < cell->all.count; i++) {
        struct location_use *known = &cell->all.data[i];
        if (known->site == use->site && known->task == use->task) {
            known->use |= use->use;
            known->wide &= use->wide;
            return;
        }
    }
    vector_push(&cell->all, *use);
}

static uint8_t use_of(enum access_kind kind)
{
    return (uint8_t)((access_fits(ACCESS_READ, kind) ? VARIABLE_READ : 0) |
                     (access_fits(ACCESS_WRITE, kind) ? VARIABLE_WRITE : 0));
}

static void read_access(struct variable_reader *reader, const struct event *event, const struct access *access)
{
    know_site(reader->variables, event->site);
    if (access->kind == ACCESS_FREE) /* makes no location */
        locations_find(&reader->locations, access->lo, access->hi, &reader->touched);
    else
        locations_touch(&reader->locations, access->lo, access->hi, &reader->touched);
    struct location_use use = {.site = event->site,
                               .task = event->task,
                               .use = use_of((enum access_kind)access->kind),
                               .wide = reader->touched.count > 1 || access->kind == ACCESS_FREE};
    for (size_t i = 0; i < reader->touched.count; i++)
        note_use(&reader->cells.data[reader->touched.data[i]], &use);
    if (access->kind == ACCESS_FREE)
        locations_drop(&reader->locations, access->lo, access->hi);
}

static void read_event(void *context, const struct event *event, const struct access *accesses, unsigned count,
                       uint64_t mutex)
{
    struct variable_reader *reader = context;
    (void)mutex;
    if (event->op == OP_ALLOC)
        locations_drop(&reader->locations, event->address, event->address + event->size);
    for (unsigned i = 0; i < count; i++)
        if (accesses[i].space == SPACE_DATA)
            read_access(reader, event, &accesses[i]);
}

void variables_observe(struct variables *variables, const struct execution *execution)
{
    struct variable_reader reader = {.variables = variables};
    locations_init(&reader.locations, (struct location_owner){cell_made, cell_split, cell_dropped, &reader});
    execution_each(execution, read_event, &reader);
    locations_free(&reader.locations); /* drops what is left */
    for (size_t i = 0; i < reader.cells.count; i++)
        vector_free(&reader.cells.data[i].all);
    vector_free(&reader.cells);
    vector_free(&reader.touched);
}

void variables_free(struct variables *variables)
{
    vector_free(&variables->parent);
    vector_free(&variables->use);
    table_free(&variables->wide);
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

static bool is_single(const struct variables *variables, uint32_t site)
{
    return site < variables->use.count && variables->use.data[site] != 0;
}

bool variables_are_one(const struct variables *variables, uint32_t site, uint32_t other)
{
    return is_single(variables, site) && is_single(variables, other) &&
           find_root(variables, site) == find_root(variables, other);
}

/* A site of a variable once, however it accesses it. */
static void collect_uses(const struct variables *variables, struct table *uses)
{
    for (uint32_t site = 0; site < variables->use.count; site++)
        if (variables->use.data[site] != 0)
            *table_put(uses, wide_key(find_root(variables, site), site)) |= variables->use.data[site];
    for (size_t i = 0; i < variables->wide.capacity; i++) {
        const struct table_entry *entry = &variables->wide.entries[i];
        if (entry->used)
            *table_put(uses, wide_key(find_root(variables, (uint32_t)(entry->key >> 32)), (uint32_t)entry->key)) |=
                entry->value;
    }
}

void variables_list(const struct variables *variables, variable_list *list)
{
    struct table uses = {0}, places = {0}; /* root → its place in the list + 1 */
    vector_clear(list);
    collect_uses(variables, &uses);
    for (size_t i = 0; i < uses.capacity; i++) {
        const struct table_entry *entry = &uses.entries[i];
        if (!entry->used)
            continue;
        uint64_t *place = table_put(&places, entry->key >> 32);
        if (*place == 0) {
            vector_push(list, ((struct variable_sites){0}));
            *place = list->count;
        }
        struct variable_sites *sites = &list->data[*place - 1];
        sites->readers += (entry->value & VARIABLE_READ) != 0;
        sites->writers += (entry->value & VARIABLE_WRITE) != 0;
    }
    table_free(&uses);
    table_free(&places);
}

static int compare_uses(const void *left, const void *right)
{
    const struct variable_use *a = left, *b = right;
    if (a->variable != b->variable)
        return a->variable < b->variable ? -1 : 1;
    return (a->site > b->site) - (a->site < b->site);
}

void variables_uses(const struct variables *variables, variable_uses *uses)
{
    struct table all = {0};
    vector_clear(uses);
    collect_uses(variables, &all);
    for (size_t i = 0; i < all.capacity; i++) {
        const struct table_entry *entry = &all.entries[i];
        if (entry->used)
            vector_push(uses, ((struct variable_use){.variable = (uint32_t)(entry->key >> 32),
                                                     .site = (uint32_t)entry->key,
                                                     .use = (uint8_t)entry->value}));
    }
    if (uses->count > 0)
        qsort(uses->data, uses->count, sizeof *uses->data, compare_uses);
    table_free(&all);
}

/* The ways to choose sites for the steps on one variable of the shape. */
static double choices(const struct variable_sites *sites, const struct pattern *shape, unsigned variable)
{
    double product = 1;
    for (unsigned i = 0; i < shape->count; i++)
        if (shape->steps[i].variable == variable)
            product *= shape->steps[i].kind == ACCESS_READ ? sites->readers : sites->writers;
    return product;
}

double variables_estimate(const variable_list *list, const struct pattern *shape)
{
    double sum = 0, product = 0, both = 0;
    bool two = false;
    for (unsigned i = 0; i < shape->count; i++) {
        assert(shape->steps[i].kind == ACCESS_READ || shape->steps[i].kind == ACCESS_WRITE);
        two |= shape->steps[i].variable != 0;
    }
    for (size_t i = 0; i < list->count; i++) {
        double x = choices(&list->data[i], shape, 0), y = two ? choices(&list->data[i], shape, 1) : 0;
        sum += x;
        product += y;
        both += x * y;
    }
    /* In each of the 17 patterns x and y have the same steps, so {x,y} is the half of all (x,y). */
    return two ? (sum * product - both) / 2 : sum;
}
