/* SPDX-License-Identifier: MIT
 *
 * slice.c - selects the events that are needed to understand the failure.
 *
 * DESIGN
 *   A dynamic backward slice through shared variables, from the tale alone: objects that have the same name are the same.
 *
 *   It begins with the events that are already marked (cause, race, free, lost update …) and with the last reads of the
 *   failing line.  For a deadlock: the locks that threads hold, what they tested before they waited, and the operations
 *   that could have woken them.  From a read it goes to the write that it read from.  From a write it goes to what its
 *   thread read before it on that line, to its last read of the same variable, or else to its last read of any variable
 *   (on which the write may depend).  This is repeated until nothing is new or the limit is reached, nearest events
 *   first.
 *
 *   Then it adds context: the operations on both sides of a preemption, the locks that were held, and where the threads
 *   were created and joined.  Variables that only one thread accessed are never shown.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tale/slice.h"
#include "trace/events.h"
#include "util/hash.h"

enum {
    LIMIT = 40,       /* most events of the backward walk */
    WHOLES = 32,      /* most wide variables whose parts are searched */
    READS_BEFORE = 3, /* on which it may depend that a block is freed, or something counted */
    NEAR = 64,        /* events of a thread that are searched for dependences */
};

/* ---- what events are ------------------------------------------------------------------------------------------------------ */

bool slice_is_access(const struct tale_event *event)
{
    return op_is_access(event->op);
}

bool slice_is_write(const struct tale_event *event)
{
    if (event->op == OP_ATOMIC_CAS || event->op == OP_ATOMIC_RMW)
        return !(event->flags & (EVENT_FAILED | EVENT_UNCHANGED));
    return event->op == OP_WRITE || event->op == OP_ATOMIC_STORE;
}

bool slice_is_read(const struct tale_event *event)
{
    return slice_is_access(event) && event->op != OP_WRITE && event->op != OP_ATOMIC_STORE;
}

static bool has_object(const struct tale_event *event)
{
    return strcmp(event->object, "-") != 0;
}

bool slice_same_line(const struct tale *tale, int32_t a, int32_t b)
{
    if (a == TALE_NONE || b == TALE_NONE)
        return false;
    const struct tale_place *left = &tale->places.data[a], *right = &tale->places.data[b];
    return a == b || (left->line == right->line && left->file == right->file);
}

/* Whether `inner`, such as "table[3]" or "heap#2+8", is a part of the `size` bytes called `outer`. */
static bool is_part(const char *outer, uint32_t size, const char *inner)
{
    size_t length = strlen(outer);
    if (strncmp(outer, inner, length) != 0)
        return false;
    if (inner[length] == '+')
        return strtoul(inner + length + 1, NULL, 10) < size;
    return inner[length] == '.' || inner[length] == '[';
}

bool slice_same_object(const struct tale_event *a, const struct tale_event *b)
{
    return a->object == b->object || is_part(a->object, a->size, b->object) || is_part(b->object, b->size, a->object);
}

/* ---- what is shared ------------------------------------------------------------------------------------------------------- */

static uint64_t *use_of(struct slice *slice, const char *object)
{
    return table_put(&slice->uses, (uint64_t)(uintptr_t)object);
}

/* The event uses `object`, or a part of it. */
static void note_use(struct slice *slice, const char *object, const struct tale_event *event)
{
    uint64_t *use = use_of(slice, object);
    if ((*use & USE_SEEN) && (*use & USE_THREAD) != event->thread)
        *use |= USE_SHARED;
    if (!(*use & USE_SEEN))
        *use |= USE_SEEN | event->thread;
    if (slice_is_write(event) || !slice_is_access(event))
        *use |= USE_WRITTEN;
}

/* One thread accesses the whole variable, another one a part: the names differ, but the memory is the same. */
static void share_parts_of(struct slice *slice, const struct tale_event *whole)
{
    const struct tale *tale = slice->tale;
    for (size_t i = 0; i < tale->events.count; i++)
        if (is_part(whole->object, whole->size, tale->events.data[i].object))
            note_use(slice, whole->object, &tale->events.data[i]);
    if (!(*use_of(slice, whole->object) & USE_SHARED))
        return;
    for (size_t i = 0; i < tale->events.count; i++)
        if (is_part(whole->object, whole->size, tale->events.data[i].object))
            *use_of(slice, tale->events.data[i].object) |= USE_SHARED | USE_WRITTEN;
}

static void share_parts(struct slice *slice)
{
    int wholes = 0;
    for (size_t i = 0; i < slice->tale->events.count && wholes < WHOLES; i++) {
        const struct tale_event *event = &slice->tale->events.data[i];
        if (event->size <= sizeof(uint64_t) || !slice_is_access(event) || !has_object(event) ||
            (*use_of(slice, event->object) & USE_WHOLE))
            continue;
        *use_of(slice, event->object) |= USE_WHOLE;
        share_parts_of(slice, event);
        wholes++;
    }
}

static void find_shared(struct slice *slice)
{
    const struct tale *tale = slice->tale;
    uint32_t *last = memory_allocate(tale->threads.count, sizeof *last);
    memset(last, 0xff, tale->threads.count * sizeof *last);
    for (size_t i = 0; i < tale->events.count; i++) {
        const struct tale_event *event = &tale->events.data[i];
        slice->previous[i] = last[event->thread];
        last[event->thread] = (uint32_t)i;
        if (has_object(event) && event->op != OP_ALLOC)
            note_use(slice, event->object, event);
    }
    share_parts(slice);
    while (slice->first < tale->events.count && tale->events.data[slice->first].op != OP_CREATE)
        slice->first++;
    if (slice->first == tale->events.count)
        slice->first = 0;
    free(last);
}

bool slice_is_shared(const struct slice *slice, const struct tale_event *event)
{
    const uint64_t *use = table_get(&slice->uses, (uint64_t)(uintptr_t)event->object);
    return use != NULL && (*use & USE_SHARED) && (*use & USE_WRITTEN);
}

/* What a thread read on its way to the failure counts even if no other thread had accessed it: it may be what another one was to
   write. */
static bool is_telling(const struct slice *slice, const struct tale_event *event)
{
    if (event->place == TALE_NONE || !slice->tale->places.data[event->place].application)
        return false; /* how a library starts a thread, say */
    if (!(event->marks & TALE_PRIVATE))
        return slice_is_shared(slice, event);
    static const char *const streams[] = {"stdin", "stdout", "stderr"}; /* of a message that is printed */
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++)
        if (strcmp(event->object, streams[i]) == 0)
            return false;
    return slice_is_global(event) || strchr(event->object, '.') != NULL;
}

bool slice_is_relevant(const struct slice *slice, const struct tale_event *event)
{
    switch (op_class(event->op)) {
    case CLASS_OTHER:
        return event->op == OP_EXIT || event->op == OP_FORK;
    case CLASS_THREAD:
        return event->op != OP_START && event->op != OP_END && event->op != OP_DETACH;
    case CLASS_IO:
        return true;
    default:
        break;
    }
    if (event->op == OP_ALLOC || !has_object(event) || event->place == TALE_NONE ||
        !slice->tale->places.data[event->place].application)
        return false;
    return slice_is_shared(slice, event);
}

/* A variable with a name: not on the heap or a stack. */
bool slice_is_global(const struct tale_event *event)
{
    const char *name = event->object;
    return has_object(event) && strchr(name, '#') == NULL && !(name[0] == 'T' && name[1] >= '0' && name[1] <= '9');
}

/* ---- the walk backwards --------------------------------------------------------------------------------------------------- */

void slice_show(struct slice *slice, size_t index)
{
    assert(index < slice->tale->events.count);
    slice->tale->events.data[index].marks |= TALE_MATTERS;
}

/* Adds the event to the slice and to the pending ones, if the limit is not reached. */
void slice_want(struct slice *slice, size_t index)
{
    assert(index < slice->tale->events.count);
    struct tale_event *event = &slice->tale->events.data[index];
    if ((event->marks & TALE_MATTERS) || slice->pending.count >= LIMIT)
        return;
    event->marks |= TALE_MATTERS;
    vector_push(&slice->pending, (uint32_t)index);
}

/* Adds the write that the read at `index` read from. */
static void want_writer(struct slice *slice, size_t index)
{
    assert(slice_is_read(&slice->tale->events.data[index]));
    const struct tale *tale = slice->tale;
    const struct tale_event *event = &tale->events.data[index];
    for (size_t i = index; i-- > 0;)
        if (slice_is_write(&tale->events.data[i]) && slice_same_object(&tale->events.data[i], event)) {
            slice_want(slice, i);
            return;
        }
}

/* Whether one of the `count` events is about the object. */
static bool is_among(const struct tale *tale, const uint32_t *events, int count, const char *object)
{
    for (int i = 0; i < count; i++)
        if (tale->events.data[events[i]].object == object)
            return true;
    return false;
}

/* Adds what the thread read before `index` on the line `place`, each variable once.  Returns how many. */
int slice_want_reads_of_line(struct slice *slice, size_t index, int32_t place)
{
    assert(index < slice->tale->events.count);
    const struct tale *tale = slice->tale;
    uint32_t found[NEAR];
    int count = 0, looked = 0;
    bool inside = false;
    for (uint32_t i = slice->previous[index]; i != UINT32_MAX && looked < NEAR; i = slice->previous[i], looked++) {
        const struct tale_event *event = &tale->events.data[i];
        bool here = slice_same_line(tale, event->place, place);
        enum wire_class class = op_class(event->op);
        if ((inside && (!here || slice_is_write(event))) || class == CLASS_ACQUIRE || class == CLASS_RELEASE)
            break; /* an earlier execution of the line */
        if (here && slice_is_read(event) && !is_among(tale, found, count, event->object) &&
            (is_telling(slice, event) || (index == slice->failure && slice_is_global(event)))) {
            slice_want(slice, i);
            inside = true;
            found[count++] = i;
        }
    }
    return count;
}

/* Adds the last reads of the thread before `index`, of `count` different variables. */
void slice_want_last_reads(struct slice *slice, size_t index, int count)
{
    enum { MOST = 8 };
    uint32_t found[MOST];
    int looked = 0, known = 0;
    assert(index < slice->tale->events.count && count <= MOST);
    for (uint32_t i = slice->previous[index]; i != UINT32_MAX && known < count && looked < NEAR;
         i = slice->previous[i], looked++) {
        const struct tale_event *event = &slice->tale->events.data[i];
        if (!slice_is_read(event) || !is_telling(slice, event) || is_among(slice->tale, found, known, event->object))
            continue;
        slice_want(slice, i);
        found[known++] = i;
    }
}

/* The thread's last read of what is written at `index`, if it did not write it in between; UINT32_MAX: none. */
static uint32_t own_read(const struct slice *slice, size_t index)
{
    assert(index < slice->tale->events.count);
    const struct tale_event *event = &slice->tale->events.data[index];
    int looked = 0;
    for (uint32_t i = slice->previous[index]; i != UINT32_MAX && looked < 4 * NEAR; i = slice->previous[i], looked++) {
        const struct tale_event *earlier = &slice->tale->events.data[i];
        if (slice_is_access(earlier) && slice_same_object(earlier, event))
            return slice_is_read(earlier) ? i : UINT32_MAX;
    }
    return UINT32_MAX;
}

/* Shows what another thread wrote between the read and the write of a lost update, without the reasons of that write. */
static void show_lost(struct slice *slice, size_t index)
{
    assert(slice->tale->events.data[index].marks & TALE_LOST);
    const struct tale *tale = slice->tale;
    const struct tale_event *event = &tale->events.data[index];
    for (size_t i = index; i-- > 0;) {
        const struct tale_event *earlier = &tale->events.data[i];
        if (!slice_is_write(earlier) || !slice_same_object(earlier, event))
            continue;
        if (earlier->thread == event->thread)
            return;
        uint32_t read = own_read(slice, i);
        slice_show(slice, i);
        if (read != UINT32_MAX)
            slice_show(slice, read);
        return;
    }
}

void slice_want_wait(struct slice *slice, size_t index)
{
    assert(slice->tale->events.data[index].op == OP_COND_WAKE);
    const struct tale *tale = slice->tale;
    uint32_t begin = slice->previous[index];
    if (begin != UINT32_MAX && tale->events.data[begin].op == OP_COND_WAIT)
        slice_want(slice, begin);
    for (size_t i = 0; i < tale->arrows.count; i++) {
        const struct tale_event *from = &tale->events.data[tale->arrows.data[i].from];
        if (tale->arrows.data[i].to == index && (from->op == OP_COND_SIGNAL || from->op == OP_COND_BROADCAST))
            slice_want(slice, tale->arrows.data[i].from);
    }
}

/* "&heap#3" or "&heap#3.next" for an access to a part of heap#3. */
static bool points_into(const char *value, const char *object)
{
    size_t length = strcspn(object, "0123456789");
    length += strspn(object + length, "0123456789");
    return value[0] == '&' && strncmp(value + 1, object, length) == 0 &&
           (value[1 + length] < '0' || value[1 + length] > '9');
}

/* Adds the read by which the thread got the address of the block: its writer has published it. */
static void want_pointer(struct slice *slice, size_t index)
{
    const struct tale_event *event = &slice->tale->events.data[index];
    int looked = 0;
    if (strncmp(event->object, "heap#", strlen("heap#")) != 0)
        return;
    for (uint32_t i = slice->previous[index]; i != UINT32_MAX && looked < NEAR; i = slice->previous[i], looked++) {
        const struct tale_event *earlier = &slice->tale->events.data[i];
        if (!slice_is_access(earlier) || !points_into(earlier->value, event->object))
            continue;
        if (slice_is_read(earlier) && slice_is_shared(slice, earlier))
            slice_want(slice, i);
        return;
    }
}

/* Adds earlier reads of the same variable at other places, which the thread has not written since: the check before the use. */
static void want_check(struct slice *slice, size_t index)
{
    enum { CHECKS = 2 };
    const struct tale_event *event = &slice->tale->events.data[index];
    int looked = 0, found = 0;
    int32_t place = event->place;
    for (uint32_t i = slice->previous[index]; i != UINT32_MAX && looked < NEAR && found < CHECKS;
         i = slice->previous[i], looked++) {
        const struct tale_event *earlier = &slice->tale->events.data[i];
        if (earlier->object != event->object || !slice_is_access(earlier))
            continue;
        if (!slice_is_read(earlier) || slice_is_write(earlier))
            return;
        if (!slice_same_line(slice->tale, earlier->place, place)) {
            slice_want(slice, i);
            place = earlier->place;
            found++;
        }
    }
}

/* Adds the first write of another thread after the failing thread's read: what it read is no longer true. */
static void want_overwrite(struct slice *slice, size_t index)
{
    const struct tale *tale = slice->tale;
    const struct tale_event *event = &tale->events.data[index];
    for (size_t i = index + 1; i < tale->events.count; i++) {
        const struct tale_event *later = &tale->events.data[i];
        if ((later->marks & (TALE_BLOCKED | TALE_END)) || !slice_is_write(later) || !slice_same_object(later, event))
            continue;
        if (later->thread != event->thread)
            slice_want(slice, i);
        return;
    }
}

static void explain(struct slice *slice, size_t index)
{
    assert(slice->tale->events.data[index].marks & TALE_MATTERS);
    const struct tale_event *event = &slice->tale->events.data[index];
    if (index < slice->first)
        return;
    if (slice_is_access(event) || op_class(event->op) == CLASS_ACQUIRE)
        want_pointer(slice, index);
    if (slice_is_read(event) && !(event->marks & TALE_END)) {
        want_writer(slice, index);
        want_check(slice, index);
        if (event->thread == slice->tale->failing_thread)
            want_overwrite(slice, index);
    }
    if (event->op == OP_COND_WAKE)
        slice_want_wait(slice, index);
    if (event->op == OP_COND_WAIT)
        slice_want_last_reads(slice, index, 1); /* the condition that it tested */
    if (event->marks & TALE_LOST)
        show_lost(slice, index);
    if (slice_is_write(event) || event->op == OP_FREE) {
        uint32_t own = slice_is_write(event) ? own_read(slice, index) : UINT32_MAX;
        if (own != UINT32_MAX)
            slice_want(slice, own);
        if (slice_want_reads_of_line(slice, index, event->place) == 0 && own == UINT32_MAX)
            slice_want_last_reads(slice, index, event->op == OP_FREE || slice_is_read(event) ? READS_BEFORE : 1);
    }
}

void slice_explain(struct slice *slice)
{
    assert(slice->next <= slice->pending.count);
    while (slice->next < slice->pending.count)
        explain(slice, slice->pending.data[slice->next++]);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void tale_slice(struct tale *tale)
{
    struct slice slice = {.tale = tale, .failure = SIZE_MAX};
    if (tale->events.count == 0)
        return;
    for (size_t i = 0; i < tale->events.count; i++)
        tale->events.data[i].marks &= ~(uint32_t)TALE_MATTERS;
    slice.previous = memory_allocate(tale->events.count, sizeof *slice.previous);
    find_shared(&slice);
    slice_begin(&slice);
    slice_explain(&slice);
    slice_add_context(&slice);
    slice_explain(&slice);
    slice_end_context(&slice);
    table_free(&slice.uses);
    vector_free(&slice.pending);
    free(slice.previous);
}
