/* SPDX-License-Identifier: MIT
 *
 * variables_fuzz.c - the reader of kept lists of variables takes anything, and what it accepts is read back the same after writing.
 *
 * The source is included, so that the digest can be made to fit: otherwise nothing behind it would be reached.
 */
#include "trace/variable_cache.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct module_identity identity = {.debug_size = 7, .build_id_size = 2, .build_id = {1, 2}};

/* The first byte says how much of the header is put right. */
static void repair(struct buffer *file, unsigned how)
{
    struct header header;
    if (file->size < sizeof header)
        return;
    memcpy(&header, file->data, sizeof header);
    memcpy(header.magic, magic, sizeof magic);
    header.version = VARIABLE_CACHE_VERSION;
    header.identity = identity;
    size_t rest = file->size - sizeof header, entries = header.count % 64 * sizeof(struct entry);
    if (how & 1) {
        header.count %= 64;
        header.names_size = rest - (entries < rest ? entries : rest);
    }
    if (how & 2)
        header.digest = digest_of(&header, file->data + sizeof header, rest);
    memcpy(file->data, &header, sizeof header);
}

static void check_again(const struct cached_variables *first)
{
    struct cached_variables second;
    struct buffer file = {0};
    variable_cache_format(&identity, first, &file);
    assert(variable_cache_parse(&identity, &file, &second) && second.list.count == first->list.count);
    for (size_t i = 0; i < second.list.count; i++) {
        const struct cached_variable *a = &first->list.data[i], *b = &second.list.data[i];
        assert(a->address == b->address && a->size == b->size && a->type == b->type);
        assert(a->thread_local == b->thread_local && strcmp(a->name, b->name) == 0);
    }
    cached_variables_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer file = {0};
    struct cached_variables variables;
    if (size == 0)
        return 0;
    buffer_add(&file, data + 1, size - 1);
    repair(&file, data[0]);
    if (variable_cache_parse(&identity, &file, &variables))
        check_again(&variables);
    assert(file.size == 0);
    cached_variables_free(&variables);
    return 0;
}
