/* SPDX-License-Identifier: MIT
 *
 * follow_log.c - the event logs of the old failure and of new runs, ready to be compared.
 *
 * Numbers of threads, heap blocks and descriptors in names of objects are not compared, since they change from build to
 * build.  A place is compared by the text of its source line if both are known, else by its line number.
 */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/follow_private.h"
#include "tale/tale.h"
#include "util/file.h"
#include "util/hash.h"

size_t follow_place_length(const char *site)
{
    assert(site != NULL);
    const char *colon = strchr(site, ':');
    const char *column = colon != NULL ? strchr(colon + 1, ':') : NULL;
    return column != NULL ? (size_t)(column - site) : strlen(site);
}

/* ---- items ------------------------------------------------------------------------------------------------------------ */

/* "T2.stack#1" → "T.stack#", "heap#3.next" → "heap#.next" */
static uint64_t hash_object(const char *object)
{
    char text[OBJECT_NAME];
    size_t size = 0;
    bool number = false;
    for (const char *c = object; *c != '\0' && size < sizeof text; c++) {
        number = isdigit((unsigned char)*c) &&
                 (number || (c > object && c[-1] == '#') || (c == object + 1 && *object == 'T'));
        if (!number)
            text[size++] = *c;
    }
    return hash_bytes(text, size, 0);
}

/* Reads and writes, atomic or not, are one family; so are the operations that acquire a lock, and those that release
   it. */
static uint32_t family_of(uint32_t op)
{
    enum wire_class class = op_class(op);
    bool alike = class == CLASS_READ || class == CLASS_WRITE || class == CLASS_ACQUIRE || class == CLASS_RELEASE;
    return alike && op != OP_FREE ? (uint32_t)WIRE_OP_COUNT + class : op;
}

static uint64_t hash_place(const struct event_line *line)
{
    return hash_bytes(line->site, follow_place_length(line->site), 1);
}

static void add_item(struct follow_log *log, uint32_t index, uint64_t place)
{
    assert(index < log->log.count);
    assert(log->log.lines[index].task < log->thread_count);
    const struct event_line *line = &log->log.lines[index];
    log->items[index] = (struct align_item){.op = line->op,
                                            .family = family_of(line->op),
                                            .function = hash_string(line->function),
                                            .object = hash_object(line->object),
                                            .place = place};
    if (line->op != OP_ALLOC)
        vector_push(&log->threads[line->task].lines, index);
}

uint32_t follow_child(const struct event_line *line)
{
    unsigned child;
    bool created = line->op == OP_CREATE && sscanf(line->value, "T%u", &child) == 1 && child < WIRE_TASKS;
    assert(!created || child < WIRE_TASKS);
    return created ? child : WIRE_TASKS;
}

/* Threads that were created but did nothing count, too. */
static void begin_items(struct follow_log *log)
{
    assert(log->items == NULL && log->threads == NULL);
    for (uint32_t i = 0; i < log->log.count; i++) {
        uint32_t task = log->log.lines[i].task, child = follow_child(&log->log.lines[i]);
        if (child != WIRE_TASKS && child > task)
            task = child;
        if (task >= log->thread_count)
            log->thread_count = task + 1;
    }
    log->items = memory_allocate((size_t)log->log.count + 1, sizeof *log->items);
    log->threads = memory_allocate((size_t)log->thread_count + 1, sizeof *log->threads);
}

void follow_log_free(struct follow_log *log)
{
    for (uint32_t i = 0; i < log->thread_count; i++)
        vector_free(&log->threads[i].lines);
    free(log->threads);
    free(log->items);
    events_free(&log->log);
    *log = (struct follow_log){0};
}

/* ---- the old one ------------------------------------------------------------------------------------------------------ */

/* The text of the old source lines, if it was saved. */
static void read_texts(struct follow *follow)
{
    struct tale tale = {0};
    struct error error;
    char *path = file_join(follow->failure->path, "tale.json");
    if (file_exists(path) && tale_read(&tale, follow->failure->path, &error)) {
        for (size_t i = 0; i < tale.places.count; i++) {
            const struct tale_place *place = &tale.places.data[i];
            if (place->source != NULL && place->line > 0)
                *table_put(&follow->texts, hash_bytes(place->where, strlen(place->where), 1)) =
                    hash_string(place->source);
        }
        tale_free(&tale);
    }
    free(path);
}

bool follow_log_old(struct follow *follow)
{
    struct error error;
    char *path = file_join(follow->failure->path, "events");
    FILE *stream = fopen(path, "r");
    struct follow_log *log = &follow->old;
    bool read = stream != NULL && events_read(stream, path, &log->log, &error) && log->log.count > 0;
    bool good = read && log->log.left_out == 0; /* most places of a long run would be missing */
    if (read && !good)
        events_free(&log->log);
    if (good) {
        read_texts(follow);
        begin_items(log);
        for (uint32_t i = 0; i < log->log.count; i++) {
            uint64_t place = hash_place(&log->log.lines[i]);
            const uint64_t *text = table_get(&follow->texts, place);
            add_item(log, i, text != NULL ? *text : place);
        }
    }
    if (stream != NULL)
        fclose(stream);
    free(path);
    return good;
}

/* ---- a new one -------------------------------------------------------------------------------------------------------- */

bool follow_log_now(struct follow *follow, const struct judged_run *run)
{
    struct symbols *symbols = server_symbols_get(follow->trial->symbols, follow->trial->server);
    struct follow_log *log = &follow->now;
    struct buffer text = {0};
    struct error error;
    follow_log_free(log);
    FILE *stream =
        rerun_events(run, symbols, true, &text) && text.size > 0 ? fmemopen(text.data, text.size, "r") : NULL;
    bool good = stream != NULL && events_read(stream, "events", &log->log, &error);
    bool by_text = follow->texts.count > 0 && log->log.count == run->copy.events.count;
    if (good) {
        begin_items(log);
        for (uint32_t i = 0; i < log->log.count; i++) {
            const char *source = NULL;
            if (by_text)
                source = symbols_source(symbols, symbols_site(symbols, run->copy.events.data[i].pc));
            add_item(log, i, source != NULL ? hash_string(source) : hash_place(&log->log.lines[i]));
        }
    }
    if (stream != NULL)
        fclose(stream);
    buffer_free(&text);
    return good;
}
