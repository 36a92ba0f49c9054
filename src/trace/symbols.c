/* SPDX-License-Identifier: MIT
 *
 * symbols.c - places in the code; see symbols.h.  Variables are in variable.c.
 *
 * DESIGN
 *   A site is made once per address and kept.  Its line comes from the line table, its function and the chain of
 *   inlined calls from the entries that hold the address.  What the debug information does not know comes from the ELF
 *   symbols, what these do not know is module+offset.
 */
#include "trace/symbols.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/demangle.h"
#include "trace/die.h"
#include "trace/module.h"
#include "trace/variable.h"
#include "util/buffer.h"
#include "util/memory.h"
#include "util/table.h"

enum { SCOPE_DEPTH = 64 }; /* nested inlined calls that are followed */

/* A site with private members. */
struct symbol_place {
    struct site site; /* first: a site is the beginning of a place */
    struct timespec modified;
    char *source;
    bool source_read;
};

struct symbols {
    struct module *modules;
    struct variables **variables; /* by module; made at first use */
    uint32_t count;
    struct table sites; /* address → struct symbol_place */
    struct table names; /* struct module_symbol → readable name */
    VECTOR(struct symbol_place *) places;
    VECTOR(char *) texts;
};

static const struct site unknown_site = {.function = "", .file = "", .module = "", .where = "?", .exact = "?"};

/* ---- open and close ---------------------------------------------------------------------------------------------- */

struct symbols *symbols_open(const struct wire_module *modules, uint32_t count)
{
    struct symbols *symbols = memory_allocate(1, sizeof *symbols);
    if (count > WIRE_MODULES)
        count = WIRE_MODULES;
    symbols->modules = memory_allocate(count > 0 ? count : 1, sizeof *symbols->modules);
    symbols->variables = memory_allocate(count > 0 ? count : 1, sizeof *symbols->variables);
    symbols->count = count;
    for (uint32_t i = 0; i < count; i++)
        module_open(&symbols->modules[i], &modules[i]);
    return symbols;
}

void symbols_close(struct symbols *symbols)
{
    if (symbols == NULL)
        return;
    for (size_t i = 0; i < symbols->places.count; i++) {
        free(symbols->places.data[i]->source);
        free(symbols->places.data[i]);
    }
    for (size_t i = 0; i < symbols->texts.count; i++)
        free(symbols->texts.data[i]);
    for (uint32_t i = 0; i < symbols->count; i++) {
        variables_close(symbols->variables[i]);
        module_close(&symbols->modules[i]);
    }
    vector_free(&symbols->places);
    vector_free(&symbols->texts);
    table_free(&symbols->sites);
    table_free(&symbols->names);
    free(symbols->variables);
    free(symbols->modules);
    free(symbols);
}

/* Takes ownership of the text. */
static const char *keep(struct symbols *symbols, char *text)
{
    vector_push(&symbols->texts, text);
    return text;
}

static struct module *find_module(const struct symbols *symbols, uint64_t address, bool code)
{
    for (uint32_t i = 0; i < symbols->count; i++) {
        struct module *module = &symbols->modules[i];
        if (code ? module_has_code(module, address) : module_has_address(module, address))
            return module;
    }
    return NULL;
}

struct module *symbols_modules(struct symbols *symbols, uint32_t *count)
{
    *count = symbols->count;
    return symbols->modules;
}

struct module *symbols_module_of_code(struct symbols *symbols, uint64_t address)
{
    return find_module(symbols, address, true);
}

bool symbols_is_code(const struct symbols *symbols, uint64_t address)
{
    return find_module(symbols, address, true) != NULL;
}

bool symbols_is_module(const struct symbols *symbols, uint64_t address)
{
    return find_module(symbols, address, false) != NULL;
}

bool symbols_module_offset(const struct symbols *symbols, uint64_t address, uint64_t *module, uint64_t *offset)
{
    const struct module *found = find_module(symbols, address, false);
    if (found == NULL || !found->instrumented)
        return false;
    *module = (uint64_t)(found - symbols->modules);
    *offset = address - found->base;
    return true;
}

/* ---- names of files ---------------------------------------------------------------------------------------------- */

/* Relative to the directory in which it was compiled, else the last component: never a path of this machine. */
static const char *short_file(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    if (path[0] == '/' && length > 1 && strncmp(path, directory, length) == 0 && path[length] == '/')
        path += length + 1;
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    if (path[0] != '/')
        return path;
    return strrchr(path, '/') + 1;
}

static void set_file(struct symbols *symbols, struct site *site, const char *path, const char *directory)
{
    site->file = keep(symbols, memory_copy_string(short_file(path, directory)));
    site->path = keep(symbols, path[0] == '/' ? memory_copy_string(path) : memory_format("%s/%s", directory, path));
}

/* ---- lines and functions ----------------------------------------------------------------------------------------- */

/* Code that the compiler made has line 0: then the line before it. */
static void set_line(struct symbols *symbols, struct site *site, const struct module_unit *unit, uint64_t address)
{
    Dwarf_Die die = unit->die;
    for (int tries = 0; tries < 64 && address >= unit->lo; tries++) {
        Dwarf_Line *line = dwarf_getsrc_die(&die, address);
        int number = 0, column = 0;
        Dwarf_Addr start;
        if (line == NULL || dwarf_lineno(line, &number) != 0 || dwarf_lineaddr(line, &start) != 0)
            return;
        const char *path = dwarf_linesrc(line, NULL, NULL);
        if (number > 0 && path != NULL) {
            dwarf_linecol(line, &column);
            set_file(symbols, site, path, die_text(&die, DW_AT_comp_dir));
            site->line = (uint32_t)number;
            site->column = column > 0 ? (uint32_t)column : 0;
            return;
        }
        if (start == 0 || start > address)
            return;
        address = start - 1;
    }
}

/* The functions that hold the address, outermost first: `functions[0]`, and those inlined into it.  Returns how many. */
static int find_inlined(Dwarf_Die *parent, uint64_t address, Dwarf_Die functions[SCOPE_DEPTH], int count, int depth)
{
    Dwarf_Die child;
    if (depth >= SCOPE_DEPTH || count >= SCOPE_DEPTH || dwarf_child(parent, &child) != 0)
        return count;
    do {
        bool function = dwarf_tag(&child) == DW_TAG_inlined_subroutine;
        if ((!function && dwarf_tag(&child) != DW_TAG_lexical_block) || dwarf_haspc(&child, address) != 1)
            continue;
        if (function)
            functions[count++] = child;
        return find_inlined(&child, address, functions, count, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
    return count;
}

static const char *function_name(struct symbols *symbols, struct module *module, Dwarf_Die *function)
{
    struct buffer name = {0};
    die_add_qualified_name(&module->scopes, function, &name);
    if (name.size == 0)
        buffer_add_string(&name, die_text(function, DW_AT_linkage_name));
    return keep(symbols, buffer_take(&name));
}

/* ---- sites ------------------------------------------------------------------------------------------------------- */

static struct symbol_place *new_place(struct symbols *symbols, const struct module *module)
{
    struct symbol_place *place = memory_allocate(1, sizeof *place);
    place->site = unknown_site;
    place->site.module = module->name;
    place->site.instrumented = module->instrumented;
    place->modified = module->modified;
    vector_push(&symbols->places, place);
    return place;
}

/* The readable name, without additions of the compiler. */
/* gcc and clang make a variable for each name of an OpenMP critical section; NULL: it is not one. */
static char *critical_name(const char *symbol)
{
    static const char prefix[] = ".gomp_critical_user_", suffix[] = ".var";
    if (strncmp(symbol, prefix, strlen(prefix)) != 0)
        return NULL;
    const char *name = symbol + strlen(prefix);
    size_t length = strlen(name);
    if (length >= strlen(suffix) && strcmp(name + length - strlen(suffix), suffix) == 0)
        length -= strlen(suffix);
    return memory_format(length > 0 ? "critical:%.*s" : "critical", (int)length, name);
}

static const char *symbol_name(struct symbols *symbols, const struct module_symbol *symbol)
{
    uint64_t *known = table_put(&symbols->names, (uint64_t)(uintptr_t)symbol);
    if (*known == 0) {
        char *name = critical_name(symbol->name);
        if (name == NULL)
            name = demangle(symbol->name);
        *known = (uint64_t)(uintptr_t)(name != NULL ? keep(symbols, name) : symbol->name);
    }
    return (const char *)(uintptr_t)*known;
}

/* Fills in the texts, after all other members. */
static void set_texts(struct symbols *symbols, struct site *site, struct module *module, uint64_t address)
{
    const struct module_symbol *symbol = module_find_function(module, address);
    const char *name =
        symbol != NULL && (site->function[0] == '\0' || site->line == 0) ? symbol_name(symbols, symbol) : "";
    if (site->function[0] == '\0')
        site->function = name;
    if (site->line > 0) {
        site->where = keep(symbols, memory_format("%s:%u", site->file, site->line));
        site->exact = site->column > 0 ? keep(symbols, memory_format("%s:%u", site->where, site->column)) : site->where;
    } else if (symbol != NULL) {
        uint64_t offset = address - symbol->address;
        site->exact = site->where = keep(symbols, memory_format("%s+0x%lx", name, (unsigned long)offset));
    } else {
        site->exact = site->where = keep(symbols, memory_format("%s+0x%lx", module->name, (unsigned long)address));
    }
}

/* The place where `function` was inlined. */
static struct symbol_place *caller_place(struct symbols *symbols, struct module *module, const struct module_unit *unit,
                                         Dwarf_Die *function, Dwarf_Die *caller)
{
    struct symbol_place *place = new_place(symbols, module);
    Dwarf_Die die = unit->die;
    Dwarf_Files *files;
    size_t count;
    uint64_t number = die_number(function, DW_AT_call_file, UINT64_MAX);
    place->site.line = (uint32_t)die_number(function, DW_AT_call_line, 0);
    place->site.column = (uint32_t)die_number(function, DW_AT_call_column, 0);
    place->site.function = function_name(symbols, module, caller);
    const char *path = NULL;
    if (dwarf_getsrcfiles(&die, &files, &count) == 0 && number < count)
        path = dwarf_filesrc(files, number, NULL, NULL);
    if (path != NULL)
        set_file(symbols, &place->site, path, die_text(&die, DW_AT_comp_dir));
    else
        place->site.line = 0;
    return place;
}

static void set_functions(struct symbols *symbols, struct symbol_place *place, struct module *module,
                          const struct module_unit *unit, uint64_t address)
{
    Dwarf_Die functions[SCOPE_DEPTH];
    if (!scopes_function(&module->scopes, &unit->contents, address, false, &functions[0]))
        return;
    int count = find_inlined(&functions[0], address, functions, 1, 0);
    place->site.function = function_name(symbols, module, &functions[count - 1]);
    for (int i = count - 1; i > 0; i--) {
        struct symbol_place *caller = caller_place(symbols, module, unit, &functions[i], &functions[i - 1]);
        set_texts(symbols, &caller->site, module, address);
        place->site.caller = &caller->site;
        place = caller;
    }
}

/* Marks code of raddle, and the code that it was inlined into. */
static void mark_own(struct symbol_place *place)
{
    for (struct site *site = &place->site; site != NULL; site = (struct site *)(uintptr_t)site->caller) {
        site->own = true;
        site->instrumented = false;
    }
}

static struct symbol_place *make_place(struct symbols *symbols, struct module *module, uint64_t address)
{
    struct symbol_place *place = new_place(symbols, module);
    uint64_t relative = address - module->base;
    const struct module_unit *unit = module_find_unit(module, relative);
    if (unit != NULL) {
        set_line(symbols, &place->site, unit, relative);
        set_functions(symbols, place, module, unit, relative);
        if (unit->own)
            mark_own(place);
    }
    set_texts(symbols, &place->site, module, relative);
    return place;
}

static const struct site *site_at(struct symbols *symbols, uint64_t address)
{
    uint64_t *known = table_get(&symbols->sites, address);
    if (known != NULL)
        return &((struct symbol_place *)(uintptr_t)*known)->site;
    struct module *module = find_module(symbols, address, true);
    if (module == NULL)
        return &unknown_site;
    struct symbol_place *place = make_place(symbols, module, address);
    *table_put(&symbols->sites, address) = (uint64_t)(uintptr_t)place;
    return &place->site;
}

const struct site *symbols_site(struct symbols *symbols, uint64_t pc)
{
    return pc == 0 ? &unknown_site : site_at(symbols, pc - 1);
}

const struct site *symbols_function(struct symbols *symbols, uint64_t pc)
{
    return site_at(symbols, pc);
}

/* ---- source text ------------------------------------------------------------------------------------------------- */

static bool is_later(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/* NULL if the file is missing, or newer than the program: then it would be the wrong text. */
static FILE *open_source(const struct symbol_place *place)
{
    int fd = open(place->site.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    struct stat status;
    FILE *file = NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && !is_later(status.st_mtim, place->modified))
        file = fdopen(fd, "r");
    if (file == NULL)
        close(fd);
    return file;
}

static char *read_line(FILE *file, uint32_t number)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = 0;
    for (uint32_t i = 0; i < number && length >= 0; i++)
        length = getline(&line, &capacity, file);
    if (length < 0 || line == NULL) {
        free(line);
        return NULL;
    }
    while (length > 0 && (unsigned char)line[length - 1] <= ' ')
        line[--length] = '\0';
    size_t blank = strspn(line, " \t");
    memmove(line, line + blank, strlen(line + blank) + 1);
    return line;
}

const char *symbols_source(struct symbols *symbols, const struct site *site)
{
    (void)symbols;
    if (site->path == NULL || site->line == 0)
        return NULL;
    struct symbol_place *place =
        (struct symbol_place *)(uintptr_t)site; /* only unknown_site is not in a place, and it has no path */
    if (!place->source_read) {
        place->source_read = true;
        FILE *file = open_source(place);
        if (file != NULL) {
            place->source = read_line(file, site->line);
            fclose(file);
        }
    }
    return place->source;
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static struct variables *module_variables(struct symbols *symbols, struct module *module)
{
    struct variables **variables = &symbols->variables[module - symbols->modules];
    if (*variables == NULL)
        *variables = variables_open(module);
    return *variables;
}

/* Without debug information: the ELF symbol, else the module. */
static void name_by_symbol(struct symbols *symbols, struct module *module, uint64_t relative, struct variable *variable)
{
    const struct module_symbol *symbol = module_find_object(module, relative);
    if (symbol == NULL)
        symbol = module_find_function(module, relative);
    if (symbol != NULL)
        *variable = (struct variable){
            .name = symbol_name(symbols, symbol), .offset = relative - symbol->address, .size = symbol->size};
    else
        *variable = (struct variable){.name = module->name, .offset = relative};
}

bool symbols_variable(struct symbols *symbols, uint64_t address, uint32_t size, struct variable *variable)
{
    struct module *module = find_module(symbols, address, false);
    if (module == NULL)
        return false;
    uint64_t relative = address - module->base;
    if (!variables_find(module_variables(symbols, module), relative, size, variable))
        name_by_symbol(symbols, module, relative, variable);
    return true;
}

/* Offset of the program's own thread-local block from the thread pointer. */
static uint64_t tls_block(const struct module *module)
{
    uint64_t align =
        module->tls_align > 0 && (module->tls_align & (module->tls_align - 1)) == 0 ? module->tls_align : 1;
#if defined(__aarch64__)
    return (16 + align - 1) & ~(align - 1); /* after the thread pointer and its two reserved words */
#else
    return -((module->tls_size + align - 1) & ~(align - 1)); /* before the thread pointer */
#endif
}

bool symbols_thread_block(const struct symbols *symbols, uint64_t thread_pointer, uint64_t *lo, uint64_t *hi)
{
    /* Only for the program itself, which is the first module: the blocks of libraries are known only to the dynamic
       linker. */
    const struct module *module = symbols->count > 0 ? &symbols->modules[0] : NULL;
    if (module == NULL || !module->has_tls || thread_pointer == 0)
        return false;
    *lo = thread_pointer + tls_block(module);
    return !__builtin_add_overflow(*lo, module->tls_size, hi) && *lo < *hi;
}

bool symbols_thread_local(struct symbols *symbols, uint64_t thread_pointer, uint64_t address, uint32_t size,
                          struct variable *variable)
{
    uint64_t lo, hi;
    return symbols_thread_block(symbols, thread_pointer, &lo, &hi) && address >= lo && address < hi &&
           variables_find_tls(module_variables(symbols, &symbols->modules[0]), address - lo, size, variable);
}

bool symbols_local(struct symbols *symbols, const struct wire_frame *frame, uint64_t address, uint32_t size,
                   struct variable *variable)
{
    uint64_t pc = frame->pc - 1; /* within the call */
    struct module *module = find_module(symbols, pc, true);
    const struct module_unit *unit = module != NULL ? module_find_unit(module, pc - module->base) : NULL;
    if (unit == NULL || unit->own || unit->contents.addr == NULL)
        return false;
    struct wire_frame relative = {.pc = pc - module->base, .lo = frame->lo, .cfa = frame->cfa};
    return variables_find_local(module_variables(symbols, module), unit, &relative, address, size, variable);
}

const struct structure *symbols_pointed(struct symbols *symbols, uint64_t pc, uint64_t size)
{
    struct module *module = pc != 0 ? find_module(symbols, pc - 1, true) : NULL;
    const struct module_unit *unit = module != NULL ? module_find_unit(module, pc - 1 - module->base) : NULL;
    if (unit == NULL || unit->own || unit->contents.addr == NULL)
        return NULL;
    return variables_find_pointed(module_variables(symbols, module), unit, pc - 1 - module->base, size);
}

void symbols_member(struct symbols *symbols, const struct structure *structure, uint64_t offset, uint32_t size,
                    struct variable *variable)
{
    (void)symbols;
    variables_find_member(structure, offset, size, variable);
}

const char *symbols_enumerator(struct symbols *symbols, const struct variable *variable, uint64_t value)
{
    (void)symbols;
    return variable->detail != NULL ? variable_enumerator(variable, value) : NULL;
}
