/* SPDX-License-Identifier: MIT
 *
 * local.c - see local.h.
 *
 * DESIGN
 *   Scopes that contain the pc are searched from the outermost to the innermost, with inlined functions.  If variables
 *   share an address, the innermost is taken.  Only variables at a fixed offset in the frame are found; a variable that
 *   threads share has an address, so it is one of these.
 */
#include "trace/local.h"

#include <dwarf.h>

#include "trace/die.h"
#include "trace/type.h"

enum { SCOPES = 64 };

struct local_search {
    uint64_t pc, sp, cfa, base, address;
    Dwarf_Die *variable, *type;
    uint64_t *start;
    bool found;
};

/* The frame base of a function, as far as it follows from the stack pointer before its call. */
static bool set_base(Dwarf_Die *function, struct local_search *search)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    if (dwarf_attr(function, DW_AT_frame_base, &attribute) == NULL ||
        dwarf_getlocation_addr(&attribute, search->pc, &ops, &count, 1) != 1 || count != 1)
        return false;
    if (ops[0].atom == DW_OP_call_frame_cfa)
        search->base = search->cfa;
#if defined(__x86_64__)
    else if (ops[0].atom == DW_OP_reg6) /* rbp, pushed below the return address */
        search->base = search->cfa - 16;
    else if (ops[0].atom == DW_OP_reg7) /* rsp, which is constant after the prologue */
        search->base = search->sp;
#endif
    else
        return false;
    return true;
}

static void try_variable(Dwarf_Die *die, struct local_search *search)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    Dwarf_Die type;
    if (dwarf_attr(die, DW_AT_location, &attribute) == NULL ||
        dwarf_getlocation_addr(&attribute, search->pc, &ops, &count, 1) != 1 || count != 1 ||
        ops[0].atom != DW_OP_fbreg || !die_follow(die, DW_AT_type, &type))
        return;
    uint64_t start = search->base + ops[0].number, size = type_size(&type);
    if (search->address - start >= (size > 0 ? size : 1))
        return;
    *search->variable = *die;
    *search->type = type;
    *search->start = start;
    search->found = true;
}

static void search_scope(Dwarf_Die *scope, struct local_search *search, int depth)
{
    Dwarf_Die child;
    if (depth >= SCOPES || dwarf_child(scope, &child) != 0)
        return;
    do {
        switch (dwarf_tag(&child)) {
        case DW_TAG_variable:
        case DW_TAG_formal_parameter:
            try_variable(&child, search);
            break;
        case DW_TAG_lexical_block:
        case DW_TAG_inlined_subroutine:
            if (dwarf_haspc(&child, search->pc) == 1)
                search_scope(&child, search, depth + 1);
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* ---- what pointers point to ------------------------------------------------------------------------------------------ */

struct pointed_search {
    uint64_t pc;
    Dwarf_Die *types;
    size_t count, most;
};

/* Typedefs and qualifiers of the pointer are followed. */
static void add_pointed(Dwarf_Die *die, struct pointed_search *search)
{
    enum { ALIASES = 16 };
    Dwarf_Die type;
    bool known = die_follow(die, DW_AT_type, &type);
    for (int i = 0; known && i < ALIASES; i++) {
        int tag = dwarf_tag(&type);
        if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type) {
            if (search->count < search->most && die_follow(&type, DW_AT_type, &search->types[search->count]))
                search->count++;
            return;
        }
        if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type)
            return;
        known = die_follow(&type, DW_AT_type, &type);
    }
}

static void search_pointed(Dwarf_Die *scope, struct pointed_search *search, int depth)
{
    Dwarf_Die child;
    if (depth >= SCOPES || dwarf_child(scope, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        bool holds = tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
            add_pointed(&child, search);
        else if (holds && dwarf_haspc(&child, search->pc) == 1)
            search_pointed(&child, search, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

size_t local_pointed(Dwarf_Die *function, uint64_t pc, Dwarf_Die *types, size_t most)
{
    struct pointed_search search = {.pc = pc, .types = types, .most = most};
    search_pointed(function, &search, 0);
    return search.count;
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

bool local_find(Dwarf_Die *function, const struct wire_frame *frame, uint64_t address, Dwarf_Die *variable,
                Dwarf_Die *type, uint64_t *start)
{
    struct local_search search = {.pc = frame->pc,
                                  .sp = frame->lo,
                                  .cfa = frame->cfa,
                                  .address = address,
                                  .variable = variable,
                                  .type = type,
                                  .start = start};
    if (set_base(function, &search))
        search_scope(function, &search, 0);
    return search.found;
}
