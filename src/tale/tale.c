/* SPDX-License-Identifier: MIT
 *
 * tale.c - adds the cause to a tale; frees a tale.
 */
#include <assert.h>
#include <stdlib.h>

#include "tale/tale_private.h"

static void clear_cause(struct tale *tale)
{
    for (size_t i = 0; i < tale->events.count; i++)
        tale->events.data[i].marks &= ~(uint32_t)TALE_CAUSE;
    vector_free(&tale->cause.events);
    tale->cause = (struct tale_cause){0};
}

void tale_set_cause(struct tale *tale, struct tale_cause *cause)
{
    assert(tale->pool != NULL);
    assert(cause->pattern != NULL || cause->second == NULL);
    char *const texts[] = {cause->statement, cause->pattern, cause->second, cause->family, cause->sentence};
    clear_cause(tale);
    tale->cause = *cause;
    tale->cause.pattern = tale_pool_text(tale->pool, cause->pattern);
    tale->cause.second = tale_pool_text(tale->pool, cause->second);
    tale->cause.family = tale_pool_text(tale->pool, cause->family);
    tale->cause.sentence = tale_pool_text(tale->pool, cause->sentence);
    tale->cause.statement = tale_pool_text(tale->pool, cause->statement); /* last, as tale_set_statement does */
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        free(texts[i]);
    size_t kept = 0;
    for (size_t i = 0; i < tale->cause.events.count; i++) {
        uint64_t event = tale->cause.events.data[i];
        if (event >= tale->head && event - tale->head < tale->dropped)
            continue; /* not in the tale */
        event -= event >= tale->head ? tale->dropped : 0;
        for (size_t k = 0; k < tale->privates.count && tale->privates.data[k] <= event; k++)
            event++;
        if (event >= tale->events.count)
            continue;
        tale->cause.events.data[kept++] = (uint32_t)event;
        tale->events.data[event].marks |= TALE_CAUSE;
    }
    assert(kept <= tale->cause.events.count);
    tale->cause.events.count = kept;
    *cause = (struct tale_cause){0};
    tale_slice(tale);
}

void tale_set_statement(struct tale *tale, const char *statement)
{
    assert(tale->cause.sentence != NULL);
    tale->cause.statement = tale_pool_text(tale->pool, statement);
}

void tale_free(struct tale *tale)
{
    for (size_t i = 0; i < tale->stacks.count; i++)
        vector_free(&tale->stacks.data[i].places);
    vector_free(&tale->threads);
    vector_free(&tale->places);
    vector_free(&tale->events);
    vector_free(&tale->privates);
    vector_free(&tale->arrows);
    vector_free(&tale->bars);
    vector_free(&tale->stacks);
    vector_free(&tale->waits);
    vector_free(&tale->notes);
    vector_free(&tale->cause.events);
    tale_pool_close(tale->pool);
    *tale = (struct tale){0};
}
