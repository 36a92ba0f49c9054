/* SPDX-License-Identifier: MIT
 *
 * core_words.c - see core_words.h.
 */
#include "coverage/core_words.h"

struct words {
    const struct sites *sites;
    struct symbols *symbols;
};

static void print_site(void *context, uint32_t site, struct buffer *out)
{
    const struct words *words = context;
    if (site != 0)
        sites_print(words->sites, site, SITE_SHORT, out);
    else
        buffer_add_string(out, "an unknown place");
}

static void print_lock(void *context, uint64_t address, struct buffer *out)
{
    const struct words *words = context;
    struct variable variable;
    bool named = words->symbols != NULL && symbols_variable(words->symbols, address, 1, &variable);
    buffer_add_string(out, named ? variable.name : "the lock");
}

void core_words(const struct core *core, const struct sites *sites, struct symbols *symbols, struct buffer *out)
{
    struct words words = {sites, symbols};
    core_print(core, &(struct core_names){.site = print_site, .lock = print_lock, .context = &words}, out);
}
