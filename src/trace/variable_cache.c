/* SPDX-License-Identifier: MIT
 *
 * variable_cache.c - see variable_cache.h.
 *
 * DESIGN
 *   A file is a header, entries, names, all as they are in memory; the digest in the header is of everything else.
 */
#include "trace/variable_cache.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/hash.h"
#include "util/memory.h"

enum { FILES_MOST = 64, FILE_MOST = 64 << 20, DEBUG_LEAST = 4 << 20 }; /* debug information that is worth a file */
static const char magic[8] = "raddleva";

struct header {
    char magic[8];
    uint32_t version, count;
    uint64_t names_size;
    uint64_t digest; /* of the whole file, with 0 here */
    struct module_identity identity;
};

struct entry {
    uint64_t address, size, type;
    uint32_t name; /* where it begins in the names */
    uint32_t thread_local;
};

/* ---- the content ------------------------------------------------------------------------------------------------------ */

static uint64_t digest_of(const struct header *header, const char *rest, size_t size)
{
    struct header plain = *header;
    plain.digest = 0;
    return hash_bytes(rest, size, hash_bytes(&plain, sizeof plain, VARIABLE_CACHE_VERSION));
}

void variable_cache_format(const struct module_identity *identity, const struct cached_variables *variables,
                           struct buffer *file)
{
    assert(file->size == 0 && variables->list.count < UINT32_MAX);
    struct header header = {
        .version = VARIABLE_CACHE_VERSION, .count = (uint32_t)variables->list.count, .identity = *identity};
    memcpy(header.magic, magic, sizeof magic);
    buffer_add(file, &header, sizeof header);
    for (size_t i = 0; i < variables->list.count; i++) {
        const struct cached_variable *from = &variables->list.data[i];
        struct entry entry = {from->address, from->size, from->type, (uint32_t)header.names_size, from->thread_local};
        buffer_add(file, &entry, sizeof entry);
        header.names_size += strlen(from->name) + 1;
    }
    for (size_t i = 0; i < variables->list.count; i++)
        buffer_add(file, variables->list.data[i].name, strlen(variables->list.data[i].name) + 1);
    header.digest = digest_of(&header, file->data + sizeof header, file->size - sizeof header);
    memcpy(file->data, &header, sizeof header);
}

/* Whether it is a header that this file can have; then so many entries and names are there. */
static bool is_header(const struct header *header, const struct module_identity *identity, const struct buffer *file)
{
    size_t rest = file->size - sizeof *header;
    return memcmp(header->magic, magic, sizeof magic) == 0 && header->version == VARIABLE_CACHE_VERSION &&
           memcmp(&header->identity, identity, sizeof *identity) == 0 && header->count <= rest / sizeof(struct entry) &&
           header->names_size == rest - header->count * sizeof(struct entry) &&
           (header->names_size == 0 || file->data[file->size - 1] == '\0') &&
           header->digest == digest_of(header, file->data + sizeof *header, rest);
}

static bool add_entries(const struct header *header, const char *at, struct cached_variables *variables)
{
    const char *names = at + header->count * sizeof(struct entry);
    vector_reserve(&variables->list, header->count);
    for (uint32_t i = 0; i < header->count; i++) {
        struct entry entry;
        memcpy(&entry, at + i * sizeof entry, sizeof entry);
        if (entry.name >= header->names_size || entry.thread_local > 1)
            return false;
        vector_push(&variables->list, (struct cached_variable){entry.address, entry.size, entry.type,
                                                               names + entry.name, entry.thread_local != 0});
    }
    return true;
}

bool variable_cache_parse(const struct module_identity *identity, struct buffer *file,
                          struct cached_variables *variables)
{
    struct header header;
    *variables = (struct cached_variables){.file = *file};
    *file = (struct buffer){0};
    if (variables->file.size < sizeof header)
        return false;
    memcpy(&header, variables->file.data, sizeof header);
    return is_header(&header, identity, &variables->file) &&
           add_entries(&header, variables->file.data + sizeof header, variables);
}

void cached_variables_free(struct cached_variables *variables)
{
    vector_free(&variables->list);
    buffer_free(&variables->file);
}

/* ---- files ------------------------------------------------------------------------------------------------------------ */

/* NULL: nothing is kept. */
static char *directory(void)
{
    const char *own = getenv("RADDLE_CACHE"), *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own != NULL && own[0] != '\0')
        return strcmp(own, "off") == 0 ? NULL : file_absolute(own);
    if (caches != NULL && caches[0] == '/')
        return file_join(caches, "raddle");
    return home != NULL && home[0] == '/' ? file_join(home, ".cache/raddle") : NULL;
}

static char *name_of(const char *where, const struct module_identity *identity)
{
    struct buffer name = {0};
    buffer_printf(&name, "%s/variables-", where);
    for (uint32_t i = 0; i < identity->build_id_size; i++)
        buffer_printf(&name, "%02x", identity->build_id[i]);
    return buffer_take(&name);
}

bool variable_cache_has(const struct module *module)
{
    return module->identity.build_id_size > 0 && module->identity.debug_size >= DEBUG_LEAST;
}

bool variable_cache_read(const struct module *module, struct cached_variables *variables)
{
    struct error error = {0};
    struct buffer file = {0};
    *variables = (struct cached_variables){0};
    char *where = variable_cache_has(module) ? directory() : NULL;
    if (where == NULL)
        return false;
    char *name = name_of(where, &module->identity);
    bool good = file_exists(name) && file_read(name, FILE_MOST, &file, &error) &&
                variable_cache_parse(&module->identity, &file, variables);
    if (good)
        utimensat(AT_FDCWD, name, NULL, 0); /* the files that were not used for longest are removed */
    else
        cached_variables_free(variables);
    buffer_free(&file);
    free(name);
    free(where);
    return good;
}

/* The file that was not used for longest, and how many there are. */
static char *find_oldest(const char *where, size_t *count)
{
    DIR *files = opendir(where);
    struct timespec least = {0};
    char *oldest = NULL;
    struct dirent *entry;
    *count = 0;
    while (files != NULL && (entry = readdir(files)) != NULL) {
        char *path = file_join(where, entry->d_name);
        struct stat status;
        bool ours = strncmp(entry->d_name, "variables-", strlen("variables-")) == 0 && stat(path, &status) == 0;
        *count += ours;
        if (ours && (oldest == NULL || status.st_mtim.tv_sec < least.tv_sec)) {
            least = status.st_mtim;
            free(oldest);
            oldest = path;
        } else {
            free(path);
        }
    }
    if (files != NULL)
        closedir(files);
    return oldest;
}

/* Also what a writer that was killed has left. */
static void make_room(const char *where)
{
    for (size_t tries = 0, count = FILES_MOST; tries < FILES_MOST && count >= FILES_MOST; tries++) {
        char *oldest = find_oldest(where, &count);
        if (count >= FILES_MOST && oldest != NULL)
            unlink(oldest);
        free(oldest);
    }
}

void variable_cache_write(const struct module *module, const struct cached_variables *variables)
{
    struct error error = {0};
    struct buffer file = {0};
    char *where = variable_cache_has(module) ? directory() : NULL;
    if (where == NULL)
        return;
    char *name = name_of(where, &module->identity);
    variable_cache_format(&module->identity, variables, &file);
    if (file.size <= FILE_MOST && file_make_directories(where, &error)) {
        make_room(where);
        file_write(name, file.data, file.size,
                   &error); /* if there is no place for it, it is read again the next time */
    }
    buffer_free(&file);
    free(name);
    free(where);
}
