/* SPDX-License-Identifier: MIT
 *
 * notes.c - the sentences of a tale about its failure: the two accesses of a race, which thread freed the block, where
 * blocks were allocated, what the program printed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tale/tale_private.h"
#include "trace/events.h"
#include "trace/headline.h"

enum { BLOCKS = 3 }; /* most blocks for which the allocation is named */

static void add_note(struct builder *builder, struct buffer *line)
{
    vector_push(&builder->tale->notes, tale_pool_text(builder->tale->pool, buffer_text(line)));
    buffer_free(line);
}

/* "T2 deposit: write of balance (8 bytes) at bank.c:25 in deposit" */
static void add_access(struct builder *builder, const struct wire_access *access)
{
    const struct site *site = headline_visible_site(symbols_site(builder->symbols, access->pc));
    const struct tale *tale = builder->tale;
    const char *thread = access->task < tale->threads.count ? tale->threads.data[access->task].name : "";
    char name[OBJECT_NAME];
    struct buffer line = {0};
    buffer_printf(&line, "T%u%s%s: %s of %s", access->task, thread[0] != '\0' ? " " : "", thread,
                  access->op != OP_NONE ? event_op_name(access->op) : "access",
                  objects_name(builder->objects, access->address, access->size, name, NULL));
    if (access->size > 0)
        buffer_printf(&line, " (%" PRIu32 " byte%s)", access->size, access->size == 1 ? "" : "s");
    buffer_printf(&line, " at %s%s%s", site->where, site->function[0] != '\0' ? " in " : "", site->function);
    add_note(builder, &line);
}

static void add_action(struct buffer *line, const char *verb, uint32_t task, const struct site *site)
{
    if (site != NULL)
        buffer_printf(line, ", %s by T%u at %s", verb, task, site->where);
}

/* NULL if it is not known. */
static const struct site *allocation_site(struct builder *builder, const struct object_block *block)
{
    return block->allocated_pc == 0
               ? NULL
               : headline_origin(builder->symbols, &builder->copy->result, block->allocated_pc, block->allocated_from);
}

static const struct site *free_site(struct builder *builder, const struct object_block *block)
{
    return block->freed_pc == 0
               ? NULL
               : headline_origin(builder->symbols, &builder->copy->result, block->freed_pc, block->freed_from);
}

/* "heap#2: block of 16 bytes (struct node)" */
static void add_block_name(struct buffer *line, const struct object_block *block)
{
    buffer_printf(line, "heap#%" PRIu32 ": block of %" PRIu64 " bytes", block->number, block->size);
    if (block->type == NULL)
        return;
    buffer_printf(line, " (%s", block->type->name);
    if (block->size > block->type->size)
        buffer_printf(line, "[%" PRIu64 "]", block->size / block->type->size);
    buffer_add_char(line, ')');
}

/* "heap#2: block of 16 bytes, allocated by T0 at bank.c:30, freed by T2 at bank.c:25" */
static void add_block(struct builder *builder)
{
    const struct wire_finding *finding = builder->finding;
    struct object_block block;
    char name[OBJECT_NAME];
    struct buffer line = {0};
    bool freed = finding->kind == KIND_USE_AFTER_FREE || finding->kind == KIND_DOUBLE_FREE;
    bool known = objects_block(builder->objects, finding->block, &block) && block.start == finding->block;
    if (known)
        add_block_name(&line, &block);
    else
        buffer_printf(&line, "%s: block of %" PRIu64 " bytes",
                      objects_name(builder->objects, finding->block, 0, name, NULL), finding->block_size);
    if (known)
        add_action(&line, "allocated", block.allocated_by, allocation_site(builder, &block));
    bool same = known && block.freed_by == finding->other.task && block.freed_pc == finding->other.pc;
    if (finding->other.pc != 0 && (freed || !known) && !same)
        add_action(&line, freed ? "freed" : "allocated", finding->other.task,
                   headline_visible_site(symbols_site(builder->symbols, finding->other.pc)));
    else if (known)
        add_action(&line, "freed", block.freed_by, free_site(builder, &block));
    add_note(builder, &line);
}

void notes_add(struct builder *builder)
{
    const struct wire_finding *finding = builder->finding;
    if (finding->kind == KIND_RACE || finding->kind == KIND_VOLATILE_RACE || finding->kind == KIND_LOCK_ORDER) {
        add_access(builder, &finding->other);
        add_access(builder, &finding->here);
    } else if (finding->block != 0) {
        add_block(builder);
    }
    const struct wire_copy *copy = builder->copy;
    char *early = headline_early(builder->symbols, &copy->result, copy->events.data, (uint32_t)copy->events.count);
    if (early != NULL) {
        struct buffer line = {0};
        buffer_printf(&line, TALE_EARLY "%s", early);
        add_note(builder, &line);
    }
    free(early);
}

/* ---- what the program printed --------------------------------------------------------------------------------------------- */

enum { LINES = 3, LINE_LENGTH = 160 }; /* of each stream, and what is kept of a line */

/* Where the last lines begin; an end of line at the very end does not count. */
static const char *last_lines(const char *begin, const char *end)
{
    unsigned lines = 0;
    const char *from = end;
    while (from > begin && (from[-1] != '\n' || from == end || ++lines < LINES))
        from--;
    return from;
}

static void add_lines(struct tale *tale, const char *prefix, const struct buffer *printed)
{
    const char *text = buffer_text(printed), *end = text + printed->size;
    for (const char *line = last_lines(text, end); line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((stop != NULL ? stop : end) - line);
        struct buffer note = {0};
        buffer_add_string(&note, prefix);
        for (size_t i = 0; i < length && i < LINE_LENGTH; i++)
            buffer_add_char(&note, (unsigned char)line[i] < ' ' || (unsigned char)line[i] >= 127 ? '?' : line[i]);
        if (length > 0)
            vector_push(&tale->notes, tale_pool_text(tale->pool, buffer_text(&note)));
        buffer_free(&note);
        line += length + 1;
    }
}

void tale_add_output(struct tale *tale, const struct buffer *output, const struct buffer *errors)
{
    static const char *const kinds[] = {"exit", "output", "oracle", "abort", "uncaught-exception"};
    bool told = false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        told |= strcmp(tale->kind, kinds[i]) == 0;
    if (!told)
        return;
    add_lines(tale, TALE_STDERR, errors);
    add_lines(tale, TALE_STDOUT, output);
}

/* ---- where blocks were allocated -------------------------------------------------------------------------------------- */

/* The number of the heap block that contains the object; 0: none. */
static uint32_t block_of(const char *object)
{
    static const char heap[] = "heap#";
    return strncmp(object, heap, strlen(heap)) == 0 ? (uint32_t)strtoul(object + strlen(heap), NULL, 10) : 0;
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* The numbers of the blocks that appear last among the events that matter.  Returns how many. */
static size_t blocks_that_matter(const struct tale *tale, uint32_t except, uint32_t numbers[BLOCKS])
{
    size_t count = 0;
    for (size_t i = tale->events.count; i-- > 0 && count < BLOCKS;) {
        const struct tale_event *event = &tale->events.data[i];
        uint32_t number = event->marks & TALE_MATTERS ? block_of(event->object) : 0;
        bool known = number == 0 || number == except;
        for (size_t k = 0; k < count; k++)
            known = known || numbers[k] == number;
        if (!known)
            numbers[count++] = number;
    }
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    return count;
}

/* "heap#2: block of 16 bytes, allocated by T0 at bank.c:30"; a block that a library allocated is left out: its place
   says nothing. */
void notes_add_blocks(struct builder *builder)
{
    struct object_block block;
    uint32_t numbers[BLOCKS], own = 0;
    if (builder->finding->block != 0 && objects_block(builder->objects, builder->finding->block, &block))
        own = block.number;
    size_t count = blocks_that_matter(builder->tale, own, numbers);
    for (size_t i = 0; i < count; i++) {
        if (!objects_block_numbered(builder->objects, numbers[i], &block))
            continue;
        const struct site *site = allocation_site(builder, &block);
        if (site == NULL || !headline_is_application(site))
            continue;
        struct buffer line = {0};
        add_block_name(&line, &block);
        add_action(&line, "allocated", block.allocated_by, site);
        add_note(builder, &line);
    }
}
