/* SPDX-License-Identifier: MIT
 *
 * scopes.c - see scopes.h.
 */
#include "trace/scopes.h"

#include <assert.h>
#include <dwarf.h>

#include "trace/die.h"
#include "util/memory.h"
#include "util/vector.h"

enum { DEPTH = 256 };
#define NO_SCOPE UINT32_MAX

/* The entries of a unit lie one after the other in memory, those in a scope between its own entry and its end. */
struct scope {
    uintptr_t begin, end;
    Dwarf_Die die;
    uint32_t around; /* number of the next one outwards; NO_SCOPE: none */
};

struct code {
    uint64_t lo, hi;
    uint64_t reach; /* the greatest `hi` up to here */
    Dwarf_Die function;
    bool nested;
};

struct unit_scopes {
    VECTOR(struct scope) scopes; /* sorted by begin */
    VECTOR(struct code) codes;   /* sorted by lo */
};

/* ---- reading a unit -------------------------------------------------------------------------------------------------- */

/* Whether this entry's name is part of the names of what is declared in it. */
static bool names_scope(Dwarf_Die *die, int tag)
{
    switch (tag) {
    case DW_TAG_namespace:
        /* Inline and unnamed namespaces are not part of names in source code. */
        return !die_flag(die, DW_AT_export_symbols) && dwarf_diename(die) != NULL;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_subprogram:
        return true;
    default:
        return false;
    }
}

static void add_code(struct unit_scopes *unit, Dwarf_Die *function, bool nested)
{
    Dwarf_Addr base, lo, hi;
    ptrdiff_t next = 0;
    while ((next = dwarf_ranges(function, next, &base, &lo, &hi)) > 0)
        if (lo < hi)
            vector_push(&unit->codes, (struct code){.lo = lo, .hi = hi, .function = *function, .nested = nested});
}

/* In a damaged file the next entry may be anywhere: each one is read at most once for each entry around it. */
static void read_entries(struct unit_scopes *unit, Dwarf_Die *parent, uint32_t around, uintptr_t end, bool nested,
                         int depth)
{
    Dwarf_Die child, next;
    if (depth >= DEPTH || dwarf_child(parent, &child) != 0)
        return;
    for (bool more = (uintptr_t)child.addr < end; more; child = next) {
        int tag = dwarf_tag(&child);
        bool holds = dwarf_haschildren(&child) > 0;
        uintptr_t begin = (uintptr_t)child.addr;
        more = dwarf_siblingof(&child, &next) == 0 && (uintptr_t)next.addr > begin && (uintptr_t)next.addr < end;
        uintptr_t child_end = more ? (uintptr_t)next.addr : end;
        uint32_t scope = around;
        if (tag == DW_TAG_subprogram)
            add_code(unit, &child, nested);
        if (holds && names_scope(&child, tag)) {
            scope = (uint32_t)unit->scopes.count;
            vector_push(&unit->scopes, (struct scope){begin, child_end, child, around});
        }
        if (holds)
            read_entries(unit, &child, scope, child_end, nested || tag != DW_TAG_namespace, depth + 1);
    }
}

static int compare_codes(const void *left, const void *right)
{
    const struct code *a = left, *b = right;
    if (a->lo != b->lo)
        return a->lo < b->lo ? -1 : 1;
    if (a->hi != b->hi)
        return a->hi > b->hi ? -1 : 1;
    return a->function.addr < b->function.addr ? 1 : -1; /* of equal ones the first in the unit is found */
}

static struct unit_scopes *read_unit(const Dwarf_Die *die)
{
    struct unit_scopes *unit = memory_allocate(1, sizeof *unit);
    Dwarf_Die root = *die;
    read_entries(unit, &root, NO_SCOPE, UINTPTR_MAX, false, 0);
    if (unit->codes.count > 1)
        qsort(unit->codes.data, unit->codes.count, sizeof *unit->codes.data, compare_codes);
    uint64_t reach = 0;
    for (size_t i = 0; i < unit->codes.count; i++) {
        struct code *code = &unit->codes.data[i];
        code->reach = reach = code->hi > reach ? code->hi : reach;
    }
    return unit;
}

static struct unit_scopes *get_unit(struct scopes *scopes, const Dwarf_Die *die)
{
    uint64_t *known = table_put(&scopes->units, (uint64_t)(uintptr_t)die->addr);
    if (*known == 0)
        *known = (uint64_t)(uintptr_t)read_unit(die);
    return (struct unit_scopes *)(uintptr_t)*known;
}

void scopes_free(struct scopes *scopes)
{
    for (size_t i = 0; i < scopes->units.capacity; i++) {
        struct unit_scopes *unit = (struct unit_scopes *)(uintptr_t)scopes->units.entries[i].value;
        if (!scopes->units.entries[i].used)
            continue;
        vector_free(&unit->scopes);
        vector_free(&unit->codes);
        free(unit);
    }
    table_free(&scopes->units);
}

/* ---- answers --------------------------------------------------------------------------------------------------------- */

bool scopes_around(struct scopes *scopes, Dwarf_Die *die, Dwarf_Die *scope)
{
    Dwarf_Die unit_die;
    if (dwarf_diecu(die, &unit_die, NULL, NULL) == NULL)
        return false;
    const struct unit_scopes *unit = get_unit(scopes, &unit_die);
    uintptr_t at = (uintptr_t)die->addr;
    size_t begun = sorted_count_up_to(unit->scopes.data, unit->scopes.count, begin, at - 1);
    uint32_t number = begun > 0 ? (uint32_t)begun - 1 : NO_SCOPE;
    while (number != NO_SCOPE && unit->scopes.data[number].end <= at)
        number = unit->scopes.data[number].around;
    if (number == NO_SCOPE)
        return false;
    *scope = unit->scopes.data[number].die;
    assert(unit->scopes.data[number].begin < at);
    return true;
}

/* Ranges may overlap: functions that the linker removed begin at 0.  The one that begins last is taken. */
bool scopes_function(struct scopes *scopes, const Dwarf_Die *unit_die, uint64_t pc, bool nested, Dwarf_Die *function)
{
    const struct unit_scopes *unit = get_unit(scopes, unit_die);
    size_t i = sorted_count_up_to(unit->codes.data, unit->codes.count, lo, pc);
    for (; i > 0 && unit->codes.data[i - 1].reach > pc; i--) {
        const struct code *code = &unit->codes.data[i - 1];
        if (code->hi <= pc || (code->nested && !nested))
            continue;
        *function = code->function;
        return true;
    }
    return false;
}
