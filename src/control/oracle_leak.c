/* SPDX-License-Identifier: MIT
 *
 * oracle_leak.c - see oracle_leak.h.
 */
#include "control/oracle_leak.h"

#include <stdlib.h>
#include <string.h>

#include "control/oracle.h"
#include "control/rerun.h"
#include "trace/headline.h"
#include "util/memory.h"
#include "util/vector.h"

struct oracle_leaks {
    VECTOR(uint64_t)
    freed; /* allocation sites (pc) of which some run has freed all blocks, in the order in which they were seen */
    const char *key; /* of the site that is known from an earlier campaign; NULL: none */
    struct server_symbols symbols;
};

struct oracle_leaks *oracle_leaks_open(void)
{
    return memory_allocate(1, sizeof(struct oracle_leaks));
}

void oracle_leaks_close(struct oracle_leaks *leaks)
{
    if (leaks == NULL)
        return;
    server_symbols_close(&leaks->symbols);
    vector_free(&leaks->freed);
    free(leaks);
}

void oracle_leaks_know(struct oracle_leaks *leaks, const char *key)
{
    leaks->key = key;
}

struct wire_access oracle_leak_access(const struct wire_leak *leak)
{
    return (struct wire_access){.task = (uint16_t)leak->task,
                                .size = leak->size,
                                .pc = leak->pc,
                                .address = leak->block,
                                .operation = leak->operation};
}

static bool is_known(struct oracle_leaks *leaks, const struct server *server, const struct wire_result *result,
                     const struct wire_leak *leak)
{
    struct wire_finding finding = {.kind = KIND_LEAK, .here = oracle_leak_access(leak)};
    char *key = failure_key(server_symbols_get(&leaks->symbols, server), result, &finding);
    bool known = strcmp(key, leaks->key) == 0;
    free(key);
    return known;
}

static bool is_freed_elsewhere(const struct oracle_leaks *leaks, uint64_t pc, size_t *when)
{
    for (*when = 0; *when < leaks->freed.count; ++*when)
        if (leaks->freed.data[*when] == pc)
            return true;
    return false;
}

static bool is_suppressed(const struct oracle *oracle, const struct server *server, const struct wire_copy *copy,
                          const struct wire_leak *leak)
{
    struct wire_finding finding = {.kind = KIND_LEAK, .here = oracle_leak_access(leak)};
    return oracle_suppressed(oracle, server, copy, &finding) != NULL;
}

const struct wire_leak *oracle_leaks_look(struct oracle_leaks *leaks, const struct oracle *oracle,
                                          const struct server *server, const struct wire_copy *copy)
{
    const struct wire_result *result = &copy->result;
    const struct wire_leak *first = NULL;
    size_t when, first_when = SIZE_MAX;
    for (uint32_t i = 0; i < result->leak_count && result->end == END_EXIT && result->leaks_known; i++) {
        const struct wire_leak *leak = &result->leaks[i];
        bool freed = is_freed_elsewhere(leaks, leak->pc, &when);
        bool lost = leak->lost > 0 && !is_suppressed(oracle, server, copy, leak);
        if (lost && leaks->key != NULL && is_known(leaks, server, result, leak))
            return leak;
        if (lost && freed && when < first_when) {
            first = leak;
            first_when = when;
        }
        if (leak->made > 0 && leak->kept == 0 && !freed)
            vector_push(&leaks->freed, leak->pc);
    }
    return first;
}
