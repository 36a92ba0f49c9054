/* SPDX-License-Identifier: MIT
 *
 * object_type.c - see object_type.h.
 *
 * DESIGN
 *   Debug information does not say what type an allocation has.  But the run shows which pointers contained the address of
 *   a block, and the static types of variables and their members are known.  A block gets the type that such a pointer
 *   points to if
 *     - all pointers to its beginning agree; pointers to void, characters and numbers do not count;
 *     - it has exactly the size of the type; or it comes from calloc with elements of this size (then pointers to numbers
 *       count, too);
 *     - each access to it is to one whole member or several;
 *     - no other block had its address before, which an old pointer could mean.
 *   What a block still has no type for gets that of the local pointers in scope where it was allocated and accessed: of all structures
 *   that they point to and that have its size there is only one, at all of these places that have any.
 *   Pointers in members of typed blocks give types to other blocks in turn.  If pointers to a block disagree, neither the
 *   block nor what it points to gets a type.
 */
#include "trace/object_type.h"

#include <assert.h>
#include <string.h>

#include "trace/events.h"
#include "trace/object.h"
#include "util/hash.h"
#include "util/table.h"

/* What is known about a block; it only changes from left to right. */
enum state { UNKNOWN, TYPED, DISPUTED };
struct typed_block {
    const struct structure *type;
    uint64_t size, elements;
    enum state state;
    bool reused, queued;
    uint32_t first;                /* first of its uses, + 1; 0: none */
    const struct structure *local; /* what local pointers say; NULL: nothing yet */
    bool ambiguous;                /* they say different things */
};

/* A word of a block that was read or written. */
struct use {
    uint32_t offset, size;
    uint32_t target; /* the word contained the address of the beginning of this block; 0: none */
    uint32_t next;   /* next use of the same block, + 1; 0: none */
};

struct type_search {
    struct symbols *symbols;
    VECTOR(struct typed_block) blocks; /* by number, from 1 at index 0 */
    VECTOR(struct use) uses;
    VECTOR(uint32_t) queue; /* numbers of blocks whose uses are to be looked at */
    struct table seen;      /* hash of what an event tells */
};

static void put_in_queue(struct type_search *search, uint32_t number)
{
    struct typed_block *block = &search->blocks.data[number - 1];
    if (!block->queued)
        vector_push(&search->queue, number);
    block->queued = true;
}

static void dispute(struct type_search *search, uint32_t number)
{
    struct typed_block *block = &search->blocks.data[number - 1];
    if (block->state == TYPED)
        put_in_queue(search, number); /* conclusions from it are withdrawn, too */
    block->state = DISPUTED;
}

/* Whether it is an array of these: only the program's word, in its call of calloc, tells one from something larger. */
static bool is_array_of(const struct typed_block *block, const struct structure *type)
{
    return block->elements > 1 && block->size % block->elements == 0 && block->size / block->elements == type->size;
}

/* A pointer to the beginning of the block points to this. */
static void conclude(struct type_search *search, uint32_t number, const struct structure *type)
{
    struct typed_block *block = &search->blocks.data[number - 1];
    bool array = is_array_of(block, type);
    if (block->state == DISPUTED || (type->scalar && !array)) /* a number may be the first member of anything */
        return;
    bool agrees = block->state == UNKNOWN || strcmp(block->type->signature, type->signature) == 0;
    if (!agrees || block->reused || (block->size != type->size && !array)) {
        dispute(search, number);
    } else if (block->state == UNKNOWN) {
        block->type = type;
        block->state = TYPED;
        put_in_queue(search, number);
    }
}

/* The block is known, or no longer: so is what its members point to. */
static void follow_uses(struct type_search *search, uint32_t number)
{
    struct typed_block block = search->blocks.data[number - 1];
    for (uint32_t i = block.first; i != 0; i = search->uses.data[i - 1].next) {
        const struct use *use = &search->uses.data[i - 1];
        struct variable member;
        symbols_member(search->symbols, block.type, use->offset % block.type->size, use->size, &member);
        if (member.partial)
            dispute(search, number);
        bool points = use->target != 0 && member.type == VALUE_POINTER && member.target != NULL;
        if (points && block.state == TYPED)
            conclude(search, use->target, member.target);
        else if (points)
            dispute(search, use->target);
    }
}

/* ---- events --------------------------------------------------------------------------------------------------------- */

static void see_block(struct type_search *search, const struct object_block *block)
{
    if (block->number == search->blocks.count + 1)
        vector_push(&search->blocks,
                    (struct typed_block){.size = block->size, .elements = block->elements, .reused = block->reused});
}

/* The code at `pc` allocates or accesses the block. */
static void see_code(struct type_search *search, uint32_t number, uint64_t pc)
{
    assert(search->blocks.data != NULL && number >= 1 && number <= search->blocks.count);
    struct typed_block *block = &search->blocks.data[number - 1];
    uint64_t size =
        block->elements > 1 && block->size % block->elements == 0 ? block->size / block->elements : block->size;
    uint64_t *seen = table_put(&search->seen, hash_combine(hash_combine(number, pc), UINT64_MAX));
    if (*seen != 0 || block->ambiguous)
        return;
    *seen = 1;
    const struct structure *local = symbols_pointed(search->symbols, pc, size);
    if (local == NULL)
        return;
    block->ambiguous = block->local != NULL && strcmp(block->local->signature, local->signature) != 0;
    block->local = local;
}

static void add_use(struct type_search *search, const struct object_block *holder, const struct wire_event *event,
                    uint32_t target)
{
    uint64_t offset = event->address - holder->start;
    if (offset > UINT32_MAX) /* no structure is that large */
        return;
    struct typed_block *block = &search->blocks.data[holder->number - 1];
    vector_push(&search->uses, (struct use){(uint32_t)offset, event->size, target, block->first});
    block->first = (uint32_t)search->uses.count;
}

/* What the word at the event's address tells about itself, and about the block to whose beginning it points; 0: to none. */
static void see_access(struct type_search *search, struct objects *objects, const struct wire_event *event,
                       uint32_t target)
{
    struct object_block holder;
    bool held = objects_block(objects, event->address, &holder);
    if (!held && target == 0)
        return;
    uint64_t word = hash_combine(objects_identity(objects, event->address), event->address & 7);
    uint64_t what =
        hash_combine(hash_combine((uint64_t)event->size << 32 | event->frame, target), held ? event->pc : 0);
    uint64_t *seen = table_put(&search->seen, hash_combine(word, what));
    if (*seen != 0)
        return;
    *seen = 1;
    if (held) {
        see_code(search, holder.number, event->pc);
        add_use(search, &holder, event, target);
        return;
    }
    struct variable variable;
    char ignored[OBJECT_NAME];
    objects_name(objects, event->address, event->size, ignored, &variable);
    if (variable.type == VALUE_POINTER && variable.target != NULL)
        conclude(search, target, variable.target);
}

static void see_event(struct type_search *search, struct objects *objects, const struct wire_event *event)
{
    struct object_block block;
    objects_event(objects, event);
    if (event->op == OP_ALLOC && objects_block(objects, event->address, &block)) {
        see_block(search, &block);
        see_code(search, block.number, event->pc);
    } else if (event_is_access(event) && event->size <= sizeof(uint64_t)) {
        bool points = (event->flags & EVENT_VALUE) && event->size == sizeof(uint64_t) &&
                      objects_block(objects, event->value, &block) && block.start == event->value;
        see_access(search, objects, event, points ? block.number : 0);
    }
}

static void follow_queue(struct type_search *search)
{
    while (search->queue.count > 0) {
        uint32_t number = search->queue.data[--search->queue.count];
        search->blocks.data[number - 1].queued = false;
        follow_uses(search, number);
    }
}

void object_types_find(struct object_types *types, struct symbols *symbols, const struct wire_result *result,
                       const struct wire_event *events, size_t count)
{
    struct type_search search = {.symbols = symbols};
    struct objects *objects = objects_open(symbols, result);
    for (size_t i = 0; i < count; i++)
        see_event(&search, objects, &events[i]);
    follow_queue(&search);
    for (uint32_t i = 0; i < search.blocks.count; i++) {
        const struct typed_block *block = &search.blocks.data[i];
        if (block->state == UNKNOWN && block->local != NULL && !block->ambiguous)
            conclude(&search, i + 1, block->local);
    }
    follow_queue(&search);
    for (size_t i = 0; i < search.blocks.count; i++)
        vector_push(&types->list, search.blocks.data[i].state == TYPED ? search.blocks.data[i].type : NULL);
    objects_close(objects);
    vector_free(&search.blocks);
    vector_free(&search.uses);
    vector_free(&search.queue);
    table_free(&search.seen);
}

void object_types_free(struct object_types *types)
{
    vector_free(&types->list);
}
