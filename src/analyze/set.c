/* SPDX-License-Identifier: MIT
 *
 * set.c - see set.h.
 */
#include "analyze/set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

void set_free(struct set *set)
{
    free(set->blocks);
    *set = (struct set){0};
}

void set_clear(struct set *set)
{
    set->count = 0;
}

static void reserve(struct set *set, uint32_t count)
{
    if (count <= set->capacity)
        return;
    uint32_t capacity = set->capacity < 2 ? 2 : set->capacity * 2;
    set->capacity = capacity < count ? count : capacity;
    set->blocks = memory_resize(set->blocks, set->capacity, sizeof *set->blocks);
}

/* Index of the first block that is not before `base`. */
static uint32_t find(const struct set *set, uint32_t base)
{
    uint32_t lo = 0, hi = set->count;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (set->blocks[middle].base < base)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

bool set_add(struct set *set, uint32_t number)
{
    uint32_t base = number / 64, at = find(set, base);
    uint64_t bit = (uint64_t)1 << number % 64;
    if (at < set->count && set->blocks[at].base == base) {
        bool added = !(set->blocks[at].bits & bit);
        set->blocks[at].bits |= bit;
        return added;
    }
    reserve(set, set->count + 1);
    memmove(set->blocks + at + 1, set->blocks + at, (set->count - at) * sizeof *set->blocks);
    set->blocks[at] = (struct set_block){base, bit};
    set->count++;
    return true;
}

bool set_has(const struct set *set, uint32_t number)
{
    uint32_t at = find(set, number / 64);
    return at < set->count && set->blocks[at].base == number / 64 && (set->blocks[at].bits >> number % 64 & 1);
}

/* How many blocks of `with` are not in `set`; *grows: also bits. */
static uint32_t count_missing(const struct set *set, const struct set *with, bool *grows)
{
    uint32_t missing = 0;
    for (uint32_t i = 0, j = 0; j < with->count; j++) {
        while (i < set->count && set->blocks[i].base < with->blocks[j].base)
            i++;
        if (i == set->count || set->blocks[i].base != with->blocks[j].base)
            missing++;
        else
            *grows |= (with->blocks[j].bits & ~set->blocks[i].bits) != 0;
    }
    *grows |= missing > 0;
    return missing;
}

bool set_unite(struct set *set, const struct set *with)
{
    bool grows = false;
    uint32_t missing = count_missing(set, with, &grows);
    if (!grows)
        return false;
    reserve(set, set->count + missing);
    /* From the end, so that nothing is overwritten before it is moved. */
    uint32_t i = set->count, j = with->count, to = set->count + missing;
    set->count = to;
    while (j > 0) {
        const struct set_block *block = &with->blocks[j - 1];
        if (i > 0 && set->blocks[i - 1].base > block->base) {
            set->blocks[--to] = set->blocks[--i];
        } else if (i > 0 && set->blocks[i - 1].base == block->base) {
            set->blocks[--to] = (struct set_block){block->base, set->blocks[i - 1].bits | block->bits};
            i--;
            j--;
        } else {
            set->blocks[--to] = *block;
            j--;
        }
    }
    assert(to == i);
    return true;
}

void set_subtract(struct set *into, const struct set *a, const struct set *b)
{
    set_clear(into);
    reserve(into, a->count);
    for (uint32_t i = 0, j = 0; i < a->count; i++) {
        while (j < b->count && b->blocks[j].base < a->blocks[i].base)
            j++;
        uint64_t bits = a->blocks[i].bits;
        if (j < b->count && b->blocks[j].base == a->blocks[i].base)
            bits &= ~b->blocks[j].bits;
        if (bits != 0)
            into->blocks[into->count++] = (struct set_block){a->blocks[i].base, bits};
    }
}

void set_intersect(struct set *set, const struct set *with)
{
    uint32_t kept = 0;
    for (uint32_t i = 0, j = 0; i < set->count; i++) {
        while (j < with->count && with->blocks[j].base < set->blocks[i].base)
            j++;
        if (j == with->count || with->blocks[j].base != set->blocks[i].base)
            continue;
        uint64_t bits = set->blocks[i].bits & with->blocks[j].bits;
        if (bits != 0)
            set->blocks[kept++] = (struct set_block){set->blocks[i].base, bits};
    }
    set->count = kept;
}

void set_copy(struct set *into, const struct set *from)
{
    reserve(into, from->count);
    if (from->count > 0)
        memcpy(into->blocks, from->blocks, from->count * sizeof *from->blocks);
    into->count = from->count;
}

bool set_meets(const struct set *a, const struct set *b)
{
    for (uint32_t i = 0, j = 0; i < a->count && j < b->count;) {
        if (a->blocks[i].base < b->blocks[j].base)
            i++;
        else if (a->blocks[i].base > b->blocks[j].base)
            j++;
        else if (a->blocks[i].bits & b->blocks[j].bits)
            return true;
        else
            i++, j++;
    }
    return false;
}

uint32_t set_size(const struct set *set)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < set->count; i++)
        size += (uint32_t)__builtin_popcountll(set->blocks[i].bits);
    return size;
}

bool set_next(struct set_walk *walk)
{
    if (!walk->begun) {
        walk->begun = true;
        walk->left = walk->set->count > 0 ? walk->set->blocks[0].bits : 0;
    }
    while (walk->left == 0) {
        if (walk->block + 1 >= walk->set->count)
            return false;
        walk->left = walk->set->blocks[++walk->block].bits;
    }
    walk->number = walk->set->blocks[walk->block].base * 64 + (uint32_t)__builtin_ctzll(walk->left);
    walk->left &= walk->left - 1;
    return true;
}
