/* SPDX-License-Identifier: MIT
 *
 * build.c - compares builds of a program.
 */
#include "control/build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/hash.h"
#include "util/memory.h"
#include "wire/wire_check.h"

#define MODULE_LIMIT ((size_t)1 << 30)

static uint64_t add_file(uint64_t hash, const char *path)
{
    struct buffer content = {0};
    struct error error;
    if (file_read(path, MODULE_LIMIT, &content, &error))
        hash = hash_bytes(buffer_text(&content), content.size, hash_combine(hash, content.size));
    buffer_free(&content);
    return hash;
}

char *build_hash(const struct server *server)
{
    struct wire_modules *modules = memory_allocate(1, sizeof *modules);
    uint64_t hash = add_file(0, server->setup->path);
    wire_check_modules(server->wire, modules);
    for (uint32_t i = 0; i < modules->count; i++)
        if (modules->entries[i].instrumented && strcmp(modules->entries[i].path, server->setup->path) != 0)
            hash = add_file(hash, modules->entries[i].path);
    free(modules);
    return memory_format("%016" PRIx64, hash);
}

bool build_is_unchanged(const struct failure *failure, const struct server *server)
{
    if (failure->build == NULL)
        return false;
    char *build = build_hash(server);
    bool same = strcmp(build, failure->build) == 0;
    free(build);
    return same;
}
