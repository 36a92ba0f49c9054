/* SPDX-License-Identifier: MIT
 *
 * build.c - the name of a build: its build id, or a hash of the file if it has none.
 */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <unistd.h>

#include "memo/memo.h"
#include "util/buffer.h"
#include "util/file.h"
#include "util/hash.h"
#include "util/memory.h"

enum { BUILD_ID_LIMIT = 64 };
#define PROGRAM_LIMIT ((size_t)4 << 30)

static char *build_id(int fd)
{
    char *name = NULL;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return NULL;
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    const void *id;
    ssize_t size = elf != NULL ? dwelf_elf_gnu_build_id(elf, &id) : 0;
    if (size >= 2 && size <= BUILD_ID_LIMIT) {
        struct buffer text = {0};
        for (ssize_t i = 0; i < size; i++)
            buffer_printf(&text, "%02x", ((const unsigned char *)id)[i]);
        name = buffer_take(&text);
    }
    if (elf != NULL)
        elf_end(elf);
    return name;
}

char *memo_build_name(const char *program_file)
{
    int fd = open(program_file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    char *name = build_id(fd);
    close(fd);
    if (name != NULL)
        return name;
    struct buffer content = {0};
    struct error error;
    if (file_read(program_file, PROGRAM_LIMIT, &content, &error))
        name = memory_format("content-%016" PRIx64, hash_bytes(buffer_text(&content), content.size, 0));
    buffer_free(&content);
    return name;
}
