/* SPDX-License-Identifier: MIT
 *
 * variable.c - see variable.h.  The walk through the types is in type.c.
 *
 * DESIGN
 *   The first query for a module reads all its debug information once and builds a sorted list of all variables with a
 *   fixed address, or takes the list that was kept in a file (variable_cache.h).  Results are kept by address and size.
 */
#include "trace/variable.h"

#include <dwarf.h>
#include <stdio.h>

#include "trace/die.h"
#include "trace/local.h"
#include "trace/structure.h"
#include "trace/type.h"
#include "trace/variable_cache.h"
#include "util/buffer.h"
#include "util/hash.h"
#include "util/memory.h"
#include "util/table.h"
#include "util/vector.h"

enum { WALK_DEPTH = 64 };

struct variable_entry {
    uint64_t address, size;
    const char *name;
    uint64_t offset; /* of its type, if that was not looked up yet; else 0 */
    Dwarf_Die type;
};

struct entries {
    VECTOR(struct variable_entry) list; /* sorted by address */
    struct table known;                 /* address and size → struct variable */
};

struct variables {
    struct module *module;
    struct entries globals, thread_locals;
    struct table locals; /* hash of place in a function, distance and size → struct variable, NULL if there is none */
    struct table pointed; /* hash of pc and size → struct structure, NULL if there is none */
    struct table members; /* hash of structure, offset and size → struct variable */
    struct structures *structures;
    struct cached_variables cached; /* has names of entries */
    VECTOR(void *) owned;
};

/* ---- reading the debug information ------------------------------------------------------------------------------- */

enum placement { PLACED_NOWHERE, PLACED_FIXED, PLACED_THREAD_LOCAL };

/* The address that an operation of a location pushes. */
static bool operation_address(Dwarf_Attribute *location, const Dwarf_Op *op, uint64_t *address)
{
    Dwarf_Attribute value;
    Dwarf_Word number;
    switch (op->atom) {
    case DW_OP_addr:
    case DW_OP_const4u:
    case DW_OP_const8u:
    case DW_OP_constu:
        *address = op->number;
        return true;
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index:
        return dwarf_getlocation_attr(location, op, &value) == 0 && dwarf_formaddr(&value, address) == 0;
    case DW_OP_constx:
    case DW_OP_GNU_const_index:
        if (dwarf_getlocation_attr(location, op, &value) != 0)
            return false;
        if (dwarf_formudata(&value, &number) == 0)
            *address = number;
        else if (dwarf_formaddr(&value, address) != 0)
            return false;
        return true;
    default:
        return false;
    }
}

static enum placement place_variable(Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute location;
    Dwarf_Op *ops;
    size_t count;
    if (dwarf_attr(die, DW_AT_location, &location) == NULL || dwarf_getlocation(&location, &ops, &count) != 0 ||
        count == 0 || count > 2 || !operation_address(&location, &ops[0], address))
        return PLACED_NOWHERE;
    if (count == 2) {
        if (ops[1].atom == DW_OP_GNU_push_tls_address || ops[1].atom == DW_OP_form_tls_address)
            return PLACED_THREAD_LOCAL;
        if (ops[1].atom != DW_OP_plus_uconst)
            return PLACED_NOWHERE;
        *address += ops[1].number;
    }
    return *address != 0 ? PLACED_FIXED : PLACED_NOWHERE; /* 0: the linker removed it */
}

static void add_variable(struct variables *variables, Dwarf_Die *die, bool at_top)
{
    struct variable_entry entry = {0};
    enum placement placement = place_variable(die, &entry.address);
    if (placement == PLACED_NOWHERE || !die_follow(die, DW_AT_type, &entry.type))
        return;
    /* With split debug information gcc 12 gives the address in the file's template, not the offset in the block. */
    const struct module *module = variables->module;
    if (placement == PLACED_THREAD_LOCAL && entry.address >= module->tls_size &&
        entry.address - module->tls_start < module->tls_size)
        entry.address -= module->tls_start;
    struct buffer name = {0};
    Dwarf_Attribute attribute;
    if (at_top && dwarf_attr(die, DW_AT_specification, &attribute) == NULL)
        buffer_add_string(&name, die_text(die, DW_AT_name));
    else
        die_add_qualified_name(&variables->module->scopes, die, &name);
    if (name.size == 0) {
        buffer_free(&name);
        return;
    }
    entry.size = type_size(&entry.type);
    char *text = buffer_take(&name);
    entry.name = text;
    vector_push(&variables->owned, text);
    struct entries *entries = placement == PLACED_FIXED ? &variables->globals : &variables->thread_locals;
    vector_push(&entries->list, entry);
}

static void read_entries(struct variables *variables, Dwarf_Die *parent, int depth)
{
    Dwarf_Die child;
    if (depth >= WALK_DEPTH || dwarf_child(parent, &child) != 0)
        return;
    do {
        switch (dwarf_tag(&child)) {
        case DW_TAG_variable:
            add_variable(variables, &child, depth == 0);
            break;
        case DW_TAG_namespace:
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
            read_entries(variables, &child, depth + 1);
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

static int compare_entries(const void *left, const void *right)
{
    const struct variable_entry *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->size != b->size) /* the whole before a part of it */
        return a->size > b->size ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void sort_entries(struct entries *entries)
{
    if (entries->list.count > 1)
        qsort(entries->list.data, entries->list.count, sizeof *entries->list.data, compare_entries);
}

static void read_units(struct variables *variables)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, contents;
    uint8_t type;
    while (dwarf_get_units(variables->module->dwarf, unit, &unit, NULL, &type, &die, &contents) == 0) {
        if (type == DW_UT_compile)
            read_entries(variables, &die, 0);
        else if (type == DW_UT_skeleton && contents.addr != NULL)
            read_entries(variables, &contents, 0);
    }
    sort_entries(&variables->globals);
    sort_entries(&variables->thread_locals);
}

/* ---- kept lists -------------------------------------------------------------------------------------------------- */

static void take_cached(struct variables *variables)
{
    for (size_t i = 0; i < variables->cached.list.count; i++) {
        const struct cached_variable *from = &variables->cached.list.data[i];
        struct entries *entries = from->thread_local ? &variables->thread_locals : &variables->globals;
        vector_push(&entries->list,
                    (struct variable_entry){
                        .address = from->address, .size = from->size, .name = from->name, .offset = from->type});
    }
}

/* False: a type is in a unit of its own, or in another file. */
static bool add_cached(struct variables *variables, const struct entries *entries, struct cached_variables *into)
{
    for (size_t i = 0; i < entries->list.count; i++) {
        struct variable_entry *entry = &entries->list.data[i];
        struct cached_variable variable = {.address = entry->address,
                                           .size = entry->size,
                                           .type = dwarf_dieoffset(&entry->type),
                                           .name = entry->name,
                                           .thread_local = entries == &variables->thread_locals};
        Dwarf_Die found;
        if (variable.type == 0 || dwarf_offdie(variables->module->dwarf, variable.type, &found) == NULL ||
            found.addr != entry->type.addr)
            return false;
        vector_push(&into->list, variable);
    }
    return true;
}

static void keep_list(struct variables *variables)
{
    struct cached_variables kept = {0};
    if (variable_cache_has(variables->module) && add_cached(variables, &variables->globals, &kept) &&
        add_cached(variables, &variables->thread_locals, &kept))
        variable_cache_write(variables->module, &kept);
    cached_variables_free(&kept);
}

struct variables *variables_open(struct module *module)
{
    struct variables *variables = memory_allocate(1, sizeof *variables);
    variables->module = module;
    variables->structures = structures_open(module, variables);
    if (module->dwarf == NULL)
        return variables;
    if (variable_cache_read(module, &variables->cached)) {
        take_cached(variables);
    } else {
        read_units(variables);
        keep_list(variables);
    }
    return variables;
}

void variables_close(struct variables *variables)
{
    if (variables == NULL)
        return;
    for (size_t i = 0; i < variables->owned.count; i++)
        free(variables->owned.data[i]);
    vector_free(&variables->owned);
    cached_variables_free(&variables->cached);
    vector_free(&variables->globals.list);
    vector_free(&variables->thread_locals.list);
    table_free(&variables->globals.known);
    table_free(&variables->thread_locals.known);
    table_free(&variables->locals);
    table_free(&variables->members);
    table_free(&variables->pointed);
    structures_close(variables->structures);
    free(variables);
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

static const struct variable_entry *find_entry(const struct entries *entries, uint64_t address)
{
    size_t begun = sorted_count_up_to(entries->list.data, entries->list.count, address, address);
    if (begun == 0)
        return NULL;
    size_t first = begun - 1;
    while (first > 0 && entries->list.data[first - 1].address == entries->list.data[begun - 1].address)
        first--;
    const struct variable_entry *entry = &entries->list.data[first];
    uint64_t size = entry->size > 0 ? entry->size : 1;
    return address - entry->address < size ? entry : NULL;
}

static bool type_of(struct variables *variables, const struct variable_entry *entry, Dwarf_Die *type)
{
    *type = entry->type;
    return entry->offset == 0 || dwarf_offdie(variables->module->dwarf, entry->offset, type) != NULL;
}

static struct variable *make_variable(struct variables *variables, const struct variable_entry *entry, uint64_t address,
                                      uint32_t size)
{
    struct variable *variable = memory_allocate(1, sizeof *variable);
    struct buffer name = {0};
    Dwarf_Die type;
    buffer_add_string(&name, entry->name);
    variable->size = entry->size;
    variable->offset = address - entry->address;
    bool typed = type_of(variables, entry, &type) && type_describe(type, size, &name, variable, &type);
    Dwarf_Die target;
    if (typed && variable->type == VALUE_POINTER && die_follow(&type, DW_AT_type, &target)) {
        uint64_t pointed = type_size(&target);
        variable->pointed = pointed < UINT32_MAX ? (uint32_t)pointed : 0;
        variable->target = structures_find(variables->structures, target);
    }
    if (typed && variable->type == VALUE_ENUM) {
        Dwarf_Die *kept = memory_allocate(1, sizeof *kept);
        *kept = type;
        variable->detail = kept;
        vector_push(&variables->owned, kept);
    }
    char *text = buffer_take(&name);
    variable->name = text;
    vector_push(&variables->owned, text);
    vector_push(&variables->owned, variable);
    return variable;
}

static bool find(struct variables *variables, struct entries *entries, uint64_t address, uint32_t size,
                 struct variable *variable)
{
    const struct variable_entry *entry = find_entry(entries, address);
    if (entry == NULL)
        return false;
    bool small = size < 1u << 15 && address < 1ull << 48; /* then both fit into one key */
    uint64_t key = address | (uint64_t)size << 48;
    uint64_t *known = small ? table_get(&entries->known, key) : NULL;
    struct variable *found =
        known != NULL ? (struct variable *)(uintptr_t)*known : make_variable(variables, entry, address, size);
    if (small && known == NULL)
        *table_put(&entries->known, key) = (uint64_t)(uintptr_t)found;
    *variable = *found;
    return true;
}

bool variables_find_local(struct variables *variables, const struct module_unit *unit, const struct wire_frame *frame,
                          uint64_t address, uint32_t size, struct variable *variable)
{
    uint64_t place = hash_combine(address - frame->cfa, frame->cfa - frame->lo);
    uint64_t key = hash_combine(hash_combine(frame->pc, place), size);
    uint64_t *known = table_get(&variables->locals, key);
    if (known == NULL) {
        struct variable_entry entry = {0};
        Dwarf_Die die, function;
        struct variable *found = NULL;
        if (scopes_function(&variables->module->scopes, &unit->contents, frame->pc, true, &function) &&
            local_find(&function, frame, address, &die, &entry.type, &entry.address)) {
            entry.name = dwarf_diename(&die);
            entry.size = type_size(&entry.type);
        }
        if (entry.name != NULL)
            found = make_variable(variables, &entry, address, size);
        known = table_put(&variables->locals, key);
        *known = (uint64_t)(uintptr_t)found;
    }
    if (*known == 0)
        return false;
    *variable = *(const struct variable *)(uintptr_t)*known;
    return true;
}

static const struct structure *look_for_pointed(struct variables *variables, const struct module_unit *unit,
                                                uint64_t pc, uint64_t size)
{
    enum { POINTERS = 32 };
    Dwarf_Die types[POINTERS], function;
    if (!scopes_function(&variables->module->scopes, &unit->contents, pc, true, &function))
        return NULL;
    size_t count = local_pointed(&function, pc, types, POINTERS);
    const struct structure *found = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct structure *structure = structures_find(variables->structures, types[i]);
        if (structure == NULL || structure->scalar || structure->size != size)
            continue;
        if (found != NULL && strcmp(found->signature, structure->signature) != 0)
            return NULL;
        found = structure;
    }
    return found;
}

const struct structure *variables_find_pointed(struct variables *variables, const struct module_unit *unit, uint64_t pc,
                                               uint64_t size)
{
    uint64_t key = hash_combine(pc, size);
    const uint64_t *known = table_get(&variables->pointed, key);
    if (known != NULL)
        return (const struct structure *)(uintptr_t)*known;
    const struct structure *found = look_for_pointed(variables, unit, pc, size);
    *table_put(&variables->pointed, key) = (uint64_t)(uintptr_t)found;
    return found;
}

void variables_find_member(const struct structure *structure, uint64_t offset, uint32_t size, struct variable *variable)
{
    const struct structure_detail *detail = structure->detail;
    struct variables *variables = detail->owner;
    uint64_t key = hash_combine(hash_combine((uint64_t)(uintptr_t)structure, offset), size);
    uint64_t *known = table_put(&variables->members, key);
    if (*known == 0) {
        struct variable_entry entry = {.size = structure->size, .name = "", .type = detail->type};
        *known = (uint64_t)(uintptr_t)make_variable(variables, &entry, offset, size);
    }
    *variable = *(const struct variable *)(uintptr_t)*known;
}

bool variables_find(struct variables *variables, uint64_t address, uint32_t size, struct variable *variable)
{
    return find(variables, &variables->globals, address, size, variable);
}

bool variables_find_tls(struct variables *variables, uint64_t offset, uint32_t size, struct variable *variable)
{
    return find(variables, &variables->thread_locals, offset, size, variable);
}

const char *variable_enumerator(const struct variable *variable, uint64_t value)
{
    Dwarf_Die type = *(const Dwarf_Die *)variable->detail;
    return type_enumerator(&type, value);
}
