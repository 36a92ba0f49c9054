/* SPDX-License-Identifier: MIT
 *
 * type.c - see type.h.
 *
 * DESIGN
 *   A walk from the outer type to the inner ones.  It ends where the access is larger than a member (a copy of a whole
 *   structure), and at opaque types: locks and atomics are named as such, not by their members in the C library.
 */
#include "trace/type.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/die.h"

enum { TYPE_DEPTH = 64 };

struct type_walk {
    Dwarf_Die type;
    uint64_t offset, access; /* the access, relative to type; access is at least 1 */
    struct buffer *name;
    struct variable *variable;
    bool quiet; /* inside an opaque type: only the type of the value is still needed */
};

uint64_t type_size(Dwarf_Die *type)
{
    Dwarf_Word size;
    return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

/* ---- opaque types ------------------------------------------------------------------------------------------------ */

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_opaque_typedef(const char *name)
{
    static const char *const names[] = {"sem_t", "mtx_t", "cnd_t", "once_flag", "omp_lock_t", "omp_nest_lock_t"};
    size_t length = strlen(name);
    if (starts_with(name, "pthread_") && length > 2 && strcmp(name + length - 2, "_t") == 0)
        return strcmp(name, "pthread_t") != 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_in_std(Dwarf_Die *die)
{
    Dwarf_Die *scopes = NULL;
    bool found = false;
    int count = dwarf_getscopes_die(die, &scopes);
    for (int i = 1; i < count && !found; i++) {
        const char *name = dwarf_tag(&scopes[i]) == DW_TAG_namespace ? dwarf_diename(&scopes[i]) : NULL;
        found = name != NULL && strcmp(name, "std") == 0;
    }
    free(scopes);
    return found;
}

/* std::mutex, std::atomic<int>, … */
static bool is_opaque_class(Dwarf_Die *type)
{
    static const char *const names[] = {"mutex",        "recursive_mutex",       "timed_mutex",
                                        "shared_mutex", "recursive_timed_mutex", "shared_timed_mutex",
                                        "once_flag",    "condition_variable",    "condition_variable_any",
                                        "atomic_flag"};
    const char *name = dwarf_diename(type);
    if (name == NULL)
        return false;
    bool listed = starts_with(name, "atomic<");
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !listed; i++)
        listed = strcmp(name, names[i]) == 0;
    return listed && is_in_std(type);
}

/* ---- structures, unions, classes --------------------------------------------------------------------------------- */

/* From here on nothing is added to the name. */
static void stop_naming(struct type_walk *walk)
{
    if (walk->quiet)
        return;
    walk->quiet = true;
    walk->variable->offset = walk->offset;
    walk->variable->size = type_size(&walk->type);
}

static bool is_data_member(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    if (tag == DW_TAG_inheritance)
        return true;
    return tag == DW_TAG_member && !die_flag(die, DW_AT_external) && !die_flag(die, DW_AT_declaration);
}

/* Bits of a bit-field, counted from the start of the structure. */
static bool bit_range(Dwarf_Die *member, uint64_t *first, uint64_t *end)
{
    uint64_t bits = die_number(member, DW_AT_bit_size, 0);
    if (bits == 0)
        return false;
    *first = die_number(member, DW_AT_data_bit_offset, UINT64_MAX);
    if (*first == UINT64_MAX) { /* before DWARF 4: take the whole storage unit */
        *first = die_number(member, DW_AT_data_member_location, 0) * 8;
        bits = die_number(member, DW_AT_byte_size, (bits + 7) / 8) * 8;
    }
    *end = *first + bits;
    return true;
}

/* An access to bit-fields accesses all fields in its bytes: ".a", or ".{a,b}".  False if there are none. */
static bool add_bit_fields(struct type_walk *walk, Dwarf_Die member)
{
    struct buffer fields = {0};
    int count = 0;
    do {
        uint64_t first, end;
        const char *name = dwarf_diename(&member);
        if (name == NULL || !is_data_member(&member) || !bit_range(&member, &first, &end) || end <= walk->offset * 8 ||
            first >= (walk->offset + walk->access) * 8)
            continue;
        buffer_printf(&fields, "%s%s", count++ > 0 ? "," : "", name);
    } while (dwarf_siblingof(&member, &member) == 0);
    if (count > 0 && !walk->quiet)
        buffer_printf(walk->name, count == 1 ? ".%s" : ".{%s}", buffer_text(&fields));
    buffer_free(&fields);
    return count > 0;
}

/* Whether the member, which is not a bit-field, contains the whole access: then its type and start. */
static bool holds_access(const struct type_walk *walk, Dwarf_Die *member, Dwarf_Die *type, uint64_t *start)
{
    uint64_t bit, end;
    if (!is_data_member(member) || bit_range(member, &bit, &end) || !die_follow(member, DW_AT_type, type))
        return false;
    *start = die_number(member, DW_AT_data_member_location, 0);
    uint64_t size = type_size(type);
    return walk->offset >= *start && walk->offset - *start < size && walk->access <= size - (walk->offset - *start);
}

/* If several members of a union contain the access, it is not known which is meant: ".{rate,bits}".  False if at most
   one does. */
static bool add_alternatives(struct type_walk *walk, Dwarf_Die member)
{
    enum { SHOWN = 3 };
    struct buffer names = {0};
    int count = 0;
    do {
        Dwarf_Die type;
        uint64_t start;
        const char *name = dwarf_diename(&member);
        if (!holds_access(walk, &member, &type, &start))
            continue;
        if (count < SHOWN)
            buffer_printf(&names, "%s%s", count > 0 ? "," : "", name != NULL ? name : "...");
        else if (count == SHOWN)
            buffer_add_string(&names, ",...");
        count++;
    } while (dwarf_siblingof(&member, &member) == 0);
    if (count > 1 && !walk->quiet)
        buffer_printf(walk->name, ".{%s}", buffer_text(&names));
    buffer_free(&names);
    return count > 1;
}

/* One step into the member that holds the whole access. */
static bool enter_member(struct type_walk *walk)
{
    Dwarf_Die first, member, type;
    if (dwarf_child(&walk->type, &first) != 0)
        return false;
    if (dwarf_tag(&walk->type) == DW_TAG_union_type && add_alternatives(walk, first)) {
        stop_naming(walk);
        return false;
    }
    member = first;
    do {
        uint64_t start;
        if (!holds_access(walk, &member, &type, &start))
            continue;
        const char *name = dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : NULL;
        if (name != NULL && !walk->quiet)
            buffer_printf(walk->name, ".%s", name);
        walk->offset -= start;
        walk->type = type;
        return true;
    } while (dwarf_siblingof(&member, &member) == 0);
    if (add_bit_fields(walk, first)) {
        walk->offset = 0;
        stop_naming(walk);
        walk->variable->size = walk->access;
    }
    return false;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static uint64_t dimension_count(Dwarf_Die *subrange)
{
    uint64_t count = die_number(subrange, DW_AT_count, UINT64_MAX);
    if (count != UINT64_MAX)
        return count;
    uint64_t upper = die_number(subrange, DW_AT_upper_bound, UINT64_MAX);
    return upper != UINT64_MAX ? upper + 1 : 0;
}

static int read_dimensions(Dwarf_Die *array, uint64_t counts[8])
{
    Dwarf_Die child;
    int dimensions = 0;
    if (dwarf_child(array, &child) != 0)
        return 0;
    do {
        if (dwarf_tag(&child) == DW_TAG_subrange_type && dimensions < 8)
            counts[dimensions++] = dimension_count(&child);
    } while (dwarf_siblingof(&child, &child) == 0);
    return dimensions;
}

/* Several elements at once: "[2..5]", or nothing when it is the whole array. */
static void add_element_range(struct type_walk *walk, uint64_t element)
{
    uint64_t first = walk->offset / element, last = (walk->offset + walk->access - 1) / element;
    uint64_t whole = type_size(&walk->type);
    if ((walk->offset == 0 && walk->access >= whole) || walk->offset % element != 0 || walk->quiet)
        return;
    buffer_printf(walk->name, "[%lu..%lu]", (unsigned long)first, (unsigned long)last);
    walk->offset = 0;
}

static bool enter_element(struct type_walk *walk)
{
    Dwarf_Die type;
    uint64_t counts[8], element;
    int dimensions = read_dimensions(&walk->type, counts);
    if (dimensions == 0 || !die_follow(&walk->type, DW_AT_type, &type) || (element = type_size(&type)) == 0)
        return false;
    uint64_t index = walk->offset / element;
    if (walk->access > element - walk->offset % element) {
        if (dimensions == 1)
            add_element_range(walk, element);
        return false;
    }
    for (int i = 0; i < dimensions && !walk->quiet; i++) {
        uint64_t inner = 1;
        for (int j = i + 1; j < dimensions; j++)
            inner *= counts[j] > 0 ? counts[j] : 1;
        if (inner == 0) /* overflow of a malformed file */
            return false;
        buffer_printf(walk->name, "[%lu]", (unsigned long)(index / inner));
        index %= inner;
    }
    walk->offset %= element;
    walk->type = type;
    return true;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static enum value_type base_type(Dwarf_Die *type)
{
    switch (die_number(type, DW_AT_encoding, 0)) {
    case DW_ATE_boolean:
        return VALUE_BOOLEAN;
    case DW_ATE_float:
        return VALUE_FLOAT;
    case DW_ATE_signed:
        return VALUE_SIGNED;
    case DW_ATE_unsigned:
        return VALUE_UNSIGNED;
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char:
    case DW_ATE_UTF:
        return VALUE_CHARACTER;
    default:
        return VALUE_UNKNOWN;
    }
}

/* One step; false at the end of the walk. */
static bool step(struct type_walk *walk)
{
    const char *name;
    switch (dwarf_tag(&walk->type)) {
    case DW_TAG_typedef:
        name = dwarf_diename(&walk->type);
        if (name != NULL && is_opaque_typedef(name)) {
            stop_naming(walk);
            return false;
        }
        return die_follow(&walk->type, DW_AT_type, &walk->type);
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
        return die_follow(&walk->type, DW_AT_type, &walk->type);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        if (is_opaque_class(&walk->type))
            stop_naming(walk);
        return enter_member(walk);
    case DW_TAG_array_type:
        return enter_element(walk);
    case DW_TAG_base_type:
        walk->variable->type = base_type(&walk->type);
        return false;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        walk->variable->type = VALUE_POINTER;
        return false;
    case DW_TAG_enumeration_type:
        walk->variable->type = VALUE_ENUM;
        return false;
    default:
        return false;
    }
}

bool type_describe(Dwarf_Die type, uint32_t access, struct buffer *name, struct variable *variable,
                   Dwarf_Die *innermost)
{
    struct type_walk walk = {
        .type = type, .offset = variable->offset, .access = access, .name = name, .variable = variable};
    if (walk.access == 0)
        walk.access = 1;
    variable->type = VALUE_UNKNOWN;
    for (int depth = 0; depth < TYPE_DEPTH && step(&walk); depth++)
        ;
    stop_naming(&walk);
    *innermost = walk.type;
    if (walk.offset != 0 || (access != 0 && type_size(&walk.type) != access)) {
        variable->partial = variable->type != VALUE_UNKNOWN;
        variable->type = VALUE_UNKNOWN;
    }
    return variable->type != VALUE_UNKNOWN;
}

const char *type_enumerator(Dwarf_Die *type, uint64_t value)
{
    Dwarf_Die child;
    uint64_t size = type_size(type), mask = size > 0 && size < 8 ? (1ull << (8 * size)) - 1 : UINT64_MAX;
    if (dwarf_child(type, &child) != 0)
        return NULL;
    do {
        Dwarf_Attribute attribute;
        Dwarf_Sword number;
        if (dwarf_tag(&child) == DW_TAG_enumerator && dwarf_attr(&child, DW_AT_const_value, &attribute) != NULL &&
            dwarf_formsdata(&attribute, &number) == 0 && ((uint64_t)number & mask) == (value & mask))
            return dwarf_diename(&child);
    } while (dwarf_siblingof(&child, &child) == 0);
    return NULL;
}
