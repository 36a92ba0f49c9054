/* SPDX-License-Identifier: MIT
 *
 * failure_key.c - the key of a finding: by it failures are the same, or not.
 *
 * DESIGN
 *   One bug is to be one failure, and different bugs are to be different ones.  Where many checks end in one function (die()), the innermost
 *   place is the same for all, so the calls around it count too: the innermost few, since what is farther out is mostly the way to
 *   the same work.  A stale pointer is used in many places: there the block counts, where it was allocated and where it was freed,
 *   each with the call around it, because both may be done by a function for all blocks.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/events.h"
#include "trace/headline_private.h"

enum { CALLS = 4 }; /* places of one stack */

/* Two places, sorted. */
static void add_pair(struct buffer *key, const char *here, const char *other)
{
    assert(here != NULL && other != NULL);
    buffer_printf(key, " %s %s", strcmp(here, other) < 0 ? here : other, strcmp(here, other) < 0 ? other : here);
}

static void add_lock_order_places(struct symbols *symbols, const struct wire_finding *finding, struct buffer *key)
{
    char *here = headline_stack_text(symbols, finding, headline_frame),
         *other = headline_stack_text(symbols, finding, headline_other_frame);
    add_pair(key, here, other);
    free(here);
    free(other);
}

/* The calls in the program's own code; without one, the place that is shown. */
static void add_calls(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding,
                      struct buffer *key)
{
    const struct site *site;
    const char *last = "";
    unsigned count = 0;
    for (uint32_t i = 0; count < CALLS && (site = headline_frame(symbols, finding, i)) != NULL; i++) {
        if (!headline_is_application(site) || strcmp(site->where, last) == 0) /* a function that calls itself */
            continue;
        last = site->where;
        buffer_printf(key, " %s", last);
        count++;
    }
    if (count == 0 && headline_place(symbols, finding) != NULL)
        buffer_printf(key, " %s", headline_site(symbols, result, finding));
}

/* Where a block was allocated or freed, and the call around that. */
static void add_block_place(struct symbols *symbols, uint64_t pc, uint64_t caller, struct buffer *key)
{
    const uint64_t calls[] = {pc, caller};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const struct site *site = calls[i] != 0 ? headline_visible_site(symbols_site(symbols, calls[i])) : NULL;
        if (site != NULL && headline_is_application(site))
            buffer_printf(key, " %s", site->where);
    }
}

static void add_block(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding,
                      struct buffer *key)
{
    size_t before = key->size;
    add_block_place(symbols, finding->block_pc, finding->block_caller, key);
    size_t allocated = key->size;
    if (finding->kind == KIND_DOUBLE_FREE)
        add_pair(key, headline_site(symbols, result, finding), headline_where(symbols, finding->other.pc));
    else
        add_block_place(symbols, finding->other.pc, finding->freed_caller, key);
    if (allocated == before || key->size == allocated) /* by a library: then what uses it says more */
        buffer_printf(key, " %s", headline_site(symbols, result, finding));
}

char *failure_key(struct symbols *symbols, const struct wire_result *result, const struct wire_finding *finding)
{
    struct buffer key = {0};
    buffer_add_string(&key, event_kind_name(finding->kind));
    switch (finding->kind) {
    case KIND_DEADLOCK:
        blocked_add_places(symbols, result, &key);
        break;
    case KIND_RACE:
    case KIND_VOLATILE_RACE:
        add_pair(&key, headline_where(symbols, finding->here.pc), headline_where(symbols, finding->other.pc));
        break;
    case KIND_LOCK_ORDER:
        add_lock_order_places(symbols, finding, &key);
        break;
    case KIND_USE_AFTER_FREE:
    case KIND_DOUBLE_FREE:
        add_block(symbols, result, finding, &key);
        break;
    case KIND_SIGNAL:
        buffer_printf(&key, " %" PRIu32, finding->signal);
        add_calls(symbols, result, finding, &key);
        break;
    case KIND_EXIT:
        buffer_printf(&key, " %" PRIu32, result->exit_status);
        add_calls(symbols, result, finding, &key);
        break;
    case KIND_SERIALIZABILITY: /* whichever call interrupts it, and wherever */
        buffer_printf(&key, " %.*s", (int)strcspn(finding->text, ","), finding->text);
        break;
    case KIND_ORACLE:
        buffer_printf(&key, " %" PRIu32, finding->signal);
        break;
    case KIND_OUTPUT:
        break;
    case KIND_LEAK:
    case KIND_HANG:
        buffer_printf(&key, " %s", headline_site(symbols, result, finding));
        break;
    default:
        add_calls(symbols, result, finding, &key);
    }
    return buffer_take(&key);
}
