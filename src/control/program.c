/* SPDX-License-Identifier: MIT
 *
 * program.c - checks the program before it is run.
 *
 * Only certain cases are refused: an ELF program that is static, for another machine, or without the runtime's symbol.
 * Scripts and unknown files are started; they may start an instrumented program.
 */
#include "control/program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/memory.h"

#define RUNTIME_SYMBOL "raddle_runtime_version"

struct look {
    bool elf;         /* an ELF file that libelf understands */
    bool foreign;     /* for another kind of machine */
    bool relocatable; /* an object file, not a program */
    bool dynamic;     /* has an interpreter: the dynamic linker */
    bool runtime;     /* contains raddle's runtime */
};

static bool section_has_symbol(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    if (data == NULL || header->sh_entsize == 0)
        return false;
    size_t count = header->sh_size / header->sh_entsize;
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol) == NULL)
            return false;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name != NULL && symbol.st_shndx != SHN_UNDEF && strcmp(name, RUNTIME_SYMBOL) == 0)
            return true;
    }
    return false;
}

static bool has_runtime_symbol(Elf *elf)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL)
            continue;
        if ((header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB) && section_has_symbol(elf, section, &header))
            return true;
    }
    return false;
}

static bool has_interpreter(Elf *elf)
{
    size_t count = 0;
    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, (int)i, &header) != NULL && header.p_type == PT_INTERP)
            return true;
    }
    return false;
}

static unsigned own_machine(void)
{
#if defined(__x86_64__)
    return EM_X86_64;
#elif defined(__aarch64__)
    return EM_AARCH64;
#else
    return EM_NONE;
#endif
}

static void look_inside(int fd, struct look *look)
{
    if (elf_version(EV_CURRENT) == EV_NONE)
        return;
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    GElf_Ehdr header;
    if (elf != NULL && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) != NULL) {
        look->elf = true;
        look->foreign = header.e_machine != own_machine() || gelf_getclass(elf) != ELFCLASS64;
        look->relocatable = header.e_type == ET_REL || header.e_type == ET_CORE;
        look->dynamic = has_interpreter(elf);
        look->runtime = has_runtime_symbol(elf);
    }
    if (elf != NULL)
        elf_end(elf);
}

static bool judge(const char *path, const struct look *look, bool preload, struct error *error)
{
    if (!look->elf)
        return true;
    if (look->relocatable)
        return error_set(error, EXIT_UNCONTROLLED, "%s is an object file, not a program: link it with 'raddle cc'",
                         path);
    if (look->foreign)
        return error_set(error, EXIT_UNCONTROLLED,
                         "%s is a program for another kind of machine: build it for this one with 'raddle cc'", path);
    if (!look->dynamic)
        return error_set(error, EXIT_UNCONTROLLED,
                         "%s is statically linked, and raddle can only control dynamically linked programs: build it "
                         "with 'raddle cc' and without -static",
                         path);
    if (!look->runtime && !preload)
        return error_set(error, EXIT_UNCONTROLLED,
                         "%s was not built with raddle: build it with CC='raddle cc', or use --preload to control its "
                         "synchronisation only",
                         path);
    return true;
}

static char *not_found(const char *name, struct error *error)
{
    if (errno == EACCES)
        error_set(error, EXIT_USAGE, "%s may not be executed: permission denied (chmod +x?)", name);
    else if (errno == EISDIR)
        error_set(error, EXIT_USAGE, "%s is a directory, not a program", name);
    else if (errno == ENOENT && strchr(name, '/') == NULL && file_exists(name))
        error_set(error, EXIT_USAGE, "there is no program %s in PATH; did you mean ./%s?", name, name);
    else if (errno == ENOENT)
        error_set(error, EXIT_USAGE, "there is no program %s", name);
    else
        error_set(error, EXIT_USAGE, "cannot run %s: %s", name, strerror(errno));
    return NULL;
}

char *program_find(const char *name, const char *directory, bool preload, struct error *error)
{
    bool relative = strchr(name, '/') != NULL && name[0] != '/';
    char *full = relative && directory != NULL ? file_join(directory, name) : memory_copy_string(name);
    char *path = file_find_program(full);
    free(full);
    if (path == NULL)
        return not_found(name, error);
    struct look look = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) { /* a program may be executable but not readable: then it is started without a check */
        look_inside(fd, &look);
        close(fd);
    }
    if (judge(path, &look, preload, error))
        return path;
    free(path);
    return NULL;
}
