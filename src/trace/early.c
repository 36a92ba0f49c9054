/* SPDX-License-Identifier: MIT
 *
 * early.c - a sentence about a run in which a sleep or timed wait ended although another thread could run.
 */
#include <inttypes.h>

#include "trace/events.h"
#include "trace/headline_private.h"

static void add_duration(struct buffer *text, uint64_t nanoseconds)
{
    static const struct {
        uint64_t size;
        const char *name;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
    size_t unit = 0;
    while (unit < 3 && nanoseconds < units[unit].size)
        unit++;
    buffer_printf(text, "%.4g %s", (double)nanoseconds / (double)units[unit].size, units[unit].name);
}

/* "locked m at bank.c:10": the next operation of the other thread, which it could have done. */
static void add_next(const struct wire_early *early, struct symbols *symbols, struct objects *objects,
                     struct buffer *text)
{
    static const struct {
        enum wire_op op;
        const char *verb;
    } verbs[] = {{OP_READ, "read"},         {OP_WRITE, "wrote"},
                 {OP_MUTEX_LOCK, "locked"}, {OP_MUTEX_UNLOCK, "unlocked"},
                 {OP_ATOMIC_LOAD, "read"},  {OP_ATOMIC_STORE, "wrote"}};
    char name[OBJECT_NAME];
    buffer_printf(text, " before T%u ", early->other);
    if (early->other_op == OP_START)
        buffer_add_string(text, "had begun");
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (verbs[i].op == early->other_op)
            buffer_printf(text, "%s %s", verbs[i].verb, objects_name(objects, early->other_address, 0, name, NULL));
    if (text->data[text->size - 1] == ' ')
        buffer_printf(text, "did its next operation (%s)", event_op_name(early->other_op));
    if (early->other_pc != 0 && early->other_op != OP_START)
        buffer_printf(text, " at %s", headline_visible_site(symbols_site(symbols, early->other_pc))->where);
}

char *headline_early(struct symbols *symbols, const struct wire_result *result, const struct wire_event *events,
                     uint32_t count)
{
    const struct wire_early *early = &result->early;
    struct buffer text = {0};
    if (result->early_count == 0)
        return NULL;
    struct objects *objects = objects_open_typed(symbols, result, events, count);
    for (uint32_t i = 0; i < count; i++)
        objects_event(objects, &events[i]);
    buffer_add_string(&text, "a ");
    add_duration(&text, early->nanoseconds);
    buffer_printf(&text, " %s of T%u at %s ended", early->op == OP_SLEEP ? "sleep" : "timed wait", early->task,
                  headline_visible_site(symbols_site(symbols, early->pc))->where);
    add_next(early, symbols, objects, &text);
    if (result->early_count > 1)
        buffer_printf(&text, "; %" PRIu32 " more wait%s ended early", result->early_count - 1,
                      result->early_count == 2 ? "" : "s");
    objects_close(objects);
    return buffer_take(&text);
}
