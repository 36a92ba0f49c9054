/* SPDX-License-Identifier: MIT
 *
 * module.c - see module.h.
 *
 * DESIGN
 *   libdw is used without libdwfl: modules are few, their bias is known, and nothing may be searched in the network.
 *   Compilation units are indexed here by their ranges, because clang writes no .debug_aranges.
 */
#include "trace/module.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/die.h"

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Never blocks: the path comes from the program and may name a pipe.  Not mapped: the file may be linked again
   meanwhile. */
static bool open_elf(struct module_file *file, const char *path)
{
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file->fd < 0)
        return false;
    struct stat status;
    if (fstat(file->fd, &status) == 0 && S_ISREG(status.st_mode)) {
        file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
        if (file->elf != NULL && elf_kind(file->elf) == ELF_K_ELF)
            return true;
        elf_end(file->elf);
        file->elf = NULL;
    }
    close(file->fd);
    file->fd = -1;
    return false;
}

static void close_elf(struct module_file *file)
{
    elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
    *file = (struct module_file){.fd = -1};
}

static Elf_Scn *find_section(Elf *elf, const char *wanted, GElf_Shdr *header)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL; section = elf_nextscn(elf, section)) {
        if (gelf_getshdr(section, header) == NULL)
            continue;
        const char *name = elf_strptr(elf, names, header->sh_name);
        if (name != NULL && strcmp(name, wanted) == 0)
            return section;
    }
    return NULL;
}

/* ---- separate debug files ---------------------------------------------------------------------------------------- */

static bool try_debug_file(struct module *module, char *path)
{
    bool opened = open_elf(&module->debug_file, path);
    free(path);
    if (opened)
        module->dwarf = dwarf_begin_elf(module->debug_file.elf, DWARF_C_READ, NULL);
    if (module->dwarf == NULL)
        close_elf(&module->debug_file);
    return module->dwarf != NULL;
}

/* By build id, below the directory where distributions put them. */
static bool try_build_id(struct module *module)
{
    const struct module_identity *identity = &module->identity;
    if (identity->build_id_size < 2)
        return false;
    char hexadecimal[2 * MODULE_BUILD_ID + 1];
    for (uint32_t i = 0; i < identity->build_id_size; i++)
        snprintf(hexadecimal + 2 * i, 3, "%02x", identity->build_id[i]);
    return try_debug_file(module,
                          memory_format("/usr/lib/debug/.build-id/%.2s/%s.debug", hexadecimal, hexadecimal + 2));
}

/* By the name in .gnu_debuglink, in the directory of the file. */
static bool try_debug_link(struct module *module)
{
    GElf_Word crc;
    const char *link = dwelf_elf_gnu_debuglink(module->file.elf, &crc);
    if (link == NULL || link[0] == '\0' || strchr(link, '/') != NULL)
        return false;
    int directory = (int)(strlen(module->path) - strlen(module->name));
    return try_debug_file(module, memory_format("%.*s.debug/%s", directory, module->path, link)) ||
           try_debug_file(module, memory_format("%.*s%s", directory, module->path, link));
}

static void read_build_id(struct module *module)
{
    const void *id;
    ssize_t size = dwelf_elf_gnu_build_id(module->file.elf, &id);
    if (size <= 0 || size > MODULE_BUILD_ID)
        return;
    module->identity.build_id_size = (uint32_t)size;
    memcpy(module->identity.build_id, id, (size_t)size);
}

static void open_dwarf(struct module *module)
{
    GElf_Shdr header;
    read_build_id(module);
    if (find_section(module->file.elf, ".debug_info", &header) != NULL ||
        find_section(module->file.elf, ".zdebug_info", &header) != NULL)
        module->dwarf = dwarf_begin_elf(module->file.elf, DWARF_C_READ, NULL);
    /* For other libraries names are enough; unpacking libc's debug file takes longer than a campaign. */
    if (module->dwarf == NULL && module->instrumented && !try_build_id(module))
        try_debug_link(module);
    Elf *elf = module->dwarf != NULL ? dwarf_getelf(module->dwarf) : NULL;
    if (elf != NULL &&
        (find_section(elf, ".debug_info", &header) != NULL || find_section(elf, ".zdebug_info", &header)))
        module->identity.debug_size = header.sh_size;
}

/* ---- open and close ---------------------------------------------------------------------------------------------- */

static void add_segment(struct module *module, struct module_segment segment)
{
    bool first = module->segments.count == 0;
    vector_push(&module->segments, segment);
    if (first || segment.lo < module->all.lo)
        module->all.lo = segment.lo;
    if (first || segment.hi > module->all.hi)
        module->all.hi = segment.hi;
}

static void read_segments(struct module *module)
{
    size_t count;
    if (elf_getphdrnum(module->file.elf, &count) != 0)
        return;
    for (size_t i = 0; i < count && i < 4096; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(module->file.elf, (int)i, &header) == NULL)
            continue;
        uint64_t end;
        if (header.p_type == PT_LOAD && !__builtin_add_overflow(header.p_vaddr, header.p_memsz, &end)) {
            add_segment(module, (struct module_segment){header.p_vaddr, end});
        } else if (header.p_type == PT_TLS) {
            module->has_tls = true;
            module->tls_start = header.p_vaddr;
            module->tls_size = header.p_memsz;
            module->tls_align = header.p_align;
        } else if (header.p_type == PT_INTERP) {
            module->has_interpreter = true;
        }
    }
}

void module_open(struct module *module, const struct wire_module *wire)
{
    elf_version(EV_CURRENT);
    *module = (struct module){.base = wire->base, .code_lo = wire->lo, .code_hi = wire->hi};
    module->file.fd = module->debug_file.fd = -1;
    module->instrumented = wire->instrumented != 0;
    size_t length = strnlen(wire->path, sizeof wire->path);
    module->path = memory_allocate(length + 1, 1);
    memcpy(module->path, wire->path, length);
    const char *slash = strrchr(module->path, '/');
    module->name = module->path + (slash != NULL ? slash + 1 - module->path : 0);
    if (module->path[0] != '/' || !open_elf(&module->file, module->path))
        return;
    struct stat status;
    if (fstat(module->file.fd, &status) == 0)
        module->modified = status.st_mtim;
    read_segments(module);
    open_dwarf(module);
}

void module_close(struct module *module)
{
    scopes_free(&module->scopes);
    dwarf_end(module->dwarf);
    close_elf(&module->debug_file);
    close_elf(&module->file);
    for (size_t i = 0; i < module->texts.count; i++)
        free(module->texts.data[i]);
    vector_free(&module->texts);
    vector_free(&module->segments);
    vector_free(&module->units);
    vector_free(&module->functions);
    vector_free(&module->objects);
    free(module->path);
}

bool module_has_code(const struct module *module, uint64_t address)
{
    return address >= module->code_lo && address < module->code_hi;
}

bool module_has_address(const struct module *module, uint64_t address)
{
    if (module_has_code(module, address))
        return true;
    uint64_t relative = address - module->base;
    if (relative < module->all.lo || relative >= module->all.hi)
        return false;
    for (size_t i = 0; i < module->segments.count; i++)
        if (relative >= module->segments.data[i].lo && relative < module->segments.data[i].hi)
            return true;
    return false;
}

/* ---- compilation units ------------------------------------------------------------------------------------------- */

/* The runtime is linked into the program with its debug information.  Its units are those compiled in the same
   directory as the unit that defines its version. */
static bool unit_defines_version(Dwarf_Die *unit)
{
    Dwarf_Die child;
    if (strcmp(die_text(unit, DW_AT_name), "src/runtime/init.c") != 0 || dwarf_child(unit, &child) != 0)
        return false;
    do {
        const char *name = dwarf_tag(&child) == DW_TAG_variable ? dwarf_diename(&child) : NULL;
        if (name != NULL && strcmp(name, "raddle_runtime_version") == 0)
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static void mark_own_units(struct module *module)
{
    const char *directory = NULL;
    for (size_t i = 0; i < module->units.count && directory == NULL; i++)
        if (unit_defines_version(&module->units.data[i].die))
            directory = die_text(&module->units.data[i].die, DW_AT_comp_dir);
    for (size_t i = 0; i < module->units.count && directory != NULL; i++) {
        Dwarf_Die *die = &module->units.data[i].die;
        module->units.data[i].own = strncmp(die_text(die, DW_AT_name), "src/runtime/", strlen("src/runtime/")) == 0 &&
                                    strcmp(die_text(die, DW_AT_comp_dir), directory) == 0;
    }
}

static int compare_units(const void *left, const void *right)
{
    const struct module_unit *a = left, *b = right;
    return a->lo != b->lo ? (a->lo < b->lo ? -1 : 1) : (a->hi > b->hi) - (a->hi < b->hi);
}

static void read_units(struct module *module)
{
    module->units_read = true;
    if (module->dwarf == NULL)
        return;
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, contents;
    uint8_t type;
    while (dwarf_get_units(module->dwarf, unit, &unit, NULL, &type, &die, &contents) == 0) {
        if (type != DW_UT_compile && type != DW_UT_skeleton)
            continue;
        bool split = type == DW_UT_skeleton && contents.addr != NULL;
        Dwarf_Addr base, lo, hi;
        ptrdiff_t next = 0;
        while ((next = dwarf_ranges(&die, next, &base, &lo, &hi)) > 0)
            if (lo < hi)
                vector_push(&module->units, (struct module_unit){lo, hi, die, split ? contents : die, false});
    }
    if (module->units.count > 0)
        qsort(module->units.data, module->units.count, sizeof *module->units.data, compare_units);
    mark_own_units(module);
}

const struct module_unit *module_find_unit(struct module *module, uint64_t address)
{
    if (!module->units_read)
        read_units(module);
    size_t begun = sorted_count_up_to(module->units.data, module->units.count, lo, address);
    return begun > 0 && address < module->units.data[begun - 1].hi ? &module->units.data[begun - 1] : NULL;
}

/* ---- ELF symbols ------------------------------------------------------------------------------------------------- */

/* "stdout@GLIBC_2.2.5", as in a program that got a copy of a library's variable, is "stdout". */
static const char *plain_name(struct module *module, const char *name)
{
    const char *at = strchr(name, '@');
    if (at == NULL || at == name)
        return name;
    vector_push(&module->texts, memory_format("%.*s", (int)(at - name), name));
    return module->texts.data[module->texts.count - 1];
}

static void read_symbol_section(struct module *module, Elf *elf, GElf_Word type)
{
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != type || header.sh_entsize == 0)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        size_t count = data != NULL ? data->d_size / header.sh_entsize : 0;
        for (size_t i = 1; i < count; i++) {
            GElf_Sym symbol;
            if (gelf_getsym(data, (int)i, &symbol) == NULL || symbol.st_shndx == SHN_UNDEF)
                continue;
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (name == NULL || name[0] == '\0')
                continue;
            int kind = GELF_ST_TYPE(symbol.st_info);
            struct module_symbol entry = {symbol.st_value, symbol.st_size, plain_name(module, name),
                                          GELF_ST_BIND(symbol.st_info) == STB_LOCAL};
            if (kind == STT_FUNC || kind == STT_GNU_IFUNC)
                vector_push(&module->functions, entry);
            else if (kind == STT_OBJECT)
                vector_push(&module->objects, entry);
        }
    }
}

/* Several names of one place: the shortest global one, then alphabetically, so that the choice is always the same. */
static int compare_symbols(const void *left, const void *right)
{
    const struct module_symbol *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->local != b->local)
        return a->local ? 1 : -1;
    size_t a_length = strlen(a->name), b_length = strlen(b->name);
    return a_length != b_length ? (a_length < b_length ? -1 : 1) : strcmp(a->name, b->name);
}

static void read_symbols(struct module *module)
{
    module->symbols_read = true;
    if (module->file.elf == NULL)
        return;
    read_symbol_section(module, module->file.elf, SHT_SYMTAB);
    if (module->functions.count == 0 && module->debug_file.elf != NULL)
        read_symbol_section(module, module->debug_file.elf, SHT_SYMTAB);
    if (module->functions.count == 0)
        read_symbol_section(module, module->file.elf, SHT_DYNSYM);
    if (module->functions.count > 0)
        qsort(module->functions.data, module->functions.count, sizeof *module->functions.data, compare_symbols);
    if (module->objects.count > 0)
        qsort(module->objects.data, module->objects.count, sizeof *module->objects.data, compare_symbols);
}

/* The symbol that begins last at or before the address, if it reaches that far. */
static const struct module_symbol *find_symbol(const struct module_symbol *symbols, size_t count, uint64_t address)
{
    size_t begun = sorted_count_up_to(symbols, count, address, address);
    if (begun == 0)
        return NULL;
    uint64_t start = symbols[begun - 1].address;
    size_t first = begun - 1;
    while (first > 0 && symbols[first - 1].address == start)
        first--;
    for (size_t i = first; i < begun; i++) {
        uint64_t size = symbols[i].size > 0 ? symbols[i].size : 1;
        if (address - start < size)
            return &symbols[i];
    }
    return NULL;
}

const struct module_symbol *module_find_function(struct module *module, uint64_t address)
{
    if (!module->symbols_read)
        read_symbols(module);
    return find_symbol(module->functions.data, module->functions.count, address);
}

const struct module_symbol *module_find_object(struct module *module, uint64_t address)
{
    if (!module->symbols_read)
        read_symbols(module);
    return find_symbol(module->objects.data, module->objects.count, address);
}
