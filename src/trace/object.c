/* SPDX-License-Identifier: MIT
 *
 * object.c - see object.h.
 */
#include "trace/object.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/object_type.h"
#include "trace/range.h"
#include "util/hash.h"
#include "util/memory.h"
#include "util/table.h"
#include "util/vector.h"

/* What a range of addresses is. */
enum record_kind { RECORD_HEAP, RECORD_STACK, RECORD_THREAD_LOCAL };
struct object_record {
    enum record_kind kind;
    uint16_t task; /* of a stack or thread-local block */
    struct object_block block;
};

struct objects {
    struct symbols *symbols;
    const struct wire_result *result;
    VECTOR(struct object_record) records;
    struct ranges ranges;     /* address → record */
    struct ranges calls;      /* address on a stack → frame of the result */
    struct table stack_words; /* task and word → number */
    struct table words;       /* word → number */
    uint32_t block_count;
    uint64_t events_seen;
    struct object_types types;
    bool task_seen[WIRE_TASKS];
    uint32_t stack_count[WIRE_TASKS];
};

/* ---- memory map ----------------------------------------------------------------------------------------------- */

static void put_record(struct objects *objects, uint64_t lo, uint64_t hi, struct object_record record)
{
    assert(objects->records.count < UINT32_MAX);
    vector_push(&objects->records, record);
    ranges_put(&objects->ranges, lo, hi, (uint32_t)(objects->records.count - 1));
}

static struct object_record *find_record(const struct objects *objects, uint64_t address)
{
    uint32_t owner;
    return ranges_find(&objects->ranges, address, &owner) ? &objects->records.data[owner] : NULL;
}

/* A new thread: its stack may reuse the memory of an ended thread's stack. */
static void see_task(struct objects *objects, uint16_t id)
{
    if (id >= WIRE_TASKS || objects->task_seen[id] || objects->result == NULL)
        return;
    objects->task_seen[id] = true;
    const struct wire_task *task = &objects->result->tasks[id];
    if (task->stack_lo < task->stack_hi)
        put_record(objects, task->stack_lo, task->stack_hi, (struct object_record){.kind = RECORD_STACK, .task = id});
    uint64_t lo, hi;
    if (symbols_thread_block(objects->symbols, task->thread_pointer, &lo, &hi))
        put_record(objects, lo, hi, (struct object_record){.kind = RECORD_THREAD_LOCAL, .task = id});
}

/* A call that has not returned.  A later call at the same stack addresses replaces it. */
static void see_frame(struct objects *objects, uint32_t number, uint64_t address)
{
    uint32_t known;
    if (number == 0 || objects->result == NULL || number > objects->result->frame_count ||
        (ranges_find(&objects->calls, address, &known) && known == number - 1))
        return;
    const struct wire_frame *frame = &objects->result->frames[number - 1];
    ranges_put(&objects->calls, frame->lo, frame->cfa, number - 1);
}

struct objects *objects_open(struct symbols *symbols, const struct wire_result *result)
{
    struct objects *objects = memory_allocate(1, sizeof *objects);
    objects->symbols = symbols;
    objects->result = result;
    see_task(objects, 0);
    for (uint32_t i = 0; result != NULL && i < result->finding_count && i < WIRE_FINDINGS; i++)
        see_frame(objects, result->findings[i].frame, result->findings[i].here.address);
    return objects;
}

struct objects *objects_open_typed(struct symbols *symbols, const struct wire_result *result,
                                   const struct wire_event *events, size_t count)
{
    struct objects *objects = objects_open(symbols, result);
    object_types_find(&objects->types, symbols, result, events, count);
    return objects;
}

void objects_close(struct objects *objects)
{
    if (objects == NULL)
        return;
    vector_free(&objects->records);
    ranges_free(&objects->ranges);
    ranges_free(&objects->calls);
    table_free(&objects->stack_words);
    table_free(&objects->words);
    object_types_free(&objects->types);
    free(objects);
}

static void see_allocation(struct objects *objects, const struct wire_event *event)
{
    struct object_record record = {.kind = RECORD_HEAP};
    uint64_t size = event->size > 0 ? event->size : 1, end;
    if (event->address == 0 || __builtin_add_overflow(event->address, size, &end))
        return;
    uint32_t before;
    bool reused =
        ranges_find(&objects->ranges, event->address, &before) && objects->records.data[before].kind == RECORD_HEAP;
    record.block = (struct object_block){.start = event->address,
                                         .size = event->size,
                                         .number = ++objects->block_count,
                                         .allocated_by = event->task,
                                         .allocated_pc = event->pc,
                                         .allocated_from = event->origin,
                                         .elements = event->value > 1 ? event->value : 1,
                                         .reused = reused};
    record.block.type = object_types_get(&objects->types, record.block.number);
    put_record(objects, event->address, end, record);
}

static void see_free(struct objects *objects, const struct wire_event *event)
{
    struct object_record *record = find_record(objects, event->address);
    if (record == NULL || record->kind != RECORD_HEAP || record->block.start != event->address)
        return;
    record->block.freed_by = event->task;
    record->block.freed_pc = event->pc;
    record->block.freed_from = event->origin;
}

/* What was allocated, freed and started while no events were kept is not known: the blocks from before have no names any more, and threads
   and calls get theirs with their next events. */
static void pass_gap(struct objects *objects)
{
    ranges_free(&objects->ranges);
    ranges_free(&objects->calls);
    memset(objects->task_seen, 0, sizeof objects->task_seen);
}

void objects_event(struct objects *objects, const struct wire_event *event)
{
    const struct wire_result *result = objects->result;
    if (result != NULL && result->events_gap > 0 && objects->events_seen == result->events_head)
        pass_gap(objects);
    objects->events_seen++;
    see_task(objects, event->task);
    see_frame(objects, event->frame, event->address);
    if (event->op == OP_ALLOC && !(event->flags & EVENT_FAILED))
        see_allocation(objects, event);
    else if (event->op == OP_FREE && !(event->flags & EVENT_FAILED))
        see_free(objects, event);
}

bool objects_block(const struct objects *objects, uint64_t address, struct object_block *block)
{
    const struct object_record *record = find_record(objects, address);
    if (record == NULL || record->kind != RECORD_HEAP)
        return false;
    *block = record->block;
    return true;
}

bool objects_block_numbered(const struct objects *objects, uint32_t number, struct object_block *block)
{
    for (size_t i = 0; i < objects->records.count; i++) {
        const struct object_record *record = &objects->records.data[i];
        if (record->kind != RECORD_HEAP || record->block.number != number)
            continue;
        *block = record->block;
        return true;
    }
    return false;
}

uint64_t objects_identity(const struct objects *objects, uint64_t address)
{
    const struct object_record *record = find_record(objects, address);
    uint64_t word = address & ~7ull;
    return record == NULL ? word : hash_combine(word, (uint64_t)(record - objects->records.data) + 1);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The number of the key; a new key gets the next number. */
static uint32_t number_of(struct table *table, uint64_t key, uint32_t *count)
{
    uint64_t *number = table_put(table, key);
    if (*number == 0)
        *number = ++*count;
    return (uint32_t)*number;
}

static void add_offset(char *buffer, uint64_t offset)
{
    size_t length = strlen(buffer);
    if (offset != 0)
        snprintf(buffer + length, OBJECT_NAME - length, "+%" PRIu64, offset);
}

static void name_code(struct objects *objects, uint64_t address, char buffer[OBJECT_NAME])
{
    const struct site *site = symbols_function(objects->symbols, address);
    struct variable variable;
    if (symbols_variable(objects->symbols, address, 0, &variable) && variable.offset != 0 && site->line > 0)
        snprintf(buffer, OBJECT_NAME, "%s (%s)", site->function, site->exact); /* the middle of a function */
    else
        snprintf(buffer, OBJECT_NAME, "%s", site->function[0] != '\0' ? site->function : site->exact);
}

static uint32_t number_word(struct objects *objects, uint64_t address)
{
    uint32_t count = (uint32_t)objects->words.count;
    return number_of(&objects->words, address & ~7ull, &count);
}

static uint32_t number_stack_word(struct objects *objects, uint16_t task, uint64_t address)
{
    uint64_t key = (address & ~7ull) ^ (uint64_t)task << 48;
    return number_of(&objects->stack_words, key, &objects->stack_count[task]);
}

static void name_word(struct objects *objects, uint64_t address, char buffer[OBJECT_NAME])
{
    snprintf(buffer, OBJECT_NAME, "mem#%u", number_word(objects, address));
    add_offset(buffer, address & 7);
}

static bool find_local(const struct objects *objects, uint64_t address, uint32_t size, struct variable *variable)
{
    uint32_t frame;
    return ranges_find(&objects->calls, address, &frame) &&
           symbols_local(objects->symbols, &objects->result->frames[frame], address, size, variable);
}

static void name_stack_word(struct objects *objects, uint16_t task, uint64_t address, char buffer[OBJECT_NAME])
{
    snprintf(buffer, OBJECT_NAME, "T%u.stack#%u", task, number_stack_word(objects, task, address));
    add_offset(buffer, address & 7);
}

static void name_thread_local(struct objects *objects, uint16_t task, uint64_t address, uint32_t size,
                              char buffer[OBJECT_NAME], struct variable *variable)
{
    uint64_t pointer = objects->result->tasks[task].thread_pointer;
    if (symbols_thread_local(objects->symbols, pointer, address, size, variable)) {
        snprintf(buffer, OBJECT_NAME, "T%u.%s", task, variable->name);
        add_offset(buffer, variable->offset);
    } else {
        name_stack_word(objects, task, address, buffer);
    }
}

/* The member of a block whose type is known, and in which element: `element` gets its text.  False if the access spans
   several elements or goes beyond the end. */
static bool find_member(const struct objects *objects, const struct object_block *block, uint64_t address,
                        uint32_t size, struct variable *variable, char element[32])
{
    uint64_t offset = address - block->start;
    if (block->type == NULL || offset >= block->size)
        return false;
    uint64_t inner = offset % block->type->size;
    if (size > block->type->size - inner)
        return false;
    snprintf(element, 32, block->size > block->type->size ? "[%" PRIu64 "]" : "", offset / block->type->size);
    symbols_member(objects->symbols, block->type, inner, size, variable);
    return true;
}

static void name_heap(const struct objects *objects, const struct object_block *block, uint64_t address, uint32_t size,
                      char buffer[OBJECT_NAME], struct variable *variable)
{
    char element[32] = "";
    bool member = find_member(objects, block, address, size, variable, element);
    snprintf(buffer, OBJECT_NAME, "heap#%u%s%s", block->number, element, member ? variable->name : "");
    add_offset(buffer, member ? variable->offset : address - block->start);
}

char *objects_name(struct objects *objects, uint64_t address, uint32_t size, char buffer[OBJECT_NAME],
                   struct variable *variable)
{
    struct variable ignored;
    if (variable == NULL)
        variable = &ignored;
    *variable = (struct variable){.name = ""};
    const struct object_record *record = find_record(objects, address);
    if (address == 0) {
        snprintf(buffer, OBJECT_NAME, "-");
    } else if (symbols_is_code(objects->symbols, address)) {
        name_code(objects, address, buffer);
    } else if (symbols_variable(objects->symbols, address, size, variable)) {
        snprintf(buffer, OBJECT_NAME, "%s", variable->name);
        add_offset(buffer, variable->offset);
    } else if (record == NULL) {
        name_word(objects, address, buffer);
    } else if (record->kind == RECORD_HEAP) {
        name_heap(objects, &record->block, address, size, buffer, variable);
    } else if (record->kind == RECORD_THREAD_LOCAL) {
        name_thread_local(objects, record->task, address, size, buffer, variable);
    } else if (find_local(objects, address, size, variable)) {
        snprintf(buffer, OBJECT_NAME, "T%u.%s", record->task, variable->name);
        add_offset(buffer, variable->offset);
    } else {
        name_stack_word(objects, record->task, address, buffer);
    }
    return buffer;
}

/* What a number from objects_number stands for. */
enum { KEY_MODULE = 1, KEY_WORD, KEY_HEAP, KEY_STACK, KEY_VARIABLE, KEY_VALUE };

static uint64_t make_key(uint64_t kind, uint64_t which, uint64_t offset)
{
    return hash_combine(hash_combine(kind, which), offset);
}

static uint64_t variable_key(uint16_t task, const struct variable *variable)
{
    return make_key(KEY_VARIABLE, task, hash_combine(hash_string(variable->name), variable->offset));
}

/* A word of a stack or of a thread's own data. */
static uint64_t number_of_thread(struct objects *objects, const struct object_record *record, uint64_t address)
{
    struct variable variable = {.name = ""};
    uint64_t pointer = objects->result->tasks[record->task].thread_pointer;
    bool named = record->kind == RECORD_THREAD_LOCAL
                     ? symbols_thread_local(objects->symbols, pointer, address, 0, &variable)
                     : find_local(objects, address, 0, &variable);
    if (named)
        return variable_key(record->task, &variable);
    uint32_t number = number_stack_word(objects, record->task, address);
    return make_key(KEY_STACK, (uint64_t)record->task << 32 | number, address & 7);
}

uint64_t objects_number(struct objects *objects, uint64_t address)
{
    uint64_t module, offset;
    char name[OBJECT_NAME];
    if (address == 0)
        return 0;
    if (symbols_module_offset(objects->symbols, address, &module, &offset))
        return make_key(KEY_MODULE, module, offset);
    if (symbols_is_module(objects->symbols,
                          address)) /* of another build of a library the name is the same, not the place */
        return make_key(KEY_VARIABLE, WIRE_TASKS, hash_string(objects_name(objects, address, 0, name, NULL)));
    const struct object_record *record = find_record(objects, address);
    if (record == NULL)
        return make_key(KEY_WORD, number_word(objects, address), address & 7);
    if (record->kind == RECORD_HEAP)
        return make_key(KEY_HEAP, record->block.number, address - record->block.start);
    return number_of_thread(objects, record, address);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Where Linux puts programs, heaps, libraries and stacks.  A number in these ranges is treated as an address even if it
   is in no known object: printed as a number, it would make logs depend on load addresses. */
static bool is_usual_address(uint64_t value)
{
#if defined(__aarch64__)
    return (value >> 40) == 0xaa || (value >> 40) == 0xff;
#else
    return (value >> 40) == 0x55 || (value >> 40) == 0x56 || (value >> 40) == 0x7e || (value >> 40) == 0x7f;
#endif
}

static bool is_address(const struct objects *objects, uint64_t value, uint32_t size, const struct variable *variable)
{
    if (size != 8 || value < 4096 || variable->type == VALUE_FLOAT)
        return false;
    bool number = variable->type == VALUE_SIGNED ||
                  variable->type == VALUE_UNSIGNED; /* an integer may contain an address, but rarely does */
    if (is_usual_address(value))
        return true;
    return !number && (symbols_is_module(objects->symbols, value) || find_record(objects, value) != NULL ||
                       table_get(&objects->words, value & ~7ull) != NULL);
}

uint64_t objects_number_value(struct objects *objects, uint64_t value, uint64_t address, uint32_t size)
{
    struct variable variable = {.name = ""};
    char ignored[32];
    if (size > 0 && size < 8)
        value &= (1ull << (8 * size)) - 1;
    if (size != 8 || value < 4096) /* most values: no need to ask for the type */
        return make_key(KEY_VALUE, value, size);
    if (!symbols_variable(objects->symbols, address, size, &variable)) {
        const struct object_record *record = find_record(objects, address);
        if (record != NULL && record->kind == RECORD_THREAD_LOCAL)
            symbols_thread_local(objects->symbols, objects->result->tasks[record->task].thread_pointer, address, size,
                                 &variable);
        else if (record != NULL && record->kind == RECORD_STACK)
            find_local(objects, address, size, &variable);
        else if (record != NULL)
            find_member(objects, &record->block, address, size, &variable, ignored);
    }
    return is_address(objects, value, size, &variable) ? objects_number(objects, value)
                                                       : make_key(KEY_VALUE, value, size);
}

static int64_t sign_extend(uint64_t value, uint32_t size)
{
    if (size == 0 || size >= 8)
        return (int64_t)value;
    uint32_t shift = 64 - 8 * size;
    return (int64_t)(value << shift) >> shift;
}

static void print_float(uint64_t value, uint32_t size, char buffer[OBJECT_NAME])
{
    float single;
    double number;
    if (size == 4) {
        uint32_t bits = (uint32_t)value;
        memcpy(&single, &bits, sizeof single);
        snprintf(buffer, OBJECT_NAME, "%.9g", (double)single);
    } else {
        memcpy(&number, &value, sizeof number);
        snprintf(buffer, OBJECT_NAME, "%.17g", number);
    }
}

/* No type: small numbers and small negative numbers as such, the rest as bits. */
static void print_untyped(uint64_t value, uint32_t size, char buffer[OBJECT_NAME])
{
    int64_t number = sign_extend(value, size);
    if (size >= 4 && number < 0 && number >= -65536)
        snprintf(buffer, OBJECT_NAME, "%" PRId64, number);
    else if (value < 1ull << 31)
        snprintf(buffer, OBJECT_NAME, "%" PRIu64, value);
    else
        snprintf(buffer, OBJECT_NAME, "0x%" PRIx64, value);
}

/* A pointer to the start of a block names the block, not its first member. */
static void print_address(struct objects *objects, uint64_t value, uint32_t pointed, char buffer[OBJECT_NAME])
{
    char name[OBJECT_NAME];
    const struct object_record *record = find_record(objects, value);
    if (record != NULL && record->kind == RECORD_HEAP && record->block.start == value)
        snprintf(name, sizeof name, "heap#%u", record->block.number);
    else
        objects_name(objects, value, pointed, name, NULL);
    snprintf(buffer, OBJECT_NAME, "&%.*s", OBJECT_NAME - 2, name);
}

char *objects_value(struct objects *objects, uint64_t value, uint32_t size, const struct variable *variable,
                    char buffer[OBJECT_NAME])
{
    static const struct variable untyped = {.name = ""};
    if (variable == NULL)
        variable = &untyped;
    if (size > 0 && size < 8)
        value &= (1ull << (8 * size)) - 1;
    const char *enumerator =
        variable->type == VALUE_ENUM ? symbols_enumerator(objects->symbols, variable, value) : NULL;
    if (is_address(objects, value, size, variable)) {
        print_address(objects, value, variable->pointed, buffer);
    } else if (enumerator != NULL) {
        snprintf(buffer, OBJECT_NAME, "%s", enumerator);
    } else if (variable->type == VALUE_SIGNED) {
        snprintf(buffer, OBJECT_NAME, "%" PRId64, sign_extend(value, size));
    } else if (variable->type == VALUE_UNSIGNED) {
        snprintf(buffer, OBJECT_NAME, "%" PRIu64, value);
    } else if (variable->type == VALUE_BOOLEAN && value < 2) {
        snprintf(buffer, OBJECT_NAME, "%s", value ? "true" : "false");
    } else if (variable->type == VALUE_CHARACTER && value > ' ' && value < 0x7f) {
        snprintf(buffer, OBJECT_NAME, "'%c'", (char)value);
    } else if (variable->type == VALUE_FLOAT && (size == 4 || size == 8)) {
        print_float(value, size, buffer);
    } else if (variable->type == VALUE_POINTER && value == 0) {
        snprintf(buffer, OBJECT_NAME, "NULL");
    } else {
        print_untyped(value, size, buffer);
    }
    return buffer;
}
