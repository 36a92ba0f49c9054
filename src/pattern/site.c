/* SPDX-License-Identifier: MIT
 *
 * site.c - the table of sites; site_text.c prints and reads them.
 */
#include "pattern/site.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/memory.h"
#include "util/table.h"
#include "util/vector.h"

struct sites {
    VECTOR(struct site_key *) keys; /* number - 1 */
    VECTOR(uint32_t) next;          /* other site with the same hash of its place; 0 none */
    VECTOR(char *) names;
    struct table by_name;  /* hash of a name → index of the first in names + 1 */
    struct table by_place; /* hash of a place without ordinal → number */
};

struct sites *sites_new(void)
{
    return memory_allocate(1, sizeof(struct sites));
}

void sites_free(struct sites *sites)
{
    if (sites == NULL)
        return;
    for (size_t i = 0; i < sites->keys.count; i++)
        free(sites->keys.data[i]);
    for (size_t i = 0; i < sites->names.count; i++)
        free(sites->names.data[i]);
    vector_free(&sites->keys);
    vector_free(&sites->next);
    vector_free(&sites->names);
    table_free(&sites->by_name);
    table_free(&sites->by_place);
    free(sites);
}

size_t sites_count(const struct sites *sites)
{
    return sites->keys.count;
}

/* Our own copy of the name: equal names are the same pointer, except in the unlikely case of equal hashes. */
static const char *intern(struct sites *sites, const char *name)
{
    if (name == NULL || *name == '\0')
        return "";
    uint64_t *slot = table_put(&sites->by_name, hash_string(name));
    if (*slot != 0 && strcmp(sites->names.data[*slot - 1], name) == 0)
        return sites->names.data[*slot - 1];
    vector_push(&sites->names, memory_copy_string(name));
    *slot = sites->names.count;
    return sites->names.data[sites->names.count - 1];
}

static uint64_t place_hash(const struct site_key *key)
{
    uint64_t hash = hash_string(key->module);
    hash = hash_combine(hash, hash_string(key->function));
    hash = hash_combine(hash, hash_string(key->file));
    hash = hash_combine(hash, (uint64_t)key->line << 32 | key->column);
    return hash_combine(hash, key->by_offset ? key->offset + 1 : 0);
}

static bool same_place(const struct site_key *a, const struct site_key *b)
{
    return a->line == b->line && a->column == b->column && a->by_offset == b->by_offset && a->offset == b->offset &&
           strcmp(a->module, b->module) == 0 && strcmp(a->function, b->function) == 0 && strcmp(a->file, b->file) == 0;
}

static uint32_t append(struct sites *sites, const struct site_key *key, uint64_t *first)
{
    struct site_key *copy = memory_allocate(1, sizeof *copy);
    *copy = *key;
    copy->module = intern(sites, key->module);
    copy->function = intern(sites, key->function);
    copy->file = intern(sites, key->file);
    vector_push(&sites->keys, copy);
    vector_push(&sites->next, (uint32_t)*first);
    *first = sites->keys.count;
    return (uint32_t)sites->keys.count;
}

static struct site_key without_nulls(const struct site_key *key)
{
    struct site_key clean = *key;
    clean.module = key->module != NULL ? key->module : "";
    clean.function = key->function != NULL ? key->function : "";
    clean.file = key->file != NULL ? key->file : "";
    clean.offset = key->by_offset ? key->offset : 0;
    return clean;
}

uint32_t sites_add(struct sites *sites, const struct site_key *given)
{
    struct site_key key = without_nulls(given);
    uint64_t *first = table_put(&sites->by_place, place_hash(&key));
    for (uint32_t site = (uint32_t)*first; site != 0; site = sites->next.data[site - 1]) {
        struct site_key *known = sites->keys.data[site - 1];
        if (known->ordinal == key.ordinal && same_place(known, &key)) {
            if (known->hint == 0)
                known->hint = key.hint;
            return site;
        }
    }
    return append(sites, &key, first);
}

uint32_t sites_add_instruction(struct sites *sites, const struct site_key *given)
{
    struct site_key key = without_nulls(given);
    uint64_t *first = table_put(&sites->by_place, place_hash(&key));
    uint32_t highest = 0;
    for (uint32_t site = (uint32_t)*first; key.ordinal == 0 && site != 0; site = sites->next.data[site - 1]) {
        const struct site_key *known = sites->keys.data[site - 1];
        if (!same_place(known, &key) || known->ordinal == 0)
            continue;
        if (known->hint == key.hint)
            return site;
        if (known->hint == 0) /* it was only named: the instruction that it means is still to come */
            continue;
        highest = known->ordinal > highest ? known->ordinal : highest;
    }
    if (key.ordinal == 0)
        key.ordinal = highest + 1;
    return sites_add(sites, &key);
}

uint32_t sites_add_symbol(struct sites *sites, const struct site *site, uint64_t pc, uint64_t base)
{
    struct site_key key = {.module = site->module,
                           .function = site->function,
                           .file = site->file,
                           .line = site->line,
                           .column = site->column,
                           .hint = pc - base};
    if (site->line == 0) {
        /* `where` is then "function+0x1c" or "module+0x11c9". */
        const char *plus = strrchr(site->where, '+');
        key.file = "";
        key.by_offset = true;
        key.offset = plus != NULL ? strtoull(plus + 1, NULL, 0) : key.hint;
        key.ordinal = 1;
    }
    return sites_add_instruction(sites, &key);
}

const struct site_key *sites_get(const struct sites *sites, uint32_t site)
{
    static const struct site_key any = {.module = "", .function = "", .file = ""};
    return site != SITE_ANY && site <= sites->keys.count ? sites->keys.data[site - 1] : &any;
}

/* People write "bank.c" for "src/bank.c". */
static bool file_matches(const char *wanted, const char *file)
{
    size_t wanted_length = strlen(wanted);
    size_t length = strlen(file);
    if (wanted_length > length || strcmp(file + length - wanted_length, wanted) != 0)
        return false;
    return wanted_length == length || wanted_length == 0 || file[length - wanted_length - 1] == '/';
}

static bool name_matches(const char *wanted, const char *name)
{
    return *wanted == '\0' || strcmp(wanted, name) == 0;
}

bool sites_matches(const struct sites *sites, uint32_t wanted, uint32_t site)
{
    if (wanted == SITE_ANY || wanted == site)
        return true;
    const struct site_key *want = sites_get(sites, wanted);
    const struct site_key *key = sites_get(sites, site);
    if (!name_matches(want->module, key->module) || !name_matches(want->function, key->function) ||
        !file_matches(want->file, key->file))
        return false;
    if (want->by_offset && (!key->by_offset || want->offset != key->offset))
        return false;
    return (want->line == 0 || want->line == key->line) && (want->column == 0 || want->column == key->column) &&
           (want->ordinal == 0 || want->ordinal == key->ordinal);
}
