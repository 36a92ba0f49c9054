/* SPDX-License-Identifier: MIT
 *
 * section.c - see section.h.
 */
#include "analyze/section.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

enum { ALIGNMENT = 8 };

static size_t padded(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void section_add(struct buffer *section, const char *name, const void *bytes, size_t size)
{
    struct section_header header = {.size = size, .name = (uint32_t)strlen(name) + 1};
    memcpy(header.magic, SECTION_MAGIC, sizeof header.magic);
    buffer_add(section, &header, sizeof header);
    buffer_add(section, name, header.name);
    if (size > 0)
        buffer_add(section, bytes, size);
    while (section->size % ALIGNMENT != 0)
        buffer_add_char(section, '\0');
}

/* Zeros between the sections of two objects are passed over. */
static size_t skip_zeros(const char *bytes, size_t size, size_t at)
{
    while (at < size && bytes[at] == '\0')
        at++;
    return at;
}

bool section_parse(const char *path, const void *bytes, size_t size, struct section_records *records,
                   struct error *error)
{
    const char *text = bytes;
    for (size_t at = skip_zeros(text, size, 0); at < size; at = skip_zeros(text, size, at)) {
        struct section_header header = {0};
        size_t left = size - at;
        if (left >= sizeof header)
            memcpy(&header, text + at, sizeof header);
        bool good = left >= sizeof header && memcmp(header.magic, SECTION_MAGIC, sizeof header.magic) == 0 &&
                    header.name > 0 && header.name <= left - sizeof header &&
                    header.size <= left - sizeof header - header.name &&
                    text[at + sizeof header + header.name - 1] == '\0';
        if (!good)
            return error_set(error, EXIT_USAGE,
                             "the section " SECTION_NAME " of %s is damaged at byte %zu: build it again", path, at);
        const char *name = text + at + sizeof header;
        if (header.size == 0) {
            names_add(&records->without, name);
        } else {
            struct section_record record = {memory_copy_string(name), memory_allocate(1, header.size), header.size};
            memcpy(record.bytes, name + header.name, header.size);
            vector_push(&records->all, record);
        }
        size_t whole = padded(sizeof header + header.name + header.size);
        at += whole < left ? whole : left;
    }
    return true;
}

static bool parse_elf(Elf *elf, const char *path, struct section_records *records, struct error *error)
{
    size_t names;
    if (elf == NULL || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0)
        return error_set(error, EXIT_USAGE, "%s is no program, library or object file (ELF)", path);
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) != NULL ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name == NULL || strcmp(name, SECTION_NAME) != 0)
            continue;
        Elf_Data *data = elf_rawdata(section, NULL);
        if (data == NULL || data->d_buf == NULL)
            break;
        return section_parse(path, data->d_buf, data->d_size, records, error);
    }
    return error_set(error, EXIT_USAGE,
                     "%s has no IR in it: build it with `raddle cc --ir`, or with RADDLE_IR=1 in the environment",
                     path);
}

bool section_read(const char *path, struct section_records *records, struct error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(error, EXIT_USAGE, "%s cannot be read: %m", path);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    bool good = parse_elf(elf, path, records, error);
    elf_end(elf);
    close(fd);
    return good;
}

void section_records_free(struct section_records *records)
{
    for (size_t i = 0; i < records->all.count; i++) {
        free(records->all.data[i].name);
        free(records->all.data[i].bytes);
    }
    vector_free(&records->all);
    names_free(&records->without);
}
