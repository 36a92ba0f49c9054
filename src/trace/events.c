/* SPDX-License-Identifier: MIT
 *
 * events.c - see events.h.  Names are in events_names.c, reading is in events_read.c.
 */
#include "trace/events.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "util/buffer.h"
#include "util/hash.h"
#include "util/stop.h"
#include "util/table.h"

bool event_is_access(const struct wire_event *event)
{
    return op_is_access(event->op);
}

/* Its value is recorded only for tales (wide_value.h): event logs do not depend on that. */
static bool is_wide_write(const struct wire_event *event)
{
    return event->op == OP_WRITE && event->size > sizeof event->value;
}

uint8_t event_shown_flags(const struct wire_event *event)
{
    if (is_wide_write(event))
        return (uint8_t)(event->flags & ~EVENT_VALUE);
    return event_is_access(event) ? event->flags : (uint8_t)(event->flags & ~(EVENT_TIMED | EVENT_WAITED));
}

bool event_is_write(const struct wire_event *event)
{
    if (event->op == OP_ATOMIC_CAS || event->op == OP_ATOMIC_RMW)
        return !(event->flags & (EVENT_FAILED | EVENT_UNCHANGED));
    return event->op == OP_WRITE || event->op == OP_ATOMIC_STORE;
}

/* ---- one event --------------------------------------------------------------------------------------------------- */

/* Whether the value of the event is a task. */
static bool is_about_task(const struct wire_event *event)
{
    switch (event->op) {
    case OP_CREATE:
    case OP_JOIN:
    case OP_DETACH:
    case OP_CANCEL:
    case OP_CANCELLED:
    case OP_KILL:
        return (event->flags & EVENT_VALUE) && !(event->flags & (EVENT_FAILED | EVENT_TIMEOUT)) &&
               event->value < WIRE_TASKS;
    default:
        return false;
    }
}

static void describe_object(struct objects *objects, const struct wire_event *event, char object[OBJECT_NAME],
                            struct variable *variable)
{
    struct object_block block;
    *variable = (struct variable){.name = ""};
    if ((event->op == OP_ALLOC || event->op == OP_FREE) && objects_block(objects, event->address, &block) &&
        block.start == event->address) /* the whole block, not its first member */
        snprintf(object, OBJECT_NAME, "heap#%" PRIu32, block.number);
    else if (event->op == OP_START || event->op == OP_END) /* as has_address_name */
        snprintf(object, OBJECT_NAME, "T%u", event->task);
    else if (event->op != OP_CREATE && is_about_task(event))
        snprintf(object, OBJECT_NAME, "T%" PRIu64, event->value);
    else if (op_class(event->op) == CLASS_IO && event->address < 1 << 16)
        snprintf(object, OBJECT_NAME, "fd#%" PRIu64, event->address);
    else
        objects_name(objects, event->address, event->size, object, variable);
}

/* Whether the value of the event is the address of the mutex that the wait releases. */
static bool has_mutex(const struct wire_event *event)
{
    return event->op == OP_COND_WAIT && (event->flags & EVENT_VALUE) && !(event->flags & EVENT_FAILED);
}

static bool has_error(const struct wire_event *event)
{
    return (event->flags & (EVENT_FAILED | EVENT_TIMEOUT)) && !event_is_access(event) && event->value > 0 &&
           event->value < 4096 && strerrorname_np((int)event->value) != NULL;
}

/* A number or a pointer, that is: neither a task nor a mutex nor an error. */
static bool has_plain_value(const struct wire_event *event)
{
    return (event->flags & EVENT_VALUE) && !is_wide_write(event) && event->op != OP_ALLOC && event->op != OP_FREE &&
           event->op != OP_COND_SIGNAL && !is_about_task(event) && !has_mutex(event) && !has_error(event);
}

static void describe_value(struct objects *objects, const struct wire_event *event, const struct variable *variable,
                           char value[OBJECT_NAME])
{
    value[0] = '\0';
    if (event->op == OP_CREATE && is_about_task(event))
        snprintf(value, OBJECT_NAME, "T%" PRIu64, event->value);
    else if (event->op == OP_COND_SIGNAL && (event->flags & EVENT_VALUE)) /* the thread that was woken */
        snprintf(value, OBJECT_NAME, "T%" PRIu64, event->value);
    else if (has_mutex(event))
        objects_name(objects, event->value, 0, value, NULL);
    else if (has_error(event))
        snprintf(value, OBJECT_NAME, "%s", strerrorname_np((int)event->value));
    else if (has_plain_value(event))
        objects_value(objects, event->value, event_is_access(event) ? event->size : 8, variable, value);
}

/* A start has the routine itself, all others the place that the call returns to. */
static const struct site *event_site(struct symbols *symbols, const struct wire_event *event)
{
    return event->op == OP_START ? symbols_function(symbols, event->pc) : symbols_site(symbols, event->pc);
}

void event_describe(struct symbols *symbols, struct objects *objects, const struct wire_event *event,
                    struct event_text *text)
{
    struct variable variable;
    describe_object(objects, event, text->object, &variable);
    describe_value(objects, event, &variable, text->value);
    text->site = event_site(symbols, event);
}

/* The three cases in which event_describe names nothing by its address. */
static bool has_address_name(const struct wire_event *event)
{
    if (event->op == OP_START || event->op == OP_END || (event->op != OP_CREATE && is_about_task(event)))
        return false;
    return op_class(event->op) != CLASS_IO || event->address >= 1 << 16;
}

static uint64_t pass_value(struct objects *objects, const struct wire_event *event, bool named)
{
    if (has_mutex(event))
        return objects_number(objects, event->value);
    if (has_plain_value(event))
        return objects_number_value(objects, event->value, named ? event->address : 0,
                                    event_is_access(event) ? event->size : 8);
    return (event->flags & EVENT_VALUE) && !is_wide_write(event) && event->op != OP_ALLOC && event->op != OP_FREE
               ? event->value
               : 0;
}

uint64_t event_pass(struct objects *objects, const struct wire_event *event)
{
    bool named = has_address_name(event), descriptor = op_class(event->op) == CLASS_IO && !named;
    uint64_t object = named ? objects_number(objects, event->address) : descriptor ? event->address : 0;
    uint64_t value = pass_value(objects, event, named);
    uint64_t what = hash_combine((uint64_t)event->task << 32 | event->op, event->operation);
    what = hash_combine(what, (uint64_t)event->size << 32 | event_shown_flags(event));
    return hash_combine(hash_combine(what, object), value);
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

static void add_field(struct buffer *line, const char *text)
{
    assert(text != NULL);
    if (text[0] == '\0')
        text = "-";
    const char *plain = text;
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= ' ' && c != 0x7f && c != '\\')
            continue;
        buffer_add(line, plain, (size_t)(text - plain));
        buffer_printf(line, "\\x%02x", c);
        plain = text + 1;
    }
    buffer_add(line, plain, (size_t)(text - plain));
    buffer_add_char(line, '\t');
}

static void add_flags(struct buffer *line, uint32_t flags)
{
    size_t before = line->size;
    for (uint32_t i = 0; i < event_flag_count; i++)
        if (flags & event_flags[i].flag)
            buffer_printf(line, "%s%s", line->size > before ? "," : "", event_flags[i].name);
    buffer_add_string(line, line->size > before ? "\t" : "-\t");
}

static void add_event(struct buffer *line, struct symbols *symbols, struct objects *objects,
                      const struct wire_event *event, uint64_t number)
{
    struct event_text text;
    objects_event(objects, event);
    event_describe(symbols, objects, event, &text);
    buffer_add_number(line, number);
    buffer_add_string(line, "\tT");
    buffer_add_number(line, event->task);
    buffer_add_char(line, '\t');
    buffer_add_number(line, event->operation);
    buffer_add_char(line, '\t');
    buffer_add_string(line, event_op_name(event->op));
    buffer_add_char(line, '\t');
    add_field(line, text.object);
    buffer_add_number(line, event->size);
    buffer_add_char(line, '\t');
    add_field(line, text.value);
    add_flags(line, event_shown_flags(event));
    add_field(line, text.site->function);
    add_field(line, text.site->exact);
    assert(line->size > 0 && line->data[line->size - 1] == '\t');
    line->data[line->size - 1] = '\n';
}

static uint64_t site_hash(struct table *sites, const struct site *site)
{
    uint64_t *known = table_put(sites, (uint64_t)(uintptr_t)site);
    if (*known == 0)
        *known = hash_combine(hash_string(site->function), hash_string(site->exact)) | 1;
    return *known;
}

/* What is left out of a log: `count` events from index `first` on, and what the run itself left out between two of them or before the first. */
struct gap {
    uint32_t first, count;
    const struct wire_result *result;
};

static uint64_t gap_count(const struct gap *gap)
{
    return gap->count + gap->result->events_gap;
}

/* The line about the gap, instead of those of its events. */
static void add_gap(struct buffer *line, struct symbols *symbols, struct objects *objects,
                    const struct wire_event *events, struct gap gap)
{
    struct table sites = {0};
    uint64_t digest = 0;
    for (uint32_t i = gap.first; !stop_requested(); i++) {
        if (gap.result->events_gap > 0 && i == gap.result->events_head)
            digest = hash_combine(digest, gap.result->events_digest);
        if (i - gap.first == gap.count)
            break;
        const struct wire_event *event = &events[i];
        objects_event(objects, event);
        uint64_t site = site_hash(&sites, event_site(symbols, event));
        digest = hash_combine(digest, hash_combine(event_pass(objects, event), site));
    }
    table_free(&sites);
    buffer_printf(line, "cut\t%" PRIu32 "\t%" PRIu64 "\t%016" PRIx64 "\n", gap.first + 1, gap_count(&gap), digest);
}

static bool write_log(FILE *out, struct symbols *symbols, const struct wire_result *result,
                      const struct wire_event *events, uint32_t count, struct gap gap)
{
    assert(out != NULL && (events != NULL || count == 0));
    assert(gap_count(&gap) == 0 || gap.first + gap.count < count);
    struct objects *objects = objects_open(symbols, result);
    struct buffer line = {0};
    bool cut = gap_count(&gap) > 0;
    bool written = fprintf(out, "%s\n", cut ? EVENTS_HEADER_CUT : EVENTS_HEADER) > 0;
    for (uint32_t i = 0; i < count && written && !stop_requested(); i++) {
        buffer_clear(&line);
        if (cut && i == gap.first) {
            add_gap(&line, symbols, objects, events, gap);
            i += gap.count;
        }
        add_event(&line, symbols, objects, &events[i], i + 1 + (i >= gap.first ? gap.result->events_gap : 0));
        written = fwrite(line.data, 1, line.size, out) == line.size;
    }
    written = written && !stop_requested() &&
              fprintf(out, "events\t%" PRIu64 "\n", count + gap.result->events_gap) > 0 && fflush(out) == 0;
    buffer_free(&line);
    objects_close(objects);
    return written;
}

static uint32_t known_count(uint32_t count)
{
    return count < WIRE_EVENTS ? count : WIRE_EVENTS;
}

/* What a log keeps beside the first and the last events, if that is not all of them. */
static struct gap plan_gap(const struct wire_result *result, uint32_t count, bool whole)
{
    struct gap gap = {.first = EVENTS_KEPT_FIRST, .result = result};
    uint32_t end = count > EVENTS_KEPT_FIRST + EVENTS_KEPT_LAST && !whole ? count - EVENTS_KEPT_LAST : 0;
    if (result->events_gap > 0) {
        gap.first = whole || result->events_head < gap.first ? result->events_head : gap.first;
        end = end > result->events_head ? end : result->events_head;
    }
    gap.count = end > gap.first ? end - gap.first : 0;
    return gap;
}

bool events_write(FILE *out, struct symbols *symbols, const struct wire_result *result, const struct wire_event *events,
                  uint32_t count, bool whole)
{
    count = known_count(count);
    return write_log(out, symbols, result, events, count, plan_gap(result, count, whole));
}

uint64_t events_left_out(const struct wire_result *result, uint32_t count, bool whole)
{
    struct gap gap = plan_gap(result, known_count(count), whole);
    return gap_count(&gap);
}
