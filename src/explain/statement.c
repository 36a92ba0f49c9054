/* SPDX-License-Identifier: MIT
 *
 * statement.c - see statement.h.  The sentences about deadlocks are in statement_waits.c.
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

/* "bank.c:15"; ":23" if the file was named just before. */
void statement_add_where(struct statement *statement, const char *where)
{
    const char *colon = strrchr(where, ':');
    size_t length = colon != NULL ? (size_t)(colon - where) : 0;
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
    if (where[0] != '\0')
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
        if (step->where[0] != '\0')
            statement_add_where(statement, step->where);
    } else {
        add_action(statement, step->op, step->object, step->where, named);
    }
}

static void say_noun(struct statement *statement, const struct statement_step *step, const char *more)
{
    buffer_printf(&statement->text, "%s%s", more, noun_of(step->op));
    if (step->where[0] != '\0')
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
    if (count != 3 || !say_between(statement, steps))
        say_in_turn(statement, steps, count);
    return true;
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
    const char *what = used != NULL ? noun_of(used->op) : "access";
    buffer_printf(&statement->text, " before T%" PRIu32 "'s %s", tale->failing_thread, what);
    if (used != NULL && strcmp(used->object, "-") != 0)
        buffer_printf(&statement->text, " of %s", used->object);
    statement_add_place(statement, tale->place);
    if (freed->thread != tale->failing_thread)
        buffer_printf(&statement->text, ": the %s must come before the free", what);
    return true;
}

/* ---- all ------------------------------------------------------------------------------------------------------------------ */

static bool say_anything(struct statement *statement, const struct statement_facts *facts)
{
    const struct tale *tale = statement->tale;
    if (strcmp(tale->kind, "deadlock") == 0 && statement_say_waits(statement))
        return true;
    if (strcmp(tale->kind, "use-after-free") == 0 || strcmp(tale->kind, "double-free") == 0)
        if (say_freed(statement))
            return true;
    return say_pattern(statement, facts);
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
