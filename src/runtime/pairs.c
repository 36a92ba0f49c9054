/* SPDX-License-Identifier: MIT
 *
 * pairs.c - see pairs.h.
 *
 * DESIGN
 *   For an address the last write and the last read since are known, in a table of fixed size.  When it is full it is emptied: so it takes the same
 *   time however much memory the program uses, and pairs that are far apart are missed.  Which ones follows from the order of the operations
 *   alone, never from where the memory is: stacks and mapped blocks may be elsewhere when a process is used again.
 */
#include "runtime/pairs.h"

enum { PLACE_BITS = 11, PLACES = 1 << PLACE_BITS, PLACES_USED = PLACES / 2 };

struct place {
    uintptr_t address;
    uint32_t write, read; /* sites, by their distance from the runtime's code; 0 none */
    uint16_t writer, reader;
    uint32_t filled; /* how often the table was full when it was taken, and 1; another number: free */
};

static RT_RARE struct {
    uint32_t filled, used;
    struct place places[PLACES];
} table; /* zero when a run begins */

/* Finds the address, or takes a place for it. */
static struct place *place_of(uintptr_t address)
{
    uint32_t at = (uint32_t)(address * 0x9e3779b97f4a7c15ull >> (64 - PLACE_BITS));
    for (; table.places[at].filled == table.filled + 1; at = (at + 1) % PLACES)
        if (table.places[at].address == address)
            return &table.places[at];
    if (table.used == PLACES_USED) {
        table.used = 0;
        table.filled++;
        at = (uint32_t)(address * 0x9e3779b97f4a7c15ull >> (64 - PLACE_BITS));
    }
    table.used++;
    table.places[at] = (struct place){.address = address, .filled = table.filled + 1};
    return &table.places[at];
}

static void note(uint32_t first, uint32_t second)
{
    uint64_t bit = rt_mix((uint64_t)first << 32 | second) % WIRE_PAIRS;
    rt.wire->result.pairs[bit / 64] |= 1ull << bit % 64;
}

void pairs_executed(const struct task *self, const struct op *op)
{
    uint16_t task = (uint16_t)self->id;
    uint32_t site = (uint32_t)(op->pc - (uintptr_t)pairs_executed) | 1;
    if (op->address == 0)
        return;
    struct place *place = place_of(op->address);
    if (op_class(op->kind) == CLASS_READ) {
        if (place->write != 0 && place->writer != task)
            note(place->write, site);
        place->read = site;
        place->reader = task;
        return;
    }
    if (place->read != 0 ? place->reader != task : place->write != 0 && place->writer != task)
        note(place->read != 0 ? place->read : place->write, site);
    place->write = site;
    place->writer = task;
    place->read = 0;
}
