/* SPDX-License-Identifier: MIT
 *
 * layout.c - see layout.h.
 */
#include "analyze/layout.h"

#include <assert.h>

enum { DEPTH = 8 };

/* An array that an offset lies in: from `lo`, `count` elements. */
struct region {
    uint64_t lo, element, count;
};

struct regions {
    struct region all[DEPTH]; /* outermost first */
    unsigned count;
};

static uint32_t member_at(const struct ir_program *program, const struct ir_type *type, uint64_t offset)
{
    const struct ir_member *members = program->members.data + type->first;
    uint32_t lo = 0, hi = type->members;
    while (hi - lo > 1) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (members[middle].offset <= offset)
            lo = middle;
        else
            hi = middle;
    }
    /* Members without size are at the offset of the one after them. */
    return lo;
}

/* Descends into the type; the canonical offset, and the arrays on the way. */
static uint64_t descend(const struct ir_program *program, uint32_t number, uint64_t offset, struct regions *regions)
{
    uint64_t base = 0;
    while (number != IR_NONE) {
        const struct ir_type *type = &program->types.data[number];
        if (type->kind == TYPE_PLAIN || offset >= type->size)
            break;
        if (type->kind == TYPE_STRUCT) {
            if (type->members == 0)
                break;
            const struct ir_member *member = &program->members.data[type->first + member_at(program, type, offset)];
            base += member->offset;
            offset -= member->offset;
            number = member->type;
            continue;
        }
        uint64_t element = type->count > 0 ? type->size / type->count : 0;
        if (element == 0)
            break;
        if (regions->count < DEPTH)
            regions->all[regions->count++] = (struct region){base, element, type->count};
        offset %= element;
        number = type->element;
    }
    return base + offset;
}

static const struct ir_type *type_of(const struct ir_program *program, const struct ir_object *object)
{
    const struct ir_type *type = object->type != IR_NONE ? &program->types.data[object->type] : NULL;
    return type != NULL && type->size > 0 && type->size != IR_UNKNOWN ? type : NULL;
}

static bool repeats(const struct ir_object *object)
{
    return object->kind == OBJECT_HEAP || object->size == IR_UNKNOWN;
}

static bool is_one_place(const struct ir_object *object)
{
    return object->kind == OBJECT_FUNCTION || object->kind == OBJECT_OUTSIDE;
}

static uint64_t canonical(const struct ir_program *program, const struct ir_object *object, int64_t offset,
                          struct regions *regions)
{
    regions->count = 0;
    const struct ir_type *type = type_of(program, object);
    if (is_one_place(object))
        return 0;
    if (type == NULL)
        return offset < 0 || offset >= LAYOUT_UNTYPED ? IR_UNKNOWN : (uint64_t)offset;
    int64_t size = (int64_t)type->size;
    if (repeats(object)) {
        regions->all[regions->count++] = (struct region){0, type->size, LAYOUT_MOST};
        offset = (offset % size + size) % size;
    }
    if (offset < 0 || offset > size)
        return IR_UNKNOWN;
    if (offset == size) /* just after its end: a loop may begin there, and go down */
        return (uint64_t)offset;
    return descend(program, object->type, (uint64_t)offset, regions);
}

uint64_t layout_canonical(const struct ir_program *program, const struct ir_object *object, int64_t offset)
{
    struct regions regions;
    return canonical(program, object, offset, &regions);
}

bool layout_is_in_array(const struct ir_program *program, const struct ir_object *object, uint64_t offset)
{
    struct regions regions;
    canonical(program, object, (int64_t)offset, &regions);
    for (unsigned i = 0; i < regions.count; i++)
        if (regions.all[i].count > 1)
            return true;
    return false;
}

static void add(struct layout_steps *steps, uint64_t offset)
{
    if (offset == IR_UNKNOWN)
        return;
    for (unsigned i = 0; i < steps->count; i++)
        if (steps->offsets[i] == offset)
            return;
    if (steps->count < LAYOUT_MOST)
        steps->offsets[steps->count++] = offset;
    else
        steps->collapse = true;
}

/* By a constant.  From elements near the ends of an array the step may leave it. */
static void step_bytes(const struct ir_program *program, const struct ir_object *object, uint64_t offset, int64_t bytes,
                       struct layout_steps *steps)
{
    struct regions regions, unused;
    canonical(program, object, (int64_t)offset, &regions);
    add(steps, canonical(program, object, (int64_t)offset + bytes, &unused));
    if (bytes == 0)
        return;
    for (unsigned i = 0; i < regions.count; i++) {
        const struct region *region = &regions.all[i];
        for (uint64_t j = 1; j < region->count && j <= LAYOUT_MOST; j++) {
            uint64_t element = bytes > 0 ? region->count - j : j;
            int64_t to = (int64_t)(offset + element * region->element) + bytes;
            bool leaves = to < (int64_t)region->lo || to >= (int64_t)(region->lo + region->count * region->element);
            add(steps, canonical(program, object, to, &unused));
            if (!leaves)
                break;
        }
    }
}

/* By any number of `stride` bytes from the offset: into `steps`, or the object has to be collapsed. */
static void step_any(const struct ir_program *program, const struct ir_object *object, uint64_t offset, uint64_t stride,
                     struct layout_steps *steps)
{
    struct regions regions, unused;
    const struct ir_type *type = type_of(program, object);
    canonical(program, object, (int64_t)offset, &regions);
    for (unsigned i = 0; i < regions.count; i++)
        if (stride % regions.all[i].element == 0) {
            add(steps, offset);
            return;
        }
    if (is_one_place(object) || (object->size != IR_UNKNOWN && stride >= object->size)) {
        add(steps, offset);
        return;
    }
    if (type == NULL || type->size > (uint64_t)LAYOUT_MOST * stride || regions.count > 0) {
        steps->collapse = true;
        return;
    }
    for (uint64_t to = offset % stride; to < type->size; to += stride)
        add(steps, canonical(program, object, (int64_t)to, &unused));
}

void layout_step(const struct ir_program *program, const struct ir_object *object, uint64_t offset, int64_t bytes,
                 uint64_t stride, struct layout_steps *steps)
{
    steps->count = 0;
    steps->collapse = false;
    step_bytes(program, object, offset, bytes, steps);
    bool untyped = type_of(program, object) == NULL && !is_one_place(object);
    if (steps->count == 0 && untyped)
        steps->collapse = true;
    if (stride == 0)
        return;
    struct layout_steps from = *steps;
    steps->count = 0;
    for (unsigned i = 0; i < from.count && !steps->collapse; i++)
        step_any(program, object, from.offsets[i], stride, steps);
    assert(steps->count <= LAYOUT_MOST);
}
