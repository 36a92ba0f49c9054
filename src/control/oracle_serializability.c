/* SPDX-License-Identifier: MIT
 *
 * oracle_serializability.c - see oracle_serializability.h.
 */
#include "control/oracle_serializability.h"

#include <stdlib.h>
#include <string.h>

#include "control/server_symbols.h"
#include "pattern/violation.h"
#include "trace/headline.h"
#include "util/memory.h"

struct oracle_serializability {
    struct server_symbols symbols;
    struct execution execution;
    struct units units;
    unit_access_list accesses;
    const char *wanted;   /* key; NULL: none */
    VECTOR(char *) known; /* keys that runs failed with that were not compared with anything */
};

struct oracle_serializability *oracle_serializability_open(void)
{
    return memory_allocate(1, sizeof(struct oracle_serializability));
}

void oracle_serializability_close(struct oracle_serializability *serializability)
{
    if (serializability == NULL)
        return;
    server_symbols_close(&serializability->symbols);
    execution_free(&serializability->execution);
    units_free(&serializability->units);
    vector_free(&serializability->accesses);
    for (size_t i = 0; i < serializability->known.count; i++)
        free(serializability->known.data[i]);
    vector_free(&serializability->known);
    free(serializability);
}

void oracle_serializability_want(struct oracle_serializability *serializability, const char *key)
{
    serializability->wanted = key;
}

/* ---- one run ------------------------------------------------------------------------------------------------------- */

enum rank { RANK_NONE, RANK_KNOWN, RANK_NEW, RANK_WANTED };

struct look {
    struct oracle_serializability *serializability;
    const struct oracle *oracle;
    const struct server *server;
    struct violation_run run;
    struct table seen; /* violation_hash */
    struct wire_finding *finding;
    enum rank best; /* of the finding */
    char *key;
};

static bool is_benign(const struct look *look, const struct violation *violation, const struct wire_finding *finding)
{
    return violation_is_benign(&look->run, violation) ||
           oracle_suppressed(look->oracle, look->server, look->run.copy, finding) != NULL;
}

static enum rank rank_of(const struct oracle_serializability *serializability, const char *key)
{
    if (serializability->wanted != NULL)
        return strcmp(key, serializability->wanted) == 0 ? RANK_WANTED : RANK_KNOWN;
    for (size_t i = 0; i < serializability->known.count; i++)
        if (strcmp(serializability->known.data[i], key) == 0)
            return RANK_KNOWN;
    return RANK_NEW;
}

static void take(void *context, const struct violation *violation)
{
    struct look *look = context;
    struct wire_finding finding;
    if ((*table_put(&look->seen, violation_hash(&look->run, violation)))++ > 0)
        return;
    if (violation_is_apart(&look->run, violation))
        return;
    violation_finding(&look->run, violation, &finding);
    if (is_benign(look, violation, &finding))
        return;
    char *key = failure_key(look->run.symbols, &look->run.copy->result, &finding);
    enum rank rank = rank_of(look->serializability, key);
    if (rank <= look->best) {
        free(key);
        return;
    }
    *look->finding = finding;
    look->best = rank;
    free(look->key);
    look->key = key;
}

/* Takes over the key of what a run that was compared with nothing failed with. */
static void know(struct oracle_serializability *serializability, char *key, enum rank rank)
{
    if (rank == RANK_NEW)
        vector_push(&serializability->known, key);
    else
        free(key);
}

bool oracle_serializability_look(struct oracle_serializability *serializability, const struct oracle *oracle,
                                 const struct server *server, const struct wire_copy *copy,
                                 struct wire_finding *finding)
{
    server_symbols_get(&serializability->symbols, server);
    struct atomic_sets *sets = server_symbols_sets(&serializability->symbols, oracle->assumptions);
    execution_read(&serializability->execution, copy);
    units_label(&serializability->units, sets, copy, &serializability->execution);
    unit_accesses_read(&serializability->execution, &serializability->accesses);
    struct look look = {.serializability = serializability,
                        .oracle = oracle,
                        .server = server,
                        .run = {.copy = copy,
                                .execution = &serializability->execution,
                                .units = &serializability->units,
                                .sets = sets,
                                .symbols = serializability->symbols.symbols,
                                .accesses = serializability->accesses.data},
                        .finding = finding};
    serializability_check(serializability->accesses.data, serializability->accesses.count, take, &look, NULL);
    table_free(&look.seen);
    know(serializability, look.key, look.best);
    return look.best != RANK_NONE;
}
