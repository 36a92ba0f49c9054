/* SPDX-License-Identifier: MIT
 *
 * statement.c - see statement.h.  The sentences about deadlocks are in statement_waits.c, what is known without
 * a cause in statement_known.c.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "explain/statement_private.h"
#include "trace/events.h"

/* ---- words ---------------------------------------------------------------------------------------------------------------- */

static const struct {
    uint32_t op;
    const char *noun, *past;
} words[] = {
    {OP_READ, "read", "read"},
    {OP_ATOMIC_LOAD, "read", "read"},
    {OP_WRITE, "write", "wrote"},
    {OP_ATOMIC_STORE, "write", "wrote"},
    {OP_ATOMIC_RMW, "update", "updated"},
    {OP_ATOMIC_CAS, "exchange", "exchanged"},
    {OP_MUTEX_LOCK, "lock", "locked"},
    {OP_MUTEX_TRYLOCK, "lock", "locked"},
    {OP_MUTEX_TIMEDLOCK, "lock", "locked"},
    {OP_MUTEX_UNLOCK, "unlock", "unlocked"},
    {OP_RWLOCK_RDLOCK, "read lock", "locked (for reading)"},
    {OP_RWLOCK_WRLOCK, "write lock", "locked (for writing)"},
    {OP_RWLOCK_TRYRDLOCK, "read lock", "locked (for reading)"},
    {OP_RWLOCK_TRYWRLOCK, "write lock", "locked (for writing)"},
    {OP_RWLOCK_UNLOCK, "unlock", "unlocked"},
    {OP_SPIN_LOCK, "lock", "locked"},
    {OP_SPIN_TRYLOCK, "lock", "locked"},
    {OP_SPIN_UNLOCK, "unlock", "unlocked"},
    {OP_COND_WAIT, "wait", "began to wait for"},
    {OP_COND_SIGNAL, "signal", "signalled"},
    {OP_COND_BROADCAST, "broadcast", "signalled (to all)"},
    {OP_FUTEX_WAIT, "wait", "waited for"},
    {OP_FUTEX_WAKE, "wake-up", "woke the waiters of"},
    {OP_SEM_WAIT, "wait", "took"},
    {OP_SEM_TRYWAIT, "wait", "took"},
    {OP_SEM_POST, "post", "posted"},
    {OP_SEM_GETVALUE, "look", "looked at"},
    {OP_FREE, "free", "freed"},
    {OP_MUTEX_INIT, "initialisation", "initialised"},
    {OP_COND_INIT, "initialisation", "initialised"},
    {OP_RWLOCK_INIT, "initialisation", "initialised"},
    {OP_SPIN_INIT, "initialisation", "initialised"},
    {OP_SEM_INIT, "initialisation", "initialised"},
    {OP_MUTEX_DESTROY, "destruction", "destroyed"},
    {OP_COND_DESTROY, "destruction", "destroyed"},
    {OP_RWLOCK_DESTROY, "destruction", "destroyed"},
    {OP_SPIN_DESTROY, "destruction", "destroyed"},
    {OP_SEM_DESTROY, "destruction", "destroyed"},
};

static const char *noun_of(uint32_t op)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (words[i].op == op)
            return words[i].noun;
    return event_op_name(op);
}

static const char *past_of(uint32_t op)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (words[i].op == op)
            return words[i].past;
    return "came to";
}

/* "bank.c:15", without its directory; ":23" if the file was named just before. */
void statement_add_where(struct statement *statement, const char *where)
{
    const char *slash = strrchr(where, '/');
    where = slash != NULL ? slash + 1 : where;
    const char *colon = strrchr(where, ':');
    size_t length = colon != NULL ? (size_t)(colon - where) : 0;
    if (where[0] == '\0')
        return;
    bool same = colon != NULL && statement->file != NULL && statement->file_length == length &&
                strncmp(statement->file, where, length) == 0;
    buffer_printf(&statement->text, " at %s", same ? colon : where);
    if (colon != NULL) {
        statement->file = where;
        statement->file_length = length;
    }
}

void statement_add_place(struct statement *statement, int32_t place)
{
    if (place != TALE_NONE && statement->tale->places.data[place].line > 0)
        statement_add_where(statement, statement->tale->places.data[place].where);
}

/* "locked m at x.c:5"; "locked it at :5" if `named` is its name. */
static void add_action(struct statement *statement, uint32_t op, const char *object, const char *where,
                       const char *named)
{
    bool same = named != NULL && strcmp(named, object) == 0 && object[0] != '\0';
    buffer_printf(&statement->text, "%s", past_of(op));
    if (object[0] != '\0' && strcmp(object, "-") != 0)
        buffer_printf(&statement->text, " %s", same ? "it" : object);
    statement_add_where(statement, where);
}

void statement_add_event(struct statement *statement, const struct tale_event *event, const char *named)
{
    bool known = event->place != TALE_NONE && statement->tale->places.data[event->place].line > 0;
    add_action(statement, event->op, event->object, known ? statement->tale->places.data[event->place].where : "",
               named);
}

/* ---- a pattern ------------------------------------------------------------------------------------------------------------ */

static bool is_about(const struct statement_step *step, const struct statement_step *other)
{
    return step->object[0] != '\0' && strcmp(step->object, other->object) == 0;
}

static void say_step(struct statement *statement, const struct statement_step *step, const char *named)
{
    if (step->coming) {
        buffer_printf(&statement->text, "came to its %s", noun_of(step->op));
        if (step->object[0] != '\0' && (named == NULL || strcmp(named, step->object) != 0))
            buffer_printf(&statement->text, " of %s", step->object);
        statement_add_where(statement, step->where);
    } else {
        add_action(statement, step->op, step->object, step->where, named);
    }
}

static void say_noun(struct statement *statement, const struct statement_step *step, const char *more)
{
    buffer_printf(&statement->text, "%s%s", more, noun_of(step->op));
    statement_add_where(statement, step->where);
}

/* "T2 wrote balance at bank.c:23 between T1's read at :15 and its write at :16" */
static bool say_between(struct statement *statement, const struct statement_step *steps)
{
    const struct statement_step *a = &steps[0], *b = &steps[1], *c = &steps[2];
    if (a->thread != c->thread || a->thread == b->thread || !is_about(a, b) || !is_about(b, c) || b->coming)
        return false;
    buffer_printf(&statement->text, "T%" PRIu32 " ", b->thread);
    say_step(statement, b, NULL);
    buffer_printf(&statement->text, " between T%" PRIu32 "'s ", a->thread);
    say_noun(statement, a, "");
    buffer_add_string(&statement->text, " and its ");
    say_noun(statement, c, strcmp(noun_of(a->op), noun_of(c->op)) == 0 ? "next " : "");
    return true;
}

/* "T2 read x at a.c:5 before T1 wrote it at :9"; with more steps "T1 wrote x at a.c:1; then T2 read x at :5 and y at :6" */
static void say_in_turn(struct statement *statement, const struct statement_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool other = i == 0 || steps[i].thread != steps[i - 1].thread;
        const char *join = i == 0                                                    ? ""
                           : !other                                                  ? " and "
                           : count == 2 || (steps[i].coming && !steps[i - 1].coming) ? " before "
                           : steps[i].coming                                         ? " and "
                                                                                     : "; then ";
        buffer_add_string(&statement->text, join);
        if (other)
            buffer_printf(&statement->text, "T%" PRIu32 " ", steps[i].thread);
        say_step(statement, &steps[i], i > 0 ? steps[i - 1].object : NULL);
    }
}

/* Of a read, and a write of another thread after it: where the first thread writes over what the other one wrote. */
static bool find_lost(const struct tale *tale, const struct statement_step *steps, struct statement_step *lost)
{
    size_t i = 0;
    if (steps[0].coming || steps[1].coming || op_class(steps[0].op) != CLASS_READ ||
        op_class(steps[1].op) != CLASS_WRITE)
        return false;
    while (i < tale->events.count &&
           (tale->events.data[i].thread != steps[1].thread || tale->events.data[i].operation != steps[1].operation))
        i++;
    for (; i < tale->events.count; i++) {
        const struct tale_event *event = &tale->events.data[i];
        if (event->thread != steps[0].thread || strcmp(event->object, steps[0].object) != 0)
            continue;
        if (!(event->marks & TALE_LOST) || event->place == TALE_NONE)
            return false;
        *lost = (struct statement_step){.thread = event->thread, .op = event->op, .operation = event->operation};
        snprintf(lost->object, sizeof lost->object, "%s", event->object);
        snprintf(lost->where, sizeof lost->where, "%s", tale->places.data[event->place].where);
        return true;
    }
    return false;
}

/* What the failing thread would have done next is left out: it may have done it where no other thread had been. */
static bool say_pattern(struct statement *statement, const struct statement_facts *facts)
{
    const struct tale *tale = statement->tale;
    struct statement_step steps[STATEMENT_STEPS];
    size_t count = 0;
    for (size_t i = 0; facts != NULL && i < facts->count; i++)
        if (!facts->steps[i].coming || facts->steps[i].thread != tale->failing_thread || facts->count == 2)
            steps[count++] = facts->steps[i];
    if (tale->cause.pattern == NULL || count < 2 || steps[0].coming)
        return false;
    if (count == 2 && find_lost(tale, steps, &steps[2]))
        count = 3;
    if (facts->has_lost && say_between(statement, facts->lost))
        buffer_add_string(&statement->text, "; then ");
    if (count != 3 || !say_between(statement, steps))
        say_in_turn(statement, steps, count);
    return true;
}

/* ---- the decisive step ---------------------------------------------------------------------------------------------------- */

/* " (128)", as the tale has it. */
static void add_value(struct statement *statement, const struct statement_step *step)
{
    const struct tale *tale = statement->tale;
    for (size_t i = 0; i < tale->events.count && op_is_access(step->op); i++) {
        const struct tale_event *event = &tale->events.data[i];
        if (event->thread == step->thread && event->operation == step->operation && event->op == step->op &&
            event->value[0] != '\0')
            buffer_printf(&statement->text, " (%s)", event->value);
    }
}

/* "T2 read now[2] at heat.c:35 (128) before T1 wrote it at :38 (144): after that, none of 12 runs passed" */
static bool say_decisive(struct statement *statement, const struct statement_facts *facts)
{
    if (facts == NULL || !facts->has_decisive || ((!facts->has_other || facts->other.coming) && facts->after == 0))
        return false;
    buffer_printf(&statement->text, "T%" PRIu32 " ", facts->decisive.thread);
    say_step(statement, &facts->decisive, NULL);
    add_value(statement, &facts->decisive);
    if (facts->has_signal) {
        buffer_printf(&statement->text, " between T%" PRIu32 "'s ", facts->signal.thread);
        say_noun(statement, &facts->signal, "");
        buffer_printf(&statement->text, " and the end of T%" PRIu32 "'s wait", facts->other.thread);
        statement_add_where(statement, facts->other.where);
    } else if (facts->has_other) {
        buffer_printf(&statement->text, " before T%" PRIu32 " ", facts->other.thread);
        say_step(statement, &facts->other, facts->decisive.object);
        add_value(statement, &facts->other);
    }
    if (facts->after > 0)
        buffer_printf(&statement->text, ": after that, none of %u runs passed", facts->after);
    return true;
}

/* ---- ABA ------------------------------------------------------------------------------------------------------------------ */

static bool is_change(const struct tale_event *event)
{
    return op_class(event->op) == CLASS_WRITE && op_is_access(event->op) &&
           !(event->flags & (EVENT_FAILED | EVENT_UNCHANGED));
}

/* The read by which the thread of the exchange knows the value, if other threads have changed it and changed it back since. */
static const struct tale_event *stale_read(const struct tale *tale, size_t exchange, const struct tale_event **back)
{
    const struct tale_event *cas = &tale->events.data[exchange];
    size_t changes = 0;
    for (size_t i = exchange; i-- > 0;) {
        const struct tale_event *event = &tale->events.data[i];
        if (strcmp(event->object, cas->object) != 0 || !op_is_access(event->op))
            continue;
        if (event->thread != cas->thread) {
            if (is_change(event) && changes++ == 0)
                *back = event;
            continue;
        }
        return changes > 1 && event->value[0] != '\0' && strcmp(event->value, (*back)->value) == 0 ? event : NULL;
    }
    return NULL;
}

/* "T2 exchanged head at pool.c:37 although T1 had changed it since T2's read at :34, and back at :48: it was the same value again" */
static bool say_aba(struct statement *statement)
{
    const struct tale *tale = statement->tale;
    for (size_t i = tale->events.count; i-- > 0;) {
        const struct tale_event *event = &tale->events.data[i], *back = NULL;
        if (event->op != OP_ATOMIC_CAS || !is_change(event))
            continue;
        const struct tale_event *read = stale_read(tale, i, &back);
        if (read == NULL)
            continue;
        buffer_printf(&statement->text, "T%" PRIu32 " ", event->thread);
        statement_add_event(statement, event, NULL);
        buffer_printf(&statement->text, " although T%" PRIu32 " had changed it since T%" PRIu32 "'s read", back->thread,
                      event->thread);
        statement_add_place(statement, read->place);
        buffer_printf(&statement->text, " and back to %s", back->value);
        statement_add_place(statement, back->place);
        buffer_add_string(&statement->text, " (ABA)");
        return true;
    }
    return false;
}

/* ---- a block that was freed ----------------------------------------------------------------------------------------------- */

static const struct tale_event *marked(const struct tale *tale, uint32_t mark)
{
    for (size_t i = tale->events.count; i-- > 0;)
        if (tale->events.data[i].marks & mark)
            return &tale->events.data[i];
    return NULL;
}

/* "T2 freed heap#2 at feed.c:49 before T1's read of heap#2.last at :74: that read should have come first" */
static bool say_freed(struct statement *statement)
{
    const struct tale *tale = statement->tale;
    const struct tale_event *freed = marked(tale, TALE_FREED), *used = marked(tale, TALE_ITSELF);
    bool twice = strcmp(tale->kind, "double-free") == 0;
    if (freed == NULL)
        return false;
    buffer_printf(&statement->text, "T%" PRIu32 " ", freed->thread);
    statement_add_event(statement, freed, NULL);
    if (twice) {
        buffer_printf(&statement->text, ", and T%" PRIu32 " freed it again", tale->failing_thread);
        statement_add_place(statement, tale->place);
        return true;
    }
    const char *what = used != NULL                               ? noun_of(used->op)
                       : strstr(tale->text, ": read of") != NULL  ? "read"
                       : strstr(tale->text, ": write of") != NULL ? "write"
                                                                  : "access";
    buffer_printf(&statement->text, " before T%" PRIu32 "'s %s", tale->failing_thread, what);
    if (used != NULL && strcmp(used->object, "-") != 0)
        buffer_printf(&statement->text, " of %s", used->object);
    statement_add_place(statement, tale->place);
    if (freed->thread != tale->failing_thread)
        buffer_printf(&statement->text, ": the %s must come before the free", what);
    return true;
}

/* ---- calls that interrupt each other --------------------------------------------------------------------------------------- */

/* The names in "not serializable: account_copy on struct account, interrupted by account_credit: …". */
static bool find_calls(const char *text, char names[2][STATEMENT_NAME])
{
    static const char begin[] = "not serializable: ", on[] = " on ", by[] = ", interrupted by ";
    const char *first = strncmp(text, begin, strlen(begin)) == 0 ? text + strlen(begin) : NULL;
    const char *first_end = first != NULL ? strstr(first, on) : NULL;
    const char *second = first_end != NULL ? strstr(first_end, by) : NULL;
    const char *second_end = second != NULL ? strstr(second + strlen(by), ": ") : NULL;
    if (second_end == NULL)
        return false;
    second += strlen(by);
    snprintf(names[0], STATEMENT_NAME, "%.*s", (int)(first_end - first), first);
    snprintf(names[1], STATEMENT_NAME, "%.*s", (int)(second_end - second), second);
    return true;
}

/* "T1's account_credit" */
static void say_call(struct statement *statement, uint32_t thread, const char *name)
{
    buffer_printf(&statement->text, "T%" PRIu32 "'s %s", thread, strcmp(name, "access") == 0 ? "code" : name);
}

/* Its steps from `from` to before `until`: "wrote a at x.c:3 and b at :4". */
static void say_steps(struct statement *statement, uint32_t from, uint32_t until)
{
    const struct tale *tale = statement->tale;
    for (uint32_t i = from; i < until; i++) {
        const struct tale_event *event = &tale->events.data[tale->cause.events.data[i]];
        const struct tale_event *before = i > from ? &tale->events.data[tale->cause.events.data[i - 1]] : NULL;
        bool same = before != NULL && strcmp(past_of(before->op), past_of(event->op)) == 0;
        buffer_printf(&statement->text, "%s%s%s %s", i > from ? " and" : "", same ? "" : " ",
                      same ? "" : past_of(event->op), event->object);
        statement_add_place(statement, event->place);
    }
}

/* Steps of one thread, from `from` on. */
static uint32_t end_of_turn(const struct tale *tale, uint32_t from)
{
    uint32_t thread = tale->events.data[tale->cause.events.data[from]].thread, end = from + 1;
    while (end < tale->cause.events.count && tale->events.data[tale->cause.events.data[end]].thread == thread)
        end++;
    return end;
}

/* "T0's account_copy read checking at x.c:17, T1's account_credit wrote checking at :33 and savings at :40, T0's account_copy read savings at :25" */
static bool say_interrupted(struct statement *statement)
{
    const struct tale *tale = statement->tale;
    char names[2][STATEMENT_NAME];
    uint32_t count = (uint32_t)tale->cause.events.count;
    if (count < 2 || !find_calls(tale->text, names))
        return false;
    bool named[2] = {false};
    for (uint32_t at = 0, end; at < count; at = end) {
        uint32_t thread = tale->events.data[tale->cause.events.data[at]].thread;
        end = end_of_turn(tale, at);
        buffer_add_string(&statement->text, at == 0 ? "" : end < count ? ", then " : ", and only then ");
        unsigned which = thread == tale->failing_thread ? 0 : 1; /* the interrupted call is the one that fails */
        if (named[which])
            buffer_printf(&statement->text, "T%" PRIu32, thread);
        else
            say_call(statement, thread, names[which]);
        named[which] = true;
        say_steps(statement, at, end);
    }
    return true;
}

/* ---- all ------------------------------------------------------------------------------------------------------------------ */

static bool say_anything(struct statement *statement, const struct statement_facts *facts)
{
    const struct tale *tale = statement->tale;
    if (strcmp(tale->kind, "deadlock") == 0 && statement_say_waits(statement))
        return true;
    if (strcmp(tale->kind, "serializability") == 0)
        return say_interrupted(statement);
    if (strcmp(tale->kind, "use-after-free") == 0 || strcmp(tale->kind, "double-free") == 0)
        if (say_freed(statement))
            return true;
    if (facts != NULL && facts->pattern_is_weak && facts->has_other && !facts->other.coming &&
        say_decisive(statement, facts))
        return true;
    if (strcmp(tale->kind, "hang") == 0 && statement_say_hang(statement))
        return true;
    return say_pattern(statement, facts) || statement_say_torn(statement) || say_decisive(statement, facts) ||
           say_aba(statement) || statement_say_lost(statement) || statement_say_early(statement) ||
           statement_say_handler(statement);
}

char *statement_make(const struct tale *tale, const struct statement_facts *facts)
{
    struct statement statement = {.tale = tale};
    if (!say_anything(&statement, facts)) {
        buffer_free(&statement.text);
        return NULL;
    }
    assert(statement.text.size > 0);
    return buffer_take(&statement.text);
}
