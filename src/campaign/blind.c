/* SPDX-License-Identifier: MIT
 *
 * blind.c - see blind.h.
 */
#include "campaign/blind.h"

#include <ctype.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asm/filter.h"
#include "trace/demangle.h"
#include "util/buffer.h"
#include "util/file.h"

enum { PIECES_MOST = 10000 };

/* ---- assembler ------------------------------------------------------------------------------------------------------ */

static void add_piece(struct blind *blind, char *piece)
{
    bool known = blind->assembler.count >= PIECES_MOST;
    for (size_t i = 0; i < blind->assembler.count && !known; i++)
        known = strcmp(blind->assembler.data[i], piece) == 0;
    if (known)
        free(piece);
    else
        vector_push(&blind->assembler, piece);
}

/* Up to the next tab, or the end; printable.  Moves *at after it. */
static char *take_field(const char **at)
{
    size_t size = strcspn(*at, "\t");
    char *field = memory_format("%.*s", (int)size, *at);
    for (char *c = field; *c != '\0'; c++)
        if (!isprint((unsigned char)*c))
            *c = '?';
    *at += size + ((*at)[size] == '\t');
    return field;
}

static void read_note(struct blind *blind, const char *note)
{
    enum { NOTE_MOST = 4096 };
    if (strlen(note) > NOTE_MOST)
        return;
    char *function = take_field(&note), *place = take_field(&note), *instruction = take_field(&note);
    char *plain = demangle(function);
    const char *name = plain != NULL ? plain : function;
    if (instruction[0] != '\0')
        add_piece(blind, memory_format("%s%s%s: %s", name[0] != '\0' ? name : "file level",
                                       place[0] != '\0' ? " at " : "", place, instruction));
    free(plain);
    free(function);
    free(place);
    free(instruction);
}

void blind_read_notes(struct blind *blind, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t length = strnlen(bytes + at, size - at);
        if (length == size - at)
            return; /* not terminated */
        if (length > 0)
            read_note(blind, bytes + at);
        at += length + 1;
    }
}

static void read_section(struct blind *blind, Elf *elf)
{
    size_t names;
    if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0)
        return;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) != NULL ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name == NULL || strcmp(name, ASM_SECTION) != 0)
            continue;
        const Elf_Data *data = elf_getdata(section, NULL);
        if (data != NULL && data->d_buf != NULL)
            blind_read_notes(blind, data->d_buf, data->d_size);
    }
}

/* Never blocks: the path comes from the program and may name a pipe. */
static void read_file(struct blind *blind, const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE)
        return;
    Elf *elf = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    if (elf != NULL)
        read_section(blind, elf);
    elf_end(elf);
    close(fd);
}

/* ---- libraries ------------------------------------------------------------------------------------------------------ */

bool blind_is_system(const char *path)
{
    static const char *const places[] = {"/lib/", "/lib64/",     "/lib32/",    "/libx32/",
                                         "/usr/", "/gnu/store/", "/nix/store/"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (strncmp(path, places[i], strlen(places[i])) == 0)
            return true;
    /* The kernel's has no path; the runtime's own is no part of the project. */
    return strchr(path, '/') == NULL || strcmp(file_base_name(path), "libraddle_preload.so") == 0;
}

static void add_library(struct blind *blind, const char *path)
{
    for (size_t i = 0; i < blind->libraries.count; i++)
        if (strcmp(blind->libraries.data[i], path) == 0)
            return;
    vector_push(&blind->libraries, memory_copy_string(path));
}

void blind_look(struct blind *blind, const struct wire_modules *modules)
{
    bool instrumented = modules->count > 0 && modules->entries[0].instrumented;
    for (uint32_t i = 0; i < modules->count; i++) {
        const struct wire_module *module = &modules->entries[i];
        if (module->instrumented)
            read_file(blind, module->path);
        else if (instrumented && !blind_is_system(module->path))
            add_library(blind, module->path);
    }
}

void blind_free(struct blind *blind)
{
    for (size_t i = 0; i < blind->libraries.count; i++)
        free(blind->libraries.data[i]);
    for (size_t i = 0; i < blind->assembler.count; i++)
        free(blind->assembler.data[i]);
    vector_free(&blind->libraries);
    vector_free(&blind->assembler);
}
