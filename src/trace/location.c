/* SPDX-License-Identifier: MIT
 *
 * location.c - see location.h.
 */
#include "trace/location.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum { PAGE_SHIFT = 12 };

struct location_page {
    uint64_t number;
    VECTOR(uint32_t) locations; /* by address */
};

void locations_init(struct locations *locations, struct location_owner owner)
{
    *locations = (struct locations){.owner = owner, .last_number = UINT64_MAX};
}

void locations_free(struct locations *locations)
{
    for (size_t i = 0; i < locations->pages.count; i++) {
        struct location_page *page = locations->pages.data[i];
        for (size_t k = 0; k < page->locations.count; k++)
            locations->owner.dropped(locations->owner.owner, page->locations.data[k]);
        vector_free(&page->locations);
        free(page);
    }
    vector_free(&locations->all);
    vector_free(&locations->spare);
    vector_free(&locations->pages);
    table_free(&locations->by_page);
}

static struct location_page *find_page(struct locations *locations, uint64_t number)
{
    if (locations->last_number == number)
        return locations->last;
    uint64_t *index = table_get(&locations->by_page, number);
    if (index == NULL)
        return NULL;
    locations->last_number = number;
    return locations->last = locations->pages.data[*index - 1];
}

static struct location_page *make_page(struct locations *locations, uint64_t number)
{
    struct location_page *page = find_page(locations, number);
    if (page != NULL)
        return page;
    page = memory_allocate(1, sizeof *page);
    page->number = number;
    vector_push(&locations->pages, page);
    *table_put(&locations->by_page, number) = locations->pages.count;
    return page;
}

/* Index of the first location in the page that ends after `address`. */
static size_t search(const struct locations *locations, const struct location_page *page, uint64_t address)
{
    size_t low = 0;
    size_t high = page->locations.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (locations->all.data[page->locations.data[middle]].hi <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t insert(struct locations *locations, struct location_page *page, size_t index, struct location location)
{
    assert(location.lo < location.hi && location.lo >> PAGE_SHIFT == page->number);
    assert((location.hi - 1) >> PAGE_SHIFT == page->number && index <= page->locations.count);
    uint32_t number = (uint32_t)locations->all.count;
    if (locations->spare.count > 0) {
        number = locations->spare.data[--locations->spare.count];
        locations->all.data[number] = location;
    } else {
        vector_push(&locations->all, location);
    }
    vector_reserve(&page->locations, page->locations.count + 1);
    uint32_t *place = page->locations.data + index;
    memmove(place + 1, place, (page->locations.count - index) * sizeof *place);
    *place = number;
    page->locations.count++;
    return number;
}

/* No location lies across `address` afterwards. */
static void split_at(struct locations *locations, struct location_page *page, uint64_t address)
{
    size_t index = search(locations, page, address);
    if (index == page->locations.count)
        return;
    uint32_t number = page->locations.data[index];
    struct location upper = locations->all.data[number];
    if (upper.lo >= address)
        return;
    assert(upper.lo < address && address < upper.hi);
    upper.lo = address;
    locations->all.data[number].hi = address;
    uint32_t made = insert(locations, page, index + 1, upper);
    locations->owner.split(locations->owner.owner, number, made);
}

/* The part of a range that lies in one page. */
static void touch_in_page(struct locations *locations, struct location_page *page, uint64_t lo, uint64_t hi, bool make,
                          location_list *found)
{
    assert(lo < hi && lo >> PAGE_SHIFT == page->number && (hi - 1) >> PAGE_SHIFT == page->number);
    size_t index = search(locations, page, lo);
    if (index < page->locations.count) {
        const struct location *first = &locations->all.data[page->locations.data[index]];
        if (first->lo == lo && first->hi == hi) { /* nearly always */
            vector_push(found, page->locations.data[index]);
            return;
        }
    }
    split_at(locations, page, lo);
    split_at(locations, page, hi);
    index = search(locations, page, lo);
    while (lo < hi) {
        uint64_t end = hi;
        if (index < page->locations.count) {
            const struct location *next = &locations->all.data[page->locations.data[index]];
            if (next->lo == lo) {
                vector_push(found, page->locations.data[index++]);
                lo = next->hi;
                continue;
            }
            assert(next->lo > lo); /* split_at left none across lo */
            end = next->lo < hi ? next->lo : hi;
        }
        if (make) {
            uint32_t number = insert(locations, page, index, (struct location){lo, end, locations->life});
            locations->owner.made(locations->owner.owner, number);
            vector_push(found, number);
            index++;
        }
        lo = end;
    }
}

static uint64_t page_end(uint64_t number, uint64_t hi)
{
    uint64_t end = (number + 1) << PAGE_SHIFT;
    return end < hi && end != 0 ? end : hi;
}

void locations_touch(struct locations *locations, uint64_t lo, uint64_t hi, location_list *found)
{
    vector_clear(found);
    while (lo < hi) {
        uint64_t number = lo >> PAGE_SHIFT;
        uint64_t end = page_end(number, hi);
        touch_in_page(locations, make_page(locations, number), lo, end, true, found);
        lo = end;
    }
}

/* Calls for each known page that the range touches; a range may be much larger than what is known of it. */
static void each_page(struct locations *locations, uint64_t lo, uint64_t hi,
                      void (*each)(struct locations *, struct location_page *, uint64_t lo, uint64_t hi, void *),
                      void *context)
{
    assert(lo < hi);
    uint64_t first = lo >> PAGE_SHIFT;
    uint64_t last = (hi - 1) >> PAGE_SHIFT;
    bool walk_known = last - first >= locations->pages.count;
    uint64_t steps = walk_known ? locations->pages.count : last - first + 1;
    for (uint64_t i = 0; i < steps; i++) {
        struct location_page *page = walk_known ? locations->pages.data[i] : find_page(locations, first + i);
        if (page == NULL || page->number < first || page->number > last)
            continue;
        uint64_t start = page->number << PAGE_SHIFT;
        each(locations, page, lo > start ? lo : start, page_end(page->number, hi), context);
    }
}

static void find_in_page(struct locations *locations, struct location_page *page, uint64_t lo, uint64_t hi,
                         void *context)
{
    touch_in_page(locations, page, lo, hi, false, context);
}

void locations_find(struct locations *locations, uint64_t lo, uint64_t hi, location_list *found)
{
    vector_clear(found);
    if (lo < hi)
        each_page(locations, lo, hi, find_in_page, found);
}

static void drop_in_page(struct locations *locations, struct location_page *page, uint64_t lo, uint64_t hi,
                         void *context)
{
    (void)context;
    split_at(locations, page, lo);
    split_at(locations, page, hi);
    size_t index = search(locations, page, lo);
    size_t end = index;
    while (end < page->locations.count && locations->all.data[page->locations.data[end]].lo < hi) {
        vector_push(&locations->spare, page->locations.data[end]);
        locations->owner.dropped(locations->owner.owner, page->locations.data[end]);
        end++;
    }
    assert(end >= index);
    uint32_t *place = page->locations.data + index;
    if (end > index)
        memmove(place, page->locations.data + end, (page->locations.count - end) * sizeof *place);
    page->locations.count -= end - index;
}

void locations_drop(struct locations *locations, uint64_t lo, uint64_t hi)
{
    if (lo >= hi)
        return;
    each_page(locations, lo, hi, drop_in_page, NULL);
    locations->life++;
}
