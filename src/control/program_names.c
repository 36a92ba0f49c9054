/* SPDX-License-Identifier: MIT
 *
 * program_names.c - finds the functions of the program that replace raddle's hooks.
 *
 * Hooks are weak symbols: a definition in the program replaces them, as it replaces libc's.  The names of the hooks are
 * read from the library for --preload, which exports them all; the hooks in the program are those in the runtime's own
 * section.
 */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/program.h"
#include "util/vector.h"

#define RUNTIME_SECTION "raddle_text"

typedef VECTOR(char *) name_list;

/* ---- symbols of a file ----------------------------------------------------------------------------------------------- */

typedef void (*symbol_visitor)(Elf *elf, const GElf_Sym *symbol, const char *name, void *context);

static void visit_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, symbol_visitor visit, void *context)
{
    Elf_Data *data = elf_getdata(section, NULL);
    if (data == NULL || header->sh_entsize == 0)
        return;
    for (size_t i = 0; i < header->sh_size / header->sh_entsize; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol) == NULL)
            return;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name != NULL && symbol.st_shndx != SHN_UNDEF && GELF_ST_BIND(symbol.st_info) != STB_LOCAL)
            visit(elf, &symbol, name, context);
    }
}

/* The symbols that the file defines: all of them, or only the dynamic ones if it is stripped. */
static void visit_symbols(const char *path, symbol_visitor visit, void *context)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE) {
        if (fd >= 0)
            close(fd);
        return;
    }
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    Elf_Scn *section = NULL, *best = NULL;
    GElf_Shdr header, best_header = {0};
    while (elf != NULL && (section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) == NULL)
            continue;
        if (header.sh_type == SHT_SYMTAB || (header.sh_type == SHT_DYNSYM && best == NULL)) {
            best = section;
            best_header = header;
        }
    }
    if (best != NULL)
        visit_section(elf, best, &best_header, visit, context);
    if (elf != NULL)
        elf_end(elf);
    close(fd);
}

/* ---- hooks ----------------------------------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has_name(const name_list *list, const char *name)
{
    return list->count > 0 && bsearch(&name, list->data, list->count, sizeof *list->data, compare_names) != NULL;
}

static void sort_names(name_list *list)
{
    if (list->count > 0)
        qsort(list->data, list->count, sizeof *list->data, compare_names);
}

static void free_names(name_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->data[i]);
    vector_free(list);
}

/* Annotations are for race detectors; programs contain empty definitions of them. */
static bool is_annotation(const char *name)
{
    return strstr(name, "Annotate") != NULL || strcmp(name, "RunningOnValgrind") == 0;
}

static void add_hook(Elf *elf, const GElf_Sym *symbol, const char *name, void *context)
{
    (void)elf;
    if (GELF_ST_BIND(symbol->st_info) == STB_WEAK && GELF_ST_TYPE(symbol->st_info) == STT_FUNC && !is_annotation(name))
        vector_push((name_list *)context, memory_copy_string(name));
}

/* ---- the program ------------------------------------------------------------------------------------------------------ */

struct names_search {
    name_list hooks, own;
    bool heap;
};

static bool is_in_runtime(Elf *elf, const GElf_Sym *symbol)
{
    size_t names;
    GElf_Shdr header;
    Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
    if (section == NULL || gelf_getshdr(section, &header) == NULL || elf_getshdrstrndx(elf, &names) != 0)
        return true; /* not a callable definition */
    const char *name = elf_strptr(elf, names, header.sh_name);
    return name != NULL && strcmp(name, RUNTIME_SECTION) == 0;
}

static bool is_of_heap(const char *name)
{
    static const char *const names[] = {"malloc", "calloc", "realloc", "free"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void look_at(Elf *elf, const GElf_Sym *symbol, const char *name, void *context)
{
    struct names_search *search = context;
    if (!has_name(&search->hooks, name) || is_in_runtime(elf, symbol))
        return;
    search->heap |= is_of_heap(name);
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    if (type == STT_FUNC || type == STT_GNU_IFUNC) /* functions only, not variables */
        vector_push(&search->own, memory_copy_string(name));
}

bool program_own_names(const char *path, const char *hooks_library, struct buffer *names, bool *heap)
{
    struct names_search search = {0};
    visit_symbols(hooks_library, add_hook, &search.hooks);
    sort_names(&search.hooks);
    visit_symbols(path, look_at, &search);
    sort_names(&search.own);
    for (size_t i = 0; i < search.own.count; i++)
        buffer_printf(names, "%s%s", i > 0 ? ", " : "", search.own.data[i]);
    *heap = search.heap;
    bool any = search.own.count > 0;
    free_names(&search.hooks);
    free_names(&search.own);
    return any;
}
