/* SPDX-License-Identifier: MIT
 *
 * learned.c - see learned.h.
 */
#include "control/learned.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum { SITES_MOST = WIRE_SITES / 4 * 3 }; /* as many as the runtime puts into the table */

void learned_free(struct learned *learned)
{
    vector_free(&learned->sites);
    table_free(&learned->known);
    free(learned->modules);
    learned->modules = NULL;
}

/* ---- addresses ------------------------------------------------------------------------------------------------------ */

static struct wire_modules *modules_of(const struct server *server)
{
    struct wire_modules *modules = memory_allocate(1, sizeof *modules);
    wire_check_modules(server->wire, modules);
    return modules;
}

/* The same place in another process; 0: its module is not loaded there. */
static uint64_t translate(const struct wire_modules *from, const struct wire_modules *to, uint64_t pc)
{
    const struct wire_module *module = from->entries, *end = from->entries + from->count;
    while (module < end && (pc <= module->lo || pc > module->hi)) /* pcs are return addresses */
        module++;
    for (uint32_t i = 0; i < to->count && module < end; i++)
        if (strcmp(to->entries[i].path, module->path) == 0)
            return pc - module->base + to->entries[i].base;
    return 0;
}

/* ---- tables --------------------------------------------------------------------------------------------------------- */

static uint64_t count_in(const struct server *server)
{
    return __atomic_load_n(&server->wire->site_count, __ATOMIC_RELAXED);
}

/* False: it was there, or there is no room. */
static bool insert(struct wire *wire, uint64_t pc)
{
    uint32_t slot = wire_site_slot(pc);
    for (uint32_t looked = 0; looked < WIRE_SITES; looked++) {
        if (wire->sites[slot] == pc)
            return false;
        if (wire->sites[slot] == 0) {
            wire->sites[slot] = pc;
            return true;
        }
        slot = (slot + 1) & (WIRE_SITES - 1);
    }
    return false;
}

static void learn(struct learned *learned, uint64_t pc)
{
    if (pc == 0 || learned->sites.count >= SITES_MOST)
        return;
    uint64_t *known = table_put(&learned->known, pc);
    if (*known != 0)
        return;
    *known = 1;
    vector_push(&learned->sites, pc);
}

void learned_take(struct learned *learned, struct learned_part *part, const struct server *server)
{
    uint64_t count = count_in(server);
    if (count == part->count)
        return;
    part->count = count;
    struct wire_modules *modules = server->randomised ? modules_of(server) : NULL;
    if (modules != NULL && learned->modules == NULL)
        learned->modules = modules_of(server);
    for (uint32_t slot = 0; slot < WIRE_SITES; slot++) {
        uint64_t pc = __atomic_load_n(&server->wire->sites[slot], __ATOMIC_RELAXED);
        learn(learned, pc != 0 && modules != NULL ? translate(modules, learned->modules, pc) : pc);
    }
    free(modules);
}

void learned_give(struct learned *learned, struct learned_part *part, struct server *server)
{
    assert(part->given <= learned->sites.count);
    if (part->given == learned->sites.count)
        return;
    struct wire_modules *modules = learned->modules != NULL ? modules_of(server) : NULL;
    uint64_t added = 0;
    for (; part->given < learned->sites.count; part->given++) {
        uint64_t pc = learned->sites.data[part->given];
        if (modules != NULL)
            pc = translate(learned->modules, modules, pc);
        added += pc != 0 && insert(server->wire, pc);
    }
    free(modules);
    part->count = server->wire->site_count = count_in(server) + added;
    for (uint32_t slot = 0; slot < WIRE_CHECKPOINTS && added > 0; slot++)
        server_drop_holder(server, slot);
}
