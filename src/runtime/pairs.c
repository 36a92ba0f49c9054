/* SPDX-License-Identifier: MIT
 *
 * pairs.c - see pairs.h.
 *
 * DESIGN
 *   For an address the last write and the last read since are known, in a table without chains: an address replaces another one in
 *   its place.  So it takes the same time however much memory the program uses, and some pairs are missed, always the same ones.
 */
#include "runtime/pairs.h"

enum { PLACE_BITS = 10 };

struct place {
    uintptr_t address; /* 0: free */
    uint32_t write, read; /* sites, by their distance from the runtime's code; 0 none */
    uint16_t writer, reader;
};

static RT_RARE struct place places[1 << PLACE_BITS]; /* empty when a run begins */

static struct place *place_of(uintptr_t address)
{
    return &places[address * 0x9e3779b97f4a7c15ull >> (64 - PLACE_BITS)];
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
    struct place *place = place_of(op->address);
    if (op->address == 0)
        return;
    if (place->address != op->address)
        *place = (struct place){.address = op->address};
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
