/* SPDX-License-Identifier: MIT
 *
 * atomic_sets.c - see atomic_sets.h.  The user's file is read in assumptions.c.
 */
#include "trace/atomic_sets.h"

#include <dwarf.h>
#include <string.h>

#include "trace/die.h"
#include "trace/local.h"
#include "trace/module.h"
#include "trace/type.h"
#include "util/hash.h"
#include "util/memory.h"
#include "util/table.h"
#include "util/vector.h"

enum { DEPTH = 32, PARTS_DEPTH = 8, ALIASES = 16 };

typedef VECTOR(uint32_t) kind_list;

struct kind {
    struct set_kind shown;
    Dwarf_Die type;
    kind_list parts; /* kinds of its members and bases */
};

struct function {
    struct set_function shown;
    uint32_t file;   /* kind of the variables of its file; 0 none */
    kind_list kinds; /* that it has pointers to */
};

struct code { /* a range of code of a function */
    uint64_t lo, hi;
    uint32_t function;
};

struct static_variable {
    uint64_t lo, hi;
    uint32_t kind;
    uint32_t file;    /* kind of the static variables of its file; 0: it is not one */
    uint64_t element; /* size of an element; 0: the variable belongs to its file */
    const char *name;
};

struct atomic_sets {
    struct symbols *symbols;
    const struct assumptions *assumptions;
    VECTOR(struct kind) kinds;                /* from 1 at index 0 */
    VECTOR(struct function) functions;        /* from 1 at index 0 */
    VECTOR(struct code) code;                 /* sorted */
    VECTOR(struct static_variable) variables; /* sorted */
    struct table by_name;                     /* hash of a kind's name → kind */
    struct table by_type;                     /* entry → kind + 1; 1: none */
    struct table locals;                      /* hash of a place in a function → index into local_places + 1 */
    VECTOR(struct set_place) local_places;    /* base: distance to the object */
    struct table members;                     /* hash of kind, offset and size → text */
    VECTOR(void *) texts;
};

/* What is being read. */
struct reader {
    struct atomic_sets *sets;
    struct module *module;
    const char *file; /* of the unit */
    Dwarf_Files *files;
    size_t file_count;
};

/* ---- texts --------------------------------------------------------------------------------------------------------- */

static const char *keep(struct atomic_sets *sets, char *text)
{
    vector_push(&sets->texts, text);
    return text;
}

static const char *qualified_name(struct reader *reader, Dwarf_Die *die, const char *prefix)
{
    struct buffer name = {0};
    buffer_add_string(&name, prefix);
    die_add_qualified_name(&reader->module->scopes, die, &name);
    return keep(reader->sets, buffer_take(&name));
}

static bool is_system_path(const char *path)
{
    return strncmp(path, "/usr/include/", 13) == 0 || strncmp(path, "/usr/lib/", 9) == 0 ||
           strncmp(path, "/usr/local/include/", 19) == 0 || strncmp(path, "/usr/local/lib/", 15) == 0;
}

/* Where the entry is declared; "" if that is not known. */
static const char *path_of(const struct reader *reader, Dwarf_Die *die)
{
    uint64_t number = die_number(die, DW_AT_decl_file, UINT64_MAX);
    const char *path = number < reader->file_count ? dwarf_filesrc(reader->files, number, NULL, NULL) : NULL;
    return path != NULL ? path : "";
}

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* ---- kinds --------------------------------------------------------------------------------------------------------- */

static uint32_t kind_named(struct atomic_sets *sets, const char *name, bool is_file)
{
    uint64_t *known = table_put(&sets->by_name, hash_combine(hash_string(name), is_file));
    if (*known == 0) {
        struct kind kind = {.shown = {.name = name, .is_file = is_file, .file = ""}};
        kind.shown.is_refused = assumptions_have(sets->assumptions, ASSUME_NO_SET, name);
        kind.shown.is_wanted = assumptions_have(sets->assumptions, ASSUME_SET, name);
        vector_push(&sets->kinds, kind);
        *known = sets->kinds.count;
    }
    return (uint32_t)*known;
}

static struct kind *kind_at(const struct atomic_sets *sets, uint32_t kind)
{
    return &sets->kinds.data[kind - 1];
}

/* Without typedefs and qualifiers; `alias`: the name of the last typedef. */
static bool strip_aliases(Dwarf_Die *type, const char **alias)
{
    for (int i = 0; i < ALIASES; i++) {
        int tag = dwarf_tag(type);
        if (tag == DW_TAG_typedef)
            *alias = dwarf_diename(type);
        else if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type)
            return true;
        if (!die_follow(type, DW_AT_type, type))
            return false;
    }
    return false;
}

static bool is_structure(Dwarf_Die *type)
{
    return dwarf_tag(type) == DW_TAG_structure_type || dwarf_tag(type) == DW_TAG_class_type;
}

static uint32_t kind_of_type(struct reader *reader, Dwarf_Die type);

/* Its last member has no size. */
static bool is_flexible(Dwarf_Die *member)
{
    Dwarf_Die type, range;
    const char *alias = NULL;
    if (!die_follow(member, DW_AT_type, &type) || !strip_aliases(&type, &alias) ||
        dwarf_tag(&type) != DW_TAG_array_type || dwarf_child(&type, &range) != 0)
        return false;
    return die_number(&range, DW_AT_upper_bound, UINT64_MAX) == UINT64_MAX && die_number(&range, DW_AT_count, 0) == 0;
}

static void read_members(struct reader *reader, uint32_t number, Dwarf_Die *type)
{
    Dwarf_Die child, inner;
    bool flexible = false;
    if (dwarf_child(type, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        Dwarf_Attribute place;
        if (tag == DW_TAG_member && dwarf_attr(&child, DW_AT_data_member_location, &place) == NULL)
            continue; /* a static member */
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !die_follow(&child, DW_AT_type, &inner))
            continue;
        flexible = tag == DW_TAG_member && is_flexible(&child);
        uint32_t part = kind_of_type(reader, inner);
        if (part != 0 && part != number)
            vector_push(&kind_at(reader->sets, number)->parts, part);
    } while (dwarf_siblingof(&child, &child) == 0);
    kind_at(reader->sets, number)->shown.flexible = flexible;
}

static uint32_t make_kind(struct reader *reader, Dwarf_Die *type, const char *alias)
{
    struct atomic_sets *sets = reader->sets;
    const char *own = dwarf_diename(type), *path = path_of(reader, type);
    if ((own == NULL && alias == NULL) || is_system_path(path) || (own != NULL && strchr(own, '<') == own))
        return 0;
    const char *name = own == NULL ? alias : qualified_name(reader, type, die_is_plain_c(type) ? "struct " : "");
    if (strncmp(name, "std::", 5) == 0 || strncmp(name, "__gnu_cxx::", 11) == 0)
        return 0;
    uint32_t number = kind_named(sets, name, false);
    struct kind *kind = kind_at(sets, number);
    if (kind->shown.known || die_flag(type, DW_AT_declaration) || type_size(type) == 0)
        return number;
    kind->shown.known = true;
    kind->shown.size = type_size(type);
    kind->shown.file = keep(sets, memory_copy_string(last_component(path)));
    kind->shown.line = (unsigned)die_number(type, DW_AT_decl_line, 0);
    kind->type = *type;
    read_members(reader, number, type);
    return number;
}

/* 0: objects of the type are no sets. */
static uint32_t kind_of_type(struct reader *reader, Dwarf_Die type)
{
    const char *alias = NULL;
    if (!strip_aliases(&type, &alias) || !is_structure(&type))
        return 0;
    uint64_t key = (uint64_t)(uintptr_t)type.addr;
    const uint64_t *known = table_get(&reader->sets->by_type, key);
    if (known != NULL)
        return (uint32_t)*known - 1;
    *table_put(&reader->sets->by_type, key) = 1; /* while its members are read */
    uint32_t kind = make_kind(reader, &type, alias);
    *table_put(&reader->sets->by_type, key) = (uint64_t)kind + 1;
    return kind;
}

static bool has_kind(const kind_list *list, uint32_t kind)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->data[i] == kind)
            return true;
    return false;
}

/* ---- functions ----------------------------------------------------------------------------------------------------- */

static void read_parameter(struct reader *reader, Dwarf_Die *parameter, kind_list *kinds)
{
    Dwarf_Die type;
    const char *alias = NULL;
    if (!die_follow(parameter, DW_AT_type, &type) || !strip_aliases(&type, &alias))
        return;
    int tag = dwarf_tag(&type);
    if (tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type && tag != DW_TAG_rvalue_reference_type)
        return;
    if (!die_follow(&type, DW_AT_type, &type))
        return;
    uint32_t kind = kind_of_type(reader, type);
    if (kind != 0 && !has_kind(kinds, kind))
        vector_push(kinds, kind);
}

/* Parameters, and RADDLE_NOT_A_UNIT. */
static void read_body(struct reader *reader, Dwarf_Die *function, struct function *made)
{
    Dwarf_Die child;
    if (dwarf_child(function, &child) != 0)
        return;
    do {
        const char *name = dwarf_tag(&child) == DW_TAG_variable ? dwarf_diename(&child) : NULL;
        if (dwarf_tag(&child) == DW_TAG_formal_parameter)
            read_parameter(reader, &child, &made->kinds);
        else if (name != NULL && strcmp(name, "raddle_not_a_unit") == 0)
            made->shown.is_refused = true;
    } while (dwarf_siblingof(&child, &child) == 0);
}

static bool is_library(const char *name, const char *path)
{
    return is_system_path(path) || strncmp(name, "std::", 5) == 0 || strncmp(name, "__gnu_cxx::", 11) == 0;
}

static void describe_function(struct reader *reader, Dwarf_Die *die, struct function *made)
{
    struct atomic_sets *sets = reader->sets;
    Dwarf_Die declaration = die_declaration(die);
    const char *path = path_of(reader, die);
    const char *name = qualified_name(reader, die, "");
    if (name[0] == '\0')
        name = keep(sets, memory_copy_string(die_text(die, DW_AT_linkage_name)));
    made->shown.name = name;
    made->shown.file = keep(sets, memory_copy_string(last_component(path)));
    made->shown.line = (unsigned)die_number(die, DW_AT_decl_line, 0);
    made->shown.is_external = die_flag(die, DW_AT_external) || die_flag(&declaration, DW_AT_external);
    made->shown.is_main = strcmp(name, "main") == 0;
    made->shown.is_library = is_library(name, path);
    made->shown.is_refused = assumptions_have(sets->assumptions, ASSUME_NO_UNIT, name);
    made->shown.is_wanted = assumptions_have(sets->assumptions, ASSUME_UNIT, name);
    made->shown.is_benign = assumptions_have(sets->assumptions, ASSUME_BENIGN, name);
}

static void add_function(struct reader *reader, Dwarf_Die *die)
{
    struct atomic_sets *sets = reader->sets;
    Dwarf_Addr base, lo, hi;
    ptrdiff_t next = 0;
    size_t before = sets->code.count;
    uint32_t number = (uint32_t)sets->functions.count + 1;
    while ((next = dwarf_ranges(die, next, &base, &lo, &hi)) > 0)
        if (lo < hi && lo != 0)
            vector_push(&sets->code, (struct code){lo + reader->module->base, hi + reader->module->base, number});
    if (sets->code.count == before)
        return;
    struct function made = {0};
    describe_function(reader, die, &made);
    read_body(reader, die, &made);
    Dwarf_Die origin = die_declaration(die);
    if (origin.addr != die->addr)
        read_body(reader, &origin, &made);
    if (!made.shown.is_library)
        made.file = kind_named(sets, reader->file, true);
    vector_push(&sets->functions, made);
}

/* ---- variables ----------------------------------------------------------------------------------------------------- */

/* The address of a variable with a fixed place. */
static bool fixed_address(Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute location;
    Dwarf_Op *ops;
    size_t count;
    if (dwarf_attr(die, DW_AT_location, &location) == NULL || dwarf_getlocation(&location, &ops, &count) != 0 ||
        count != 1)
        return false;
    if (ops[0].atom == DW_OP_addr)
        *address = ops[0].number;
    else if (ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index) {
        Dwarf_Attribute value;
        if (dwarf_getlocation_attr(&location, &ops[0], &value) != 0 || dwarf_formaddr(&value, address) != 0)
            return false;
    } else {
        return false;
    }
    return *address != 0;
}

/* The elements of an array, also of more dimensions; else the type itself.  Its typedefs stay: one may be its only name. */
static bool element_type(Dwarf_Die *type)
{
    const char *alias = NULL;
    for (int i = 0; i < ALIASES; i++) {
        Dwarf_Die stripped = *type;
        if (!strip_aliases(&stripped, &alias))
            return false;
        if (dwarf_tag(&stripped) != DW_TAG_array_type)
            return true;
        if (!die_follow(&stripped, DW_AT_type, type))
            return false;
    }
    return false;
}

static void add_variable(struct reader *reader, Dwarf_Die *die, bool at_top)
{
    struct atomic_sets *sets = reader->sets;
    struct static_variable variable = {0};
    Dwarf_Die type, element;
    uint64_t address;
    Dwarf_Die declaration = die_declaration(die);
    if (!fixed_address(die, &address) || !die_follow(die, DW_AT_type, &type))
        return;
    bool is_static = at_top && !die_flag(die, DW_AT_external) && !die_flag(&declaration, DW_AT_external);
    const char *name = qualified_name(reader, die, "");
    bool is_constant = dwarf_tag(&type) == DW_TAG_const_type;
    uint64_t size = type_size(&type);
    element = type;
    if (name[0] == '\0' || size == 0 || is_constant || is_system_path(path_of(reader, die)) || !element_type(&element))
        return;
    variable.lo = address + reader->module->base;
    variable.hi = variable.lo + size;
    variable.name = name;
    variable.kind = kind_of_type(reader, element);
    variable.element = variable.kind != 0 ? type_size(&element) : 0;
    variable.file = is_static ? kind_named(sets, reader->file, true) : 0;
    if (variable.kind == 0)
        variable.kind = variable.file;
    if (variable.kind != 0)
        vector_push(&sets->variables, variable);
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

static void read_entries(struct reader *reader, Dwarf_Die *parent, int depth, bool in_function)
{
    Dwarf_Die child;
    if (depth >= DEPTH || dwarf_child(parent, &child) != 0)
        return;
    do {
        switch (dwarf_tag(&child)) {
        case DW_TAG_variable:
            add_variable(reader, &child, !in_function);
            break;
        case DW_TAG_subprogram:
            if (!in_function && !die_flag(&child, DW_AT_declaration))
                add_function(reader, &child);
            read_entries(reader, &child, depth + 1, true);
            break;
        case DW_TAG_namespace:
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_lexical_block:
            read_entries(reader, &child, depth + 1, in_function);
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

static void read_unit(struct reader *reader, const struct module_unit *unit)
{
    Dwarf_Die die = unit->die, contents = unit->contents;
    if (dwarf_getsrcfiles(&die, &reader->files, &reader->file_count) != 0)
        reader->file_count = 0;
    reader->file = keep(reader->sets, memory_copy_string(last_component(die_text(&die, DW_AT_name))));
    read_entries(reader, &contents, 0, false);
}

static void read_module(struct atomic_sets *sets, struct module *module)
{
    struct table seen = {0};
    struct reader reader = {.sets = sets, .module = module};
    if (!module->instrumented)
        return;
    module_find_unit(module, 0);
    for (size_t i = 0; i < module->units.count; i++) { /* there is one for each range of code */
        const struct module_unit *unit = &module->units.data[i];
        uint64_t *again = table_put(&seen, (uint64_t)(uintptr_t)unit->contents.addr);
        if (*again == 0 && !unit->own && unit->contents.addr != NULL)
            read_unit(&reader, unit);
        *again = 1;
    }
    table_free(&seen);
}

static int compare_code(const void *left, const void *right)
{
    const struct code *a = left, *b = right;
    return a->lo != b->lo ? (a->lo < b->lo ? -1 : 1) : (a->function > b->function) - (a->function < b->function);
}

static int compare_variables(const void *left, const void *right)
{
    const struct static_variable *a = left, *b = right;
    if (a->lo != b->lo)
        return a->lo < b->lo ? -1 : 1;
    return a->hi != b->hi ? (a->hi > b->hi ? -1 : 1) : strcmp(a->name, b->name);
}

static bool has_part(const struct atomic_sets *sets, uint32_t whole, uint32_t part, int depth)
{
    const kind_list *parts = &kind_at(sets, whole)->parts;
    for (size_t i = 0; depth < PARTS_DEPTH && i < parts->count; i++)
        if (parts->data[i] == part || has_part(sets, parts->data[i], part, depth + 1))
            return true;
    return false;
}

static bool has_pointer(const struct atomic_sets *sets, const struct function *function, uint32_t kind)
{
    for (size_t i = 0; i < function->kinds.count; i++)
        if (function->kinds.data[i] == kind || has_part(sets, kind, function->kinds.data[i], 0))
            return true;
    return false;
}

/* Which kinds have units.  Objects of a type without units belong to their file, if they are static. */
static void decide(struct atomic_sets *sets)
{
    for (uint32_t kind = 1; kind <= sets->kinds.count; kind++)
        for (uint32_t function = 1; function <= sets->functions.count && !kind_at(sets, kind)->shown.is_used;
             function++)
            kind_at(sets, kind)->shown.is_used = atomic_sets_is_unit(sets, function, kind);
    for (size_t i = 0; i < sets->variables.count; i++) {
        struct static_variable *variable = &sets->variables.data[i];
        const struct set_kind *kind = &kind_at(sets, variable->kind)->shown;
        if (variable->file == 0 || kind->is_used || kind->is_refused)
            continue;
        variable->kind = variable->file;
        variable->element = 0;
    }
}

struct atomic_sets *atomic_sets_open(struct symbols *symbols, const struct assumptions *assumptions)
{
    struct atomic_sets *sets = memory_allocate(1, sizeof *sets);
    sets->symbols = symbols;
    sets->assumptions = assumptions;
    uint32_t count;
    struct module *modules = symbols_modules(symbols, &count);
    for (uint32_t i = 0; i < count; i++)
        read_module(sets, &modules[i]);
    if (sets->code.count > 1)
        qsort(sets->code.data, sets->code.count, sizeof *sets->code.data, compare_code);
    if (sets->variables.count > 1)
        qsort(sets->variables.data, sets->variables.count, sizeof *sets->variables.data, compare_variables);
    decide(sets);
    return sets;
}

void atomic_sets_close(struct atomic_sets *sets)
{
    if (sets == NULL)
        return;
    for (size_t i = 0; i < sets->texts.count; i++)
        free(sets->texts.data[i]);
    for (size_t i = 0; i < sets->kinds.count; i++)
        vector_free(&sets->kinds.data[i].parts);
    for (size_t i = 0; i < sets->functions.count; i++)
        vector_free(&sets->functions.data[i].kinds);
    vector_free(&sets->texts);
    vector_free(&sets->kinds);
    vector_free(&sets->functions);
    vector_free(&sets->code);
    vector_free(&sets->variables);
    vector_free(&sets->local_places);
    table_free(&sets->by_name);
    table_free(&sets->by_type);
    table_free(&sets->locals);
    table_free(&sets->members);
    free(sets);
}

/* ---- questions ----------------------------------------------------------------------------------------------------- */

size_t atomic_sets_kind_count(const struct atomic_sets *sets)
{
    return sets->kinds.count;
}

const struct set_kind *atomic_sets_kind(const struct atomic_sets *sets, uint32_t kind)
{
    return &kind_at(sets, kind)->shown;
}

size_t atomic_sets_function_count(const struct atomic_sets *sets)
{
    return sets->functions.count;
}

const struct set_function *atomic_sets_function(const struct atomic_sets *sets, uint32_t function)
{
    return &sets->functions.data[function - 1].shown;
}

uint32_t atomic_sets_function_at(struct atomic_sets *sets, uint64_t address)
{
    size_t begun = sorted_count_up_to(sets->code.data, sets->code.count, lo, address);
    return begun > 0 && address < sets->code.data[begun - 1].hi ? sets->code.data[begun - 1].function : 0;
}

bool atomic_sets_is_own_place(struct atomic_sets *sets, uint64_t address)
{
    for (const struct site *site = symbols_site(sets->symbols, address); site != NULL; site = site->caller)
        if (site->instrumented && !is_library(site->function, site->path != NULL ? site->path : ""))
            return true;
    return false;
}

bool atomic_sets_is_unit(const struct atomic_sets *sets, uint32_t function, uint32_t kind)
{
    if (function == 0)
        return false;
    const struct function *asked = &sets->functions.data[function - 1];
    if (asked->shown.is_refused || asked->shown.is_main || asked->shown.is_library)
        return false;
    if (kind == 0 || asked->shown.is_wanted)
        return true;
    if (kind_at(sets, kind)->shown.is_refused)
        return false;
    if (kind_at(sets, kind)->shown.is_file)
        return asked->shown.is_external && asked->file == kind;
    return has_pointer(sets, asked, kind);
}

static bool fits_block(const struct set_kind *kind, uint64_t size, uint64_t elements)
{
    if (!kind->known || kind->is_refused || !kind->is_used || kind->size == 0)
        return false;
    if (elements > 1 && size % elements == 0)
        return size / elements == kind->size;
    return size == kind->size || (kind->flexible && size > kind->size);
}

uint32_t atomic_sets_kind_of_block(const struct atomic_sets *sets, uint32_t function, uint64_t size, uint64_t elements)
{
    if (function == 0)
        return 0;
    const kind_list *kinds = &sets->functions.data[function - 1].kinds;
    for (size_t i = 0; i < kinds->count; i++)
        if (fits_block(&kind_at(sets, kinds->data[i])->shown, size, elements))
            return kinds->data[i];
    return 0;
}

static bool is_set(const struct atomic_sets *sets, uint32_t kind)
{
    return kind != 0 && kind_at(sets, kind)->shown.is_used && !kind_at(sets, kind)->shown.is_refused;
}

bool atomic_sets_static(struct atomic_sets *sets, uint64_t address, struct set_place *place)
{
    size_t begun = sorted_count_up_to(sets->variables.data, sets->variables.count, lo, address);
    if (begun == 0 || address >= sets->variables.data[begun - 1].hi)
        return false;
    const struct static_variable *variable = &sets->variables.data[begun - 1];
    if (!is_set(sets, variable->kind))
        return false;
    uint64_t offset = address - variable->lo;
    place->kind = variable->kind;
    place->name = variable->name;
    place->base = variable->element != 0 ? address - offset % variable->element : variable->kind;
    return true;
}

static void find_local(struct atomic_sets *sets, const struct wire_frame *frame, uint64_t address,
                       struct set_place *place)
{
    struct module *module = symbols_module_of_code(sets->symbols, frame->pc - 1);
    const struct module_unit *unit =
        module != NULL && module->instrumented ? module_find_unit(module, frame->pc - 1 - module->base) : NULL;
    if (unit == NULL || unit->own || unit->contents.addr == NULL)
        return;
    struct wire_frame relative = {.pc = frame->pc - 1 - module->base, .lo = frame->lo, .cfa = frame->cfa};
    struct reader reader = {.sets = sets, .module = module};
    Dwarf_Die die = unit->die, function, variable, type, element;
    uint64_t start;
    if (dwarf_getsrcfiles(&die, &reader.files, &reader.file_count) != 0)
        reader.file_count = 0;
    if (!scopes_function(&module->scopes, &unit->contents, relative.pc, true, &function) ||
        !local_find(&function, &relative, address, &variable, &type, &start))
        return;
    element = type;
    if (!element_type(&element))
        return;
    uint64_t size = type_size(&element);
    place->kind = kind_of_type(&reader, element);
    place->name = dwarf_diename(&variable);
    place->base = size > 0 ? (address - start) % size : 0;
}

bool atomic_sets_local(struct atomic_sets *sets, const struct wire_frame *frame, uint64_t address,
                       struct set_place *place)
{
    uint64_t key = hash_combine(hash_combine(frame->pc, address - frame->cfa), frame->cfa - frame->lo);
    uint64_t *known = table_put(&sets->locals, key);
    if (*known == 0) {
        struct set_place found = {0};
        find_local(sets, frame, address, &found);
        if (!is_set(sets, found.kind) || found.name == NULL)
            found.kind = 0;
        vector_push(&sets->local_places, found);
        *known = sets->local_places.count;
    }
    *place = sets->local_places.data[*known - 1];
    place->base = address - place->base;
    return place->kind != 0;
}

void atomic_sets_each_variable(const struct atomic_sets *sets, uint32_t kind, atomic_sets_visit *visit, void *context)
{
    for (size_t i = 0; i < sets->variables.count; i++) {
        const struct static_variable *variable = &sets->variables.data[i];
        if (variable->kind == kind)
            visit(context, variable->name,
                  variable->element != 0 ? (variable->hi - variable->lo) / variable->element : 1);
    }
}

const char *atomic_sets_member(struct atomic_sets *sets, uint32_t kind, uint64_t offset, uint32_t size)
{
    const struct kind *asked = kind_at(sets, kind);
    if (asked->shown.is_file || !asked->shown.known)
        return "";
    uint64_t *known = table_put(&sets->members, hash_combine(hash_combine(kind, offset), size));
    if (*known == 0) {
        struct buffer name = {0};
        struct variable variable = {.size = asked->shown.size, .offset = offset};
        Dwarf_Die innermost;
        type_describe(asked->type, size, &name, &variable, &innermost);
        *known = (uint64_t)(uintptr_t)keep(sets, buffer_take(&name));
    }
    return (const char *)(uintptr_t)*known;
}
