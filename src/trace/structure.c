/* SPDX-License-Identifier: MIT
 *
 * structure.c - see structure.h.
 *
 * DESIGN
 *   Each unit has its own entry for a structure that is declared in a header, so entries do not tell which are the same: their
 *   signatures do, all members with their places, sizes and the names of their types.
 */
#include "trace/structure.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/die.h"
#include "trace/type.h"
#include "util/buffer.h"
#include "util/memory.h"
#include "util/table.h"
#include "util/vector.h"

enum { ALIASES = 16 }; /* typedefs and qualifiers that are followed */

struct definition {
    const char *name;
    Dwarf_Die type;
};

struct structures {
    struct module *module;
    struct variables *owner;
    struct table known; /* entry → struct structure, NULL if it is not supported */
    bool definitions_read;
    VECTOR(struct definition) definitions; /* sorted by name; of C and outside of namespaces */
    VECTOR(void *) owned;
};

struct structures *structures_open(struct module *module, struct variables *owner)
{
    struct structures *structures = memory_allocate(1, sizeof *structures);
    structures->module = module;
    structures->owner = owner;
    return structures;
}

void structures_close(struct structures *structures)
{
    for (size_t i = 0; i < structures->owned.count; i++)
        free(structures->owned.data[i]);
    vector_free(&structures->owned);
    vector_free(&structures->definitions);
    table_free(&structures->known);
    free(structures);
}

static bool is_structure(Dwarf_Die *type)
{
    int tag = dwarf_tag(type);
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* ---- texts ---------------------------------------------------------------------------------------------------------- */

static const char *keep(struct structures *structures, struct buffer *text)
{
    char *kept = buffer_take(text);
    vector_push(&structures->owned, kept);
    return kept;
}

/* `alias`: the name of a typedef for it; NULL none. */
static void add_name(struct structures *structures, Dwarf_Die *type, const char *alias, struct buffer *name)
{
    if (dwarf_diename(type) == NULL) {
        buffer_add_string(name, alias != NULL ? alias : "");
        return;
    }
    if (is_structure(type) && die_is_plain_c(type))
        buffer_add_string(name, dwarf_tag(type) == DW_TAG_union_type ? "union " : "struct ");
    die_add_qualified_name(&structures->module->scopes, type, name);
}

/* Without typedefs and qualifiers; false if nothing is left.  `alias` gets the name of the last typedef. */
static bool strip_aliases(Dwarf_Die *type, const char **alias)
{
    for (int i = 0; i < ALIASES; i++) {
        int tag = dwarf_tag(type);
        if (tag == DW_TAG_typedef)
            *alias = dwarf_diename(type);
        else if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type && tag != DW_TAG_atomic_type)
            return true;
        if (!die_follow(type, DW_AT_type, type))
            return false;
    }
    return false;
}

/* "long int", "struct node *"; nothing for characters, which may alias any memory, and for other types. */
static void add_scalar_name(struct structures *structures, Dwarf_Die *type, struct buffer *name)
{
    Dwarf_Die target;
    const char *alias = NULL;
    int tag = dwarf_tag(type);
    if (tag == DW_TAG_pointer_type && die_follow(type, DW_AT_type, &target) && strip_aliases(&target, &alias) &&
        (is_structure(&target) || dwarf_tag(&target) == DW_TAG_base_type)) {
        add_name(structures, &target, alias, name);
        if (name->size > 0)
            buffer_add_string(name, " *");
    } else if ((tag == DW_TAG_base_type && type_size(type) > 1) || tag == DW_TAG_enumeration_type) {
        buffer_add_string(name, die_text(type, DW_AT_name));
    }
}

/* "next@8:8:*node": what a member is and where. */
static void add_member(Dwarf_Die *member, struct buffer *signature)
{
    Dwarf_Die type;
    const char *name = dwarf_diename(member);
    buffer_printf(signature, ";%s@%" PRIu64 ".%" PRIu64 ":", name != NULL ? name : "",
                  die_number(member, DW_AT_data_member_location, 0), die_number(member, DW_AT_data_bit_offset, 0));
    for (int i = 0; i < ALIASES && die_follow(i == 0 ? member : &type, DW_AT_type, &type); i++) {
        const char *type_name = dwarf_diename(&type);
        if (i == 0)
            buffer_printf(signature, "%" PRIu64 ":", type_size(&type));
        if (dwarf_tag(&type) == DW_TAG_pointer_type)
            buffer_add_char(signature, '*');
        buffer_add_string(signature, type_name != NULL ? type_name : "");
        if (type_name != NULL)
            break;
    }
}

static const char *make_signature(struct structures *structures, Dwarf_Die *type, const char *name)
{
    struct buffer signature = {0};
    Dwarf_Die child;
    buffer_printf(&signature, "%s:%" PRIu64, name, type_size(type));
    if (dwarf_child(type, &child) == 0)
        do {
            if (dwarf_tag(&child) == DW_TAG_member || dwarf_tag(&child) == DW_TAG_inheritance)
                add_member(&child, &signature);
        } while (dwarf_siblingof(&child, &child) == 0);
    return keep(structures, &signature);
}

/* ---- structures ----------------------------------------------------------------------------------------------------- */

static const struct structure *make_structure(struct structures *structures, Dwarf_Die *type, const char *alias)
{
    struct buffer text = {0};
    bool scalar = !is_structure(type);
    if (scalar)
        add_scalar_name(structures, type, &text);
    else
        add_name(structures, type, alias, &text);
    if (text.size == 0 || type_size(type) == 0) {
        buffer_free(&text);
        return NULL;
    }
    struct structure *structure = memory_allocate(1, sizeof *structure);
    struct structure_detail *detail = memory_allocate(1, sizeof *detail);
    vector_push(&structures->owned, structure);
    vector_push(&structures->owned, detail);
    *detail = (struct structure_detail){*type, structures->owner};
    structure->name = keep(structures, &text);
    structure->size = type_size(type);
    structure->scalar = scalar;
    structure->signature = make_signature(structures, type, structure->name);
    structure->detail = detail;
    return structure;
}

static const struct structure *known_structure(struct structures *structures, Dwarf_Die *type, const char *alias)
{
    uint64_t key = (uint64_t)(uintptr_t)type->addr;
    const uint64_t *known = table_get(&structures->known, key);
    if (known != NULL)
        return (const struct structure *)(uintptr_t)*known;
    const struct structure *structure = make_structure(structures, type, alias);
    *table_put(&structures->known, key) = (uint64_t)(uintptr_t)structure;
    return structure;
}

/* ---- declarations --------------------------------------------------------------------------------------------------- */

static int compare_definitions(const void *left, const void *right)
{
    const struct definition *a = left, *b = right;
    return strcmp(a->name, b->name);
}

static void read_unit(struct structures *structures, Dwarf_Die *unit)
{
    Dwarf_Die child;
    if (dwarf_child(unit, &child) != 0)
        return;
    do {
        const char *name = dwarf_diename(&child);
        if (is_structure(&child) && name != NULL && !die_flag(&child, DW_AT_declaration))
            vector_push(&structures->definitions, (struct definition){name, child});
    } while (dwarf_siblingof(&child, &child) == 0);
}

static void read_definitions(struct structures *structures)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, contents;
    uint8_t type;
    structures->definitions_read = true;
    while (dwarf_get_units(structures->module->dwarf, unit, &unit, NULL, &type, &die, &contents) == 0) {
        if (type == DW_UT_compile)
            read_unit(structures, &die);
        else if (type == DW_UT_skeleton && contents.addr != NULL)
            read_unit(structures, &contents);
    }
    if (structures->definitions.count > 1)
        qsort(structures->definitions.data, structures->definitions.count, sizeof *structures->definitions.data,
              compare_definitions);
}

/* The definition in another unit of a structure that this unit only declares. */
static const struct structure *find_definition(struct structures *structures, Dwarf_Die *declaration)
{
    struct buffer qualified = {0};
    die_add_qualified_name(&structures->module->scopes, declaration, &qualified);
    const char *name = dwarf_diename(declaration);
    bool plain = name != NULL && strcmp(buffer_text(&qualified), name) == 0; /* in no namespace or class */
    buffer_free(&qualified);
    if (!plain)
        return NULL;
    if (!structures->definitions_read)
        read_definitions(structures);
    const struct structure *found = NULL;
    for (size_t i = 0; i < structures->definitions.count; i++) {
        struct definition *definition = &structures->definitions.data[i];
        int order = strcmp(definition->name, name);
        if (order > 0)
            break;
        if (order < 0 || dwarf_tag(&definition->type) != dwarf_tag(declaration))
            continue;
        const struct structure *other = known_structure(structures, &definition->type, NULL);
        if (other == NULL || (found != NULL && strcmp(found->signature, other->signature) != 0))
            return NULL;
        found = other;
    }
    return found;
}

/* ---- types ---------------------------------------------------------------------------------------------------------- */

const struct structure *structures_find(struct structures *structures, Dwarf_Die type)
{
    const char *alias = NULL;
    if (!strip_aliases(&type, &alias))
        return NULL;
    bool declared = is_structure(&type) && die_flag(&type, DW_AT_declaration);
    if (declared && !die_follow(&type, DW_AT_signature, &type)) /* else it is in a unit of its own */
        return find_definition(structures, &type);
    return known_structure(structures, &type, alias);
}
