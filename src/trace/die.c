/* SPDX-License-Identifier: MIT
 *
 * die.c - see die.h.
 */
#include "trace/die.h"

#include <dwarf.h>

const char *die_text(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;
    const char *text = dwarf_formstring(dwarf_attr(die, attribute, &found));
    return text != NULL ? text : "";
}

uint64_t die_number(Dwarf_Die *die, unsigned attribute, uint64_t missing)
{
    Dwarf_Attribute found;
    Dwarf_Word value;
    if (dwarf_attr_integrate(die, attribute, &found) == NULL || dwarf_formudata(&found, &value) != 0)
        return missing;
    return value;
}

bool die_flag(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;
    bool value = false;
    return dwarf_attr(die, attribute, &found) != NULL && dwarf_formflag(&found, &value) == 0 && value;
}

bool die_follow(Dwarf_Die *die, unsigned attribute, Dwarf_Die *target)
{
    Dwarf_Attribute found;
    return dwarf_attr_integrate(die, attribute, &found) != NULL && dwarf_formref_die(&found, target) != NULL;
}

Dwarf_Die die_declaration(Dwarf_Die *die)
{
    Dwarf_Die result = *die;
    for (int hops = 0; hops < 8; hops++) { /* a malformed file may have a cycle */
        Dwarf_Attribute found;
        Dwarf_Die target;
        if (dwarf_attr(&result, DW_AT_abstract_origin, &found) == NULL &&
            dwarf_attr(&result, DW_AT_specification, &found) == NULL)
            break;
        if (dwarf_formref_die(&found, &target) == NULL)
            break;
        result = target;
    }
    return result;
}

/* Unnamed ones get a name in parentheses. */
static const char *scope_name(Dwarf_Die *die)
{
    const char *name = dwarf_diename(die);
    return name != NULL ? name : "(anonymous)";
}

bool die_is_plain_c(Dwarf_Die *die)
{
    Dwarf_Die unit;
    if (dwarf_diecu(die, &unit, NULL, NULL) == NULL)
        return false;
    switch (dwarf_srclang(&unit)) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
        return true;
    default:
        return false;
    }
}

/* Functions of C are in no scope: spare the search. */
static bool find_naming_scope(struct scopes *scopes, Dwarf_Die *die, Dwarf_Die *scope)
{
    if (dwarf_tag(die) == DW_TAG_subprogram && die_is_plain_c(die))
        return false;
    return scopes_around(scopes, die, scope);
}

/* Scope by scope, each through its own declaration: a member function is defined outside of its class. */
static void add_qualified_name(struct scopes *scopes, Dwarf_Die *die, struct buffer *name, int depth)
{
    Dwarf_Die declaration = die_declaration(die), scope;
    if (depth < 16 && find_naming_scope(scopes, &declaration, &scope)) {
        add_qualified_name(scopes, &scope, name, depth + 1);
        buffer_add_string(name, "::");
    }
    buffer_add_string(name, scope_name(&declaration));
}

void die_add_qualified_name(struct scopes *scopes, Dwarf_Die *die, struct buffer *name)
{
    Dwarf_Die declaration = die_declaration(die);
    if (dwarf_diename(&declaration) != NULL)
        add_qualified_name(scopes, die, name, 0);
}
