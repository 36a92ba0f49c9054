/* SPDX-License-Identifier: MIT
 *
 * direct_test.c - a pattern as the program is told to make it happen: goals, beginnings of known runs, entries, witnesses, and
 * the ways of the director.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "direct/director.h"
#include "direct/witness.h"
#include "fixture/executions.h"

enum { NOWHERE = 99 }; /* a line that the program does not have */

static struct sites *sites;

static int setup(void **state)
{
    (void)state;
    sites = sites_new();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    sites_free(sites);
    return 0;
}

static struct pattern parse(const char *text)
{
    struct error error = {0};
    struct pattern pattern;
    if (!pattern_parse(text, sites, &pattern, &error))
        fail_msg("%s: %s", text, error.text);
    return pattern;
}

/* Line n has the instruction 0x1000 + n, line 7 has three of them. */
static size_t pcs_by_line(void *context, uint32_t site, uint64_t *pcs, size_t most)
{
    unsigned *asked = context;
    uint32_t line = sites_get(sites, site)->line;
    size_t count = line == NOWHERE ? 0 : line == 7 ? 3 : 1;
    ++*asked;
    for (size_t i = 0; i < count && i < most; i++)
        pcs[i] = 0x1000 + line + 0x100 * i;
    return count;
}

static bool make_goal(struct wire_goal *goal, const struct pattern *pattern, uint32_t window,
                      const struct witness *witnesses, unsigned insist, unsigned *missing)
{
    unsigned asked = 0;
    memset(goal, 0xee, sizeof *goal); /* nothing of what was there may stay */
    return goal_make(goal, pattern, window, witnesses, insist, pcs_by_line, &asked, missing);
}

static struct wire_goal goal_of(const char *text, uint32_t window)
{
    struct pattern pattern = parse(text);
    struct wire_goal goal;
    unsigned missing = 77;
    assert_true(make_goal(&goal, &pattern, window, NULL, 0, &missing));
    return goal;
}

static bool has_op(const struct wire_goal_step *step, enum wire_op op)
{
    return step->ops[op / 64] >> (op % 64) & 1;
}

/* ---- goals -------------------------------------------------------------------------------------------------------- */

/* The step may be exactly these operations. */
static void assert_ops(const char *kind, const enum wire_op *ops, size_t count)
{
    char text[64];
    snprintf(text, sizeof text, "a:%s(x) < b:%s(x)", kind, kind);
    struct wire_goal goal = goal_of(text, 0);
    for (unsigned op = 0; op < WIRE_OP_COUNT; op++) {
        bool wanted = false;
        for (size_t i = 0; i < count; i++)
            wanted |= ops[i] == op;
        if (has_op(&goal.steps[0], (enum wire_op)op) != wanted)
            fail_msg("%s: operation %u", kind, op);
    }
    assert_memory_equal(goal.steps[0].ops, goal.steps[1].ops, sizeof goal.steps[0].ops);
}
#define ASSERT_OPS(kind, ...)                                                                                          \
    assert_ops(kind, (const enum wire_op[]){__VA_ARGS__},                                                              \
               sizeof(const enum wire_op[]){__VA_ARGS__} / sizeof(enum wire_op))

/* What an operation turns out to be is known only when it has been done: all that it can be. */
static void kinds_are_operations(void **state)
{
    (void)state;
    ASSERT_OPS("R", OP_READ, OP_ATOMIC_LOAD, OP_ATOMIC_RMW, OP_ATOMIC_CAS);
    ASSERT_OPS("W", OP_WRITE, OP_ATOMIC_STORE, OP_ATOMIC_RMW, OP_ATOMIC_CAS, OP_FREE);
    ASSERT_OPS("U", OP_ATOMIC_RMW, OP_ATOMIC_CAS);
    ASSERT_OPS("free", OP_FREE);
    ASSERT_OPS("lock", OP_MUTEX_LOCK, OP_MUTEX_TRYLOCK, OP_MUTEX_TIMEDLOCK, OP_SPIN_LOCK, OP_SPIN_TRYLOCK,
               OP_RWLOCK_WRLOCK, OP_RWLOCK_TRYWRLOCK, OP_COND_WAKE);
    ASSERT_OPS("unlock", OP_MUTEX_UNLOCK, OP_SPIN_UNLOCK, OP_RWLOCK_UNLOCK, OP_COND_WAIT);
    ASSERT_OPS("rdlock", OP_RWLOCK_RDLOCK, OP_RWLOCK_TRYRDLOCK);
    ASSERT_OPS("rdunlock", OP_RWLOCK_UNLOCK);
    ASSERT_OPS("signal", OP_COND_SIGNAL, OP_COND_BROADCAST, OP_FUTEX_WAKE);
    ASSERT_OPS("wait", OP_COND_WAIT, OP_FUTEX_WAIT);
    struct wire_goal goal = goal_of("a:*(x) < b:try(x)", 0);
    assert_true(has_op(&goal.steps[0], OP_READ) && has_op(&goal.steps[0], OP_SEM_POST));
    assert_true(has_op(&goal.steps[1], OP_MUTEX_TRYLOCK) && has_op(&goal.steps[1], OP_SEM_TRYWAIT));
    assert_false(has_op(&goal.steps[1], OP_MUTEX_UNLOCK));
}

static void steps_say_what_the_pattern_says(void **state)
{
    (void)state;
    struct wire_goal goal = goal_of("a:R(x)@f.c:1 << b:W(x)@f.c:2 < b:W(y)@f.c:3 << a:R(y)@f.c:4~1f3a*3", 50);
    static const uint8_t threads[] = {0, 1, 1, 0}, variables[] = {0, 0, 1, 1}, immediate[] = {0, 1, 0, 3},
                         strong[] = {0, 1, 1, 0};
    assert_int_equal(goal.count, 4);
    assert_int_equal(goal.flags, 0);
    assert_int_equal(goal.window, 0); /* it has no family */
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(goal.steps[i].thread, threads[i]);
        assert_int_equal(goal.steps[i].variable, variables[i]);
        assert_int_equal(goal.steps[i].group, i);
        assert_int_equal(goal.steps[i].immediate, immediate[i]);
        assert_int_equal(goal.steps[i].strong, strong[i]);
        assert_int_equal(goal.steps[i].of_mutex, 0);
        assert_int_equal(goal.steps[i].task, UINT16_MAX);
        assert_int_equal(goal.steps[i].section_entry, 0);
        assert_int_equal(goal.steps[i].occurrence, i == 3 ? 3 : 0);
        assert_int_equal(goal.steps[i].context, i == 3 ? 0x1f3a : 0);
        assert_int_equal(goal.steps[i].pcs[0], 0x1001 + i);
        assert_int_equal(goal.steps[i].pcs[1], 0);
    }
}

/* `<<` is about the last step before it on the same variable, of whichever task. */
static void immediately_after_what(void **state)
{
    (void)state;
    struct wire_goal goal = goal_of("a:W(x) | b:W(y) << b:R(x) | a:R(y)", 0);
    assert_int_equal(goal.steps[2].immediate, 1);
    assert_int_equal(goal.steps[3].immediate, 2);
    assert_int_equal(goal.steps[0].group + goal.steps[1].group, 0);
    assert_int_equal(goal.steps[2].group, 1);
    assert_int_equal(goal.steps[3].group, 1);
    goal = goal_of("a:R(x) << b:W(x) << a:W(x)", 0);
    assert_int_equal(goal.steps[1].immediate, 1);
    assert_int_equal(goal.steps[2].immediate, 2);
    goal = goal_of("idiom.2 a:R(x)@f.c:1 << b:W(x)@f.c:2 << a:W(x)@f.c:3", 9);
    assert_int_equal(goal.steps[2].immediate, 2);
    goal = goal_of("map.10 a:W(x) < b:W(y) << b:W(x) << a:W(y)", 9);
    assert_int_equal(goal.steps[1].immediate, 0);
    assert_int_equal(goal.steps[2].immediate, 1);
    assert_int_equal(goal.steps[3].immediate, 2);
}

static void a_lock_is_about_the_mutex(void **state)
{
    (void)state;
    struct wire_goal goal = goal_of("a:unlock(x) << b:lock(x)", 0);
    assert_true(goal.steps[0].of_mutex && goal.steps[1].of_mutex);
    goal = goal_of("a:wait(x) << b:signal(x)", 0);
    assert_false(goal.steps[0].of_mutex || goal.steps[1].of_mutex);
    goal = goal_of("a:rdunlock(x) << b:lock(x)", 0);
    assert_false(goal.steps[0].of_mutex);
}

static void windows(void **state)
{
    (void)state;
    assert_int_equal(goal_of("a:R(x) << b:W(x) << a:W(x)", 50).window, 0);
    assert_int_equal(goal_of("a:R(x) << b:W(x) <<[20] a:W(x)", 50).window, 20);
    assert_int_equal(goal_of("idiom.1 a:R(x) << b:W(x)", 50).window, 0); /* has no two steps of one thread */
    struct wire_goal goal = goal_of("idiom.2 a:R(x) << b:W(x) << a:W(x)", 50);
    assert_int_equal(goal.window, 50);
    assert_int_equal(goal.flags, GOAL_UNINTERRUPTED);
    assert_int_equal(goal_of("idiom.2 a:R(x) << b:W(x) <<[20] a:W(x)", 50).window, 20); /* the narrower one */
    assert_int_equal(goal_of("idiom.2 a:R(x) << b:W(x) <<[80] a:W(x)", 50).window, 50);
    goal = goal_of("idiom.4 a:R(x) << b:W(x) < b:W(y) << a:R(y)", 50);
    assert_int_equal(goal.window, 50);
    assert_int_equal(goal.flags, 0);
}

static void places(void **state)
{
    (void)state;
    struct wire_goal goal = goal_of("a:R(x) << b:W(x)@f.c:7", 0);
    assert_int_equal(goal.steps[0].pcs[0], 0); /* anywhere */
    assert_int_equal(goal.steps[1].pcs[2], 0x1207);
    assert_int_equal(goal.steps[1].pcs[3], 0);
    struct pattern pattern = parse("a:R(x)@f.c:1 << b:W(x)@f.c:2 << a:W(x)@f.c:99");
    unsigned missing = 77;
    assert_false(make_goal(&goal, &pattern, 0, NULL, 0, &missing));
    assert_int_equal(missing, 2);
    pattern = parse("a:R(x)@f.c:99 << b:W(x)@f.c:99");
    assert_false(make_goal(&goal, &pattern, 0, NULL, 0, &missing));
    assert_int_equal(missing, 0);
}

static void what_is_known_is_insisted_on(void **state)
{
    (void)state;
    struct pattern pattern = parse("a:R(x)@f.c:1 << b:W(x)@f.c:2 << a:W(x)@f.c:3*9");
    static const struct witness witnesses[] = {
        {.task = 1, .operation = 20, .section_entry = 15, .occurrence = 2, .context = 0xaa},
        {.task = 2, .operation = 30, .section_entry = 30, .occurrence = 4, .context = 0xbb},
        {.task = 1, .operation = 25, .section_entry = 15, .occurrence = 5, .context = 0xcc},
    };
    struct wire_goal goal;
    unsigned missing;
    assert_true(make_goal(&goal, &pattern, 0, witnesses, 0, &missing));
    assert_int_equal(goal.steps[0].task, UINT16_MAX);
    assert_int_equal(goal.steps[0].occurrence + goal.steps[0].context + goal.steps[0].section_entry, 0);

    assert_true(make_goal(&goal, &pattern, 0, witnesses, GOAL_TASK | GOAL_SECTION_ENTRY, &missing));
    assert_int_equal(goal.steps[0].task, 1);
    assert_int_equal(goal.steps[1].task, 2);
    assert_int_equal(goal.steps[2].task, 1);
    assert_int_equal(goal.steps[0].section_entry, 15);
    assert_int_equal(goal.steps[1].section_entry,
                     0); /* the step is the section_entry itself: there is nothing to wait at before it */
    assert_int_equal(goal.steps[0].occurrence + goal.steps[0].context, 0);

    assert_true(make_goal(&goal, &pattern, 0, witnesses,
                          GOAL_TASK | GOAL_OCCURRENCE | GOAL_CONTEXT | GOAL_SECTION_ENTRY, &missing));
    assert_int_equal(goal.steps[0].occurrence, 2);
    assert_int_equal(goal.steps[0].context, 0xaa);
    assert_int_equal(goal.steps[1].occurrence, 4);
    /* What was written stays; a thread's second step is the next one of its kind. */
    pattern.steps[0].occurrence = 8;
    pattern.steps[0].context = 0xdd;
    assert_true(make_goal(&goal, &pattern, 0, witnesses, GOAL_OCCURRENCE | GOAL_CONTEXT, &missing));
    assert_int_equal(goal.steps[0].occurrence, 8);
    assert_int_equal(goal.steps[0].context, 0xdd);
    assert_int_equal(goal.steps[2].occurrence, 9);
    assert_int_equal(goal.steps[2].context, 0);
    assert_int_equal(goal.steps[2].section_entry, 0);
}

/* Of a thread's second step the section_entry counts from the first on, and only if it comes after it. */
static void doors_of_second_steps(void **state)
{
    (void)state;
    struct pattern pattern = parse("a:R(x)@f.c:1 << b:W(x)@f.c:2 << a:W(x)@f.c:3");
    struct witness witnesses[] = {
        {.task = 1, .operation = 20, .section_entry = 15},
        {.task = 2, .operation = 30},
        {.task = 1, .operation = 27, .section_entry = 24},
    };
    struct wire_goal goal;
    unsigned missing;
    assert_true(make_goal(&goal, &pattern, 0, witnesses, GOAL_TASK | GOAL_SECTION_ENTRY, &missing));
    assert_int_equal(goal.steps[0].section_entry, 15);
    assert_int_equal(goal.steps[2].section_entry, 4);
    assert_true(make_goal(&goal, &pattern, 0, witnesses, GOAL_TASK, &missing));
    assert_int_equal(goal.steps[2].section_entry, 0);
    witnesses[2].section_entry = 27; /* the step itself */
    assert_true(make_goal(&goal, &pattern, 0, witnesses, GOAL_SECTION_ENTRY, &missing));
    assert_int_equal(goal.steps[2].section_entry, 0);
}

static bool is_refused(const struct wire_goal_step *step, enum wire_op op, enum wire_outcome outcome)
{
    return step->refused[outcome][op / 64] >> (op % 64) & 1;
}

/* An instance of a family of any accesses is of those that it names: a compare-and-swap that fails is a read, else an update. */
static void outcomes_that_are_not_the_step(void **state)
{
    (void)state;
    struct instance instance = {.site = {1, 2}, .kind = {ACCESS_UPDATE, ACCESS_READ}};
    struct pattern pattern = instance_pattern(&instance);
    struct wire_goal goal;
    unsigned missing;
    assert_true(make_goal(&goal, &pattern, 0, NULL, 0, &missing));
    for (unsigned i = 0; i < 2; i++)
        assert_true(has_op(&goal.steps[i], OP_ATOMIC_CAS));
    assert_false(is_refused(&goal.steps[0], OP_ATOMIC_CAS, OUTCOME_DONE));
    assert_true(is_refused(&goal.steps[0], OP_ATOMIC_CAS, OUTCOME_FAILED));
    assert_true(is_refused(&goal.steps[1], OP_ATOMIC_CAS, OUTCOME_DONE));
    assert_false(is_refused(&goal.steps[1], OP_ATOMIC_CAS, OUTCOME_FAILED));
    assert_false(is_refused(&goal.steps[1], OP_READ, OUTCOME_DONE));

    /* An exchange that leaves what is there is a read too. */
    assert_true(is_refused(&goal.steps[0], OP_ATOMIC_RMW, OUTCOME_UNCHANGED));
    assert_false(is_refused(&goal.steps[0], OP_ATOMIC_RMW, OUTCOME_DONE));
    assert_false(is_refused(&goal.steps[1], OP_ATOMIC_RMW, OUTCOME_UNCHANGED));

    /* A user who writes R means the reading half of an update too. */
    pattern = parse("a:U(x)@f.c:1 << b:R(x)@f.c:2");
    assert_true(make_goal(&goal, &pattern, 0, NULL, 0, &missing));
    assert_true(is_refused(&goal.steps[0], OP_ATOMIC_CAS, OUTCOME_FAILED));
    assert_false(is_refused(&goal.steps[1], OP_ATOMIC_CAS, OUTCOME_DONE));
}

/* Waiting for a futex is going to sleep: neither to be woken, nor to find that there is nothing to wait for. */
static void only_sleepers_wait(void **state)
{
    (void)state;
    struct instance instance = {.site = {1, 2}, .kind = {ACCESS_WAIT, ACCESS_SIGNAL}};
    struct pattern pattern = instance_pattern(&instance);
    struct wire_goal goal;
    unsigned missing;
    assert_true(make_goal(&goal, &pattern, 0, NULL, 0, &missing));
    assert_true(has_op(&goal.steps[0], OP_FUTEX_WAIT));
    assert_false(is_refused(&goal.steps[0], OP_FUTEX_WAIT, OUTCOME_UNCHANGED));
    assert_true(is_refused(&goal.steps[0], OP_FUTEX_WAIT, OUTCOME_DONE));
    assert_true(is_refused(&goal.steps[0], OP_FUTEX_WAIT, OUTCOME_FAILED));
}

static void assert_groups(const struct wire_goal *goal, const char *groups)
{
    for (unsigned i = 0; i < goal->count; i++)
        assert_int_equal(goal->steps[i].group, groups[i] - '0');
}

static void any_order_becomes_one(void **state)
{
    (void)state;
    struct wire_goal goal = goal_of("a:W(x) | b:W(y) << b:R(x) | a:R(y)", 0);
    assert_groups(&goal, "0011");
    static const char *const orders[] = {"0123", "1023", "0132", "1032"}; /* by which are turned */
    for (unsigned turned = 0; turned < 4; turned++) {
        goal = goal_of("a:W(x) | b:W(y) << b:R(x) | a:R(y)", 0);
        goal_order(&goal, turned);
        assert_groups(&goal, orders[turned]);
    }
    goal = goal_of("a:W(x) << b:R(x) | a:W(y) << b:R(y)", 0);
    goal_order(&goal, 1);
    assert_groups(&goal, "0213");
    goal = goal_of("a:W(x) << b:R(x) | a:W(y) << b:R(y)", 0);
    goal_order(&goal, 2); /* there is only one to turn */
    assert_groups(&goal, "0123");
    goal = goal_of("a:R(x) << b:W(x) << a:W(x)", 0);
    goal_order(&goal, 3);
    assert_groups(&goal, "012");
}

/* ---- beginnings --------------------------------------------------------------------------------------------------- */

#define RUN(t, u)                                                                                                      \
    {                                                                                                                  \
        .type = STEP_RUN, .task = (t), .until = (u)                                                                    \
    }
#define CHOICE(t, u, v)                                                                                                \
    {                                                                                                                  \
        .type = STEP_CHOICE, .task = (t), .until = (u), .value = (v)                                                   \
    }

static const struct wire_step schedule[] = {RUN(0, 3),  RUN(1, 10),       CHOICE(1, 4, 1),    CHOICE(1, 8, 2),
                                            RUN(2, 20), CHOICE(2, 15, 3), RUN(1, UINT64_MAX), RUN(0, 9)};
enum { SCHEDULE = sizeof schedule / sizeof schedule[0] };

static void assert_prefix(const struct witness *witnesses, unsigned count, bool to_door, size_t whole, uint64_t until,
                          size_t choices)
{
    goal_steps prefix = {0};
    vector_push(&prefix, (struct wire_step){0}); /* is replaced */
    goal_prefix(schedule, SCHEDULE, witnesses, count, to_door, &prefix);
    assert_int_equal(prefix.count, whole + 1 + choices);
    assert_memory_equal(prefix.data, schedule, whole * sizeof *schedule);
    assert_int_equal(prefix.data[whole].type, STEP_RUN);
    assert_int_equal(prefix.data[whole].task, schedule[whole].task);
    assert_int_equal(prefix.data[whole].until, until);
    assert_memory_equal(prefix.data + whole + 1, schedule + whole + 1, choices * sizeof *schedule);
    vector_free(&prefix);
}

static void a_beginning_ends_before_the_first_step(void **state)
{
    (void)state;
    struct witness witnesses[] = {{.task = 2, .operation = 12, .section_entry = 11}, {.task = 1, .operation = 30}};
    assert_prefix(witnesses, 2, false, 4, 12, 0);
    assert_prefix(witnesses, 2, true, 4, 11, 0); /* the section_entry */
    witnesses[1].operation = 9;                  /* in an earlier segment: both of its choices come before */
    assert_prefix(witnesses, 2, false, 1, 9, 2);
    witnesses[1].operation = 8; /* a choice at the operation itself is not one of the beginning */
    assert_prefix(witnesses, 2, false, 1, 8, 1);
    witnesses[1].operation = 4;
    assert_prefix(witnesses, 2, false, 1, 4, 0);
    witnesses[1].operation = 10; /* the segment ended before it: it is in the next one */
    assert_prefix(witnesses, 1, false, 4, 12, 0);
    assert_prefix(witnesses + 1, 1, false, 6, 10, 0);
    witnesses[1].operation = 9;
    witnesses[1].section_entry = 5; /* entered before the second choice */
    assert_prefix(witnesses, 2, true, 1, 5, 1);
    struct witness same[] = {{.task = 2, .operation = 18}, {.task = 2, .operation = 16}};
    assert_prefix(same, 2, false, 4, 16, 1);
}

static void a_prefix_without_witnesses_is_the_whole_run(void **state)
{
    (void)state;
    struct witness stranger = {.task = 7, .operation = 1};
    goal_steps prefix = {0};
    goal_prefix(schedule, SCHEDULE, &stranger, 1, true, &prefix);
    assert_int_equal(prefix.count, SCHEDULE);
    assert_memory_equal(prefix.data, schedule, sizeof schedule);
    goal_prefix(schedule, 0, &stranger, 1, true, &prefix);
    assert_int_equal(prefix.count, 0);
    vector_free(&prefix);
}

/* ---- entries -------------------------------------------------------------------------------------------------------- */

#define EVENT(t, n, o, a)                                                                                              \
    {                                                                                                                  \
        .task = (t), .operation = (n), .op = (o), .address = (a), .size = 4                                            \
    }
#define COUNT(list) (sizeof(list) / sizeof *(list))

static void entries_of_nested_locks(void **state)
{
    (void)state;
    static const struct event events[] = {
        EVENT(1, 2, OP_MUTEX_LOCK, 0x10),   EVENT(2, 1, OP_READ, 0x50),          EVENT(1, 4, OP_SPIN_LOCK, 0x20),
        EVENT(1, 5, OP_WRITE, 0x50),        EVENT(1, 7, OP_SPIN_UNLOCK, 0x20),   EVENT(1, 8, OP_WRITE, 0x50),
        EVENT(1, 9, OP_MUTEX_UNLOCK, 0x10), EVENT(1, 11, OP_MUTEX_LOCK, 0x10),   EVENT(1, 12, OP_WRITE, 0x50),
        EVENT(2, 3, OP_WRITE, 0x50),        EVENT(1, 14, OP_MUTEX_UNLOCK, 0x10), EVENT(1, 16, OP_MUTEX_LOCK, 0x10),
    };
    struct execution execution = make_execution(events, COUNT(events));
    execution_prepare(&execution, EXECUTION_SECTIONS);
    static const uint64_t expected[] = {0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 0, 11, 11, 11, 11, 0, 16, 16, 16};
    for (uint64_t operation = 0; operation < COUNT(expected); operation++)
        assert_int_equal(execution_section_entry(&execution, 1, operation), expected[operation]);
    assert_int_equal(execution_section_entry(&execution, 1, 1000000), 16); /* was never left */
    assert_int_equal(execution_section_entry(&execution, 2, 3), 0);        /* takes no lock */
    assert_int_equal(execution_section_entry(&execution, 0, 1), 0);
    assert_int_equal(execution_section_entry(&execution, 900, 1), 0); /* did nothing at all */
    execution_clear(&execution);
    execution_end(&execution);
    execution_prepare(&execution, EXECUTION_SECTIONS);
    assert_int_equal(execution_section_entry(&execution, 1, 5), 0);
    execution_free(&execution);
}

/* A wait for a condition variable leaves the section, and comes back into another one. */
static void a_wait_ends_a_section(void **state)
{
    (void)state;
    static const struct event events[] = {
        EVENT(1, 1, OP_MUTEX_LOCK, 0x10),  EVENT(1, 3, OP_COND_WAIT, 0x30),    EVENT(2, 1, OP_MUTEX_LOCK, 0x10),
        EVENT(2, 2, OP_COND_SIGNAL, 0x30), EVENT(2, 3, OP_MUTEX_UNLOCK, 0x10), EVENT(1, 4, OP_COND_WAKE, 0x30),
        EVENT(1, 6, OP_READ, 0x50),        EVENT(1, 7, OP_MUTEX_UNLOCK, 0x10),
    };
    struct execution execution = make_execution(events, COUNT(events));
    execution_prepare(&execution, EXECUTION_SECTIONS);
    assert_int_equal(execution_section_entry(&execution, 1, 2), 1);
    assert_int_equal(execution_section_entry(&execution, 1, 3), 1);
    assert_int_equal(execution_section_entry(&execution, 1, 4), 4);
    assert_int_equal(execution_section_entry(&execution, 1, 6), 4);
    assert_int_equal(execution_section_entry(&execution, 1, 8), 0);
    assert_int_equal(execution_section_entry(&execution, 2, 2), 1);
    execution_free(&execution);
}

/* Only what was got is a section; a release without a lock ends none. */
static void entries_of_other_locks(void **state)
{
    (void)state;
    static const struct event events[] = {
        EVENT(1, 1, OP_MUTEX_UNLOCK, 0x10),
        {.task = 1, .operation = 2, .op = OP_MUTEX_TRYLOCK, .address = 0x10, .flags = EVENT_FAILED},
        EVENT(1, 3, OP_READ, 0x50),
        EVENT(1, 4, OP_MUTEX_TRYLOCK, 0x10),
        EVENT(1, 5, OP_READ, 0x50),
        EVENT(1, 6, OP_MUTEX_UNLOCK, 0x10),
        {.task = 1, .operation = 7, .op = OP_RWLOCK_RDLOCK, .address = 0x20},
        EVENT(1, 8, OP_READ, 0x50),
        {.task = 1, .operation = 9, .op = OP_RWLOCK_UNLOCK, .address = 0x20, .flags = EVENT_READING},
        EVENT(1, 10, OP_READ, 0x50),
        EVENT(1, 11, OP_RWLOCK_WRLOCK, 0x20),
        EVENT(1, 12, OP_RWLOCK_UNLOCK, 0x20),
        EVENT(1, 13, OP_SEM_WAIT, 0x60), /* a semaphore need not be given back by the task that took it */
        EVENT(1, 14, OP_READ, 0x50),
    };
    static const uint64_t expected[] = {0, 0, 0, 0, 4, 4, 4, 7, 7, 7, 0, 11, 11, 0, 0};
    struct execution execution = make_execution(events, COUNT(events));
    execution_prepare(&execution, EXECUTION_SECTIONS);
    for (uint64_t operation = 0; operation < COUNT(expected); operation++)
        assert_int_equal(execution_section_entry(&execution, 1, operation), expected[operation]);
    execution_free(&execution);
}

/* ---- witnesses ---------------------------------------------------------------------------------------------------- */

static struct instance instance_of(const char *name, uint32_t first, uint32_t second, uint32_t third)
{
    struct error error;
    family_mask mask = family_by_name(name, &error);
    assert_true(mask != 0);
    return (struct instance){.site = {first, second, third}, .row = (uint8_t)__builtin_ctzll(mask)};
}

/* The two of one thread access what the predicted ones do, though others are closer to each other. */
static void a_pair_at_the_same_addresses(void **state)
{
    (void)state;
    static const struct event events[] = {
        EVENT(1, 1, OP_WRITE, 0x50),  EVENT(1, 2, OP_WRITE, 0x60), EVENT(1, 10, OP_WRITE, 0x50),
        EVENT(1, 14, OP_WRITE, 0x68), EVENT(2, 1, OP_WRITE, 0x50),
    };
    static const uint32_t places[] = {1, 3, 1, 3, 2};
    struct witness_index index = {0};
    struct execution execution = make_execution(events, COUNT(events));
    for (size_t i = 0; i < COUNT(events); i++)
        execution.events.data[i].site = places[i];
    witness_index_make(&index, &execution);
    struct instance instance = instance_of("idiom.2", 1, 2, 3);
    struct witness witnesses[PATTERN_STEPS] = {
        {.task = 1, .operation = 1, .occurrence = 1, .address = 0x50},
        {.task = 2, .operation = 1, .occurrence = 1, .address = 0x50},
        {.task = 1, .operation = 14, .occurrence = 2, .address = 0x68},
    };
    witness_refine(&index, &instance, witnesses);
    assert_int_equal(witnesses[0].operation, 10);
    assert_int_equal(witnesses[0].occurrence, 2);
    assert_int_equal(witnesses[2].operation, 14);
    witnesses[2].address = 0x99; /* nowhere: then anywhere */
    witness_refine(&index, &instance, witnesses);
    assert_int_equal(witnesses[0].operation, 1);
    assert_int_equal(witnesses[2].operation, 2);
    witness_index_free(&index);
    execution_free(&execution);
}

/* A loop: site 1 is executed at each turn, site 3 only at some.  The predictor's two need not be of one turn. */
static void the_closest_pair(void **state)
{
    (void)state;
    static const struct event events[] = {
        EVENT(1, 1, OP_READ, 0x50),       EVENT(1, 10, OP_READ, 0x50),        EVENT(1, 18, OP_WRITE, 0x50),
        EVENT(1, 20, OP_MUTEX_LOCK, 0x1), EVENT(1, 22, OP_READ, 0x50),        EVENT(1, 24, OP_WRITE, 0x50),
        EVENT(1, 25, OP_WRITE, 0x50),     EVENT(1, 26, OP_MUTEX_UNLOCK, 0x1), EVENT(1, 30, OP_READ, 0x50),
        EVENT(2, 2, OP_WRITE, 0x50),      EVENT(2, 3, OP_READ, 0x50),
    };
    static const uint32_t places[] = {1, 1, 3, SITE_ANY, 1, 3, 3, SITE_ANY, 1, 2, 1};
    struct witness_index index = {0};
    struct execution execution = make_execution(events, COUNT(events));
    for (size_t i = 0; i < COUNT(events); i++)
        execution.events.data[i].site = places[i];
    witness_index_make(&index, &execution);
    struct instance instance = instance_of("idiom.2", 1, 2, 3);
    struct witness witnesses[PATTERN_STEPS] = {
        {.task = 1, .operation = 1, .occurrence = 1, .address = 0x50, .context = 5},
        {.task = 2, .operation = 2, .occurrence = 1},
        {.task = 1, .operation = 25, .occurrence = 3},
    };
    witness_refine(&index, &instance, witnesses);
    assert_int_equal(witnesses[0].operation, 22);
    assert_int_equal(witnesses[0].occurrence, 3); /* of the task's own */
    assert_int_equal(witnesses[0].section_entry, 20);
    assert_int_equal(witnesses[0].task, 1);
    assert_int_equal(witnesses[2].operation, 24);
    assert_int_equal(witnesses[2].occurrence, 2);
    assert_int_equal(witnesses[2].section_entry, 20);
    assert_int_equal(witnesses[1].operation, 2); /* alone: stays as it is */
    assert_int_equal(witnesses[1].occurrence, 1);
    assert_int_equal(witnesses[1].section_entry, 0);

    /* One site twice: two different executions of it. */
    instance = instance_of("idiom.2", 1, 2, 1);
    witness_refine(&index, &instance, witnesses);
    assert_int_equal(witnesses[0].operation, 22);
    assert_int_equal(witnesses[2].operation, 30);
    assert_int_equal(witnesses[2].occurrence, 4);

    /* The second never came after the first: nothing better is known. */
    instance = instance_of("idiom.2", 3, 2, 9);
    struct witness before[PATTERN_STEPS];
    memcpy(before, witnesses, sizeof before);
    witness_refine(&index, &instance, witnesses);
    assert_int_equal(witnesses[0].operation, before[0].operation);
    assert_int_equal(witnesses[2].operation, before[2].operation);
    witness_index_free(&index);
    execution_free(&execution);
}

/* ---- the director ------------------------------------------------------------------------------------------------- */

static const struct witness lost_update[] = {
    {.task = 1, .operation = 9, .section_entry = 5, .occurrence = 2, .context = 0xaa},
    {.task = 2, .operation = 12, .section_entry = 11, .occurrence = 1, .context = 0xbb},
    {.task = 1, .operation = 30, .occurrence = 2, .context = 0xcc},
};

static void assert_valid(const struct wire_plan *plan, const goal_steps *prefix, const struct pattern *pattern)
{
    assert_int_equal(plan->strategy, STRATEGY_DIRECT);
    assert_int_equal(plan->early_timeouts, 0);
    assert_int_equal(plan->plan_step_count, prefix->count);
    assert_int_equal((plan->flags & PLAN_PREFIX) != 0, prefix->count > 0);
    assert_true(plan->flags & PLAN_RACES); /* what was there stays */
    assert_true(prefix->count <= SCHEDULE);
    assert_int_equal(plan->goal.count, pattern->count);
    for (unsigned i = 0; i < plan->goal.count; i++) {
        const struct wire_goal_step *step = &plan->goal.steps[i];
        assert_true(step->thread < 2 && step->variable < 2 && step->group < GOAL_STEPS && step->immediate <= i);
        assert_true(step->ops[0] != 0 || step->ops[1] != 0);
        assert_int_equal(step->pcs[0], 0x1001 + i);
        if (step->immediate != 0)
            assert_int_equal(plan->goal.steps[step->immediate - 1].variable, step->variable);
    }
}

static void every_attempt_is_a_plan(void **state)
{
    (void)state;
    struct pattern pattern = parse("idiom.2 a:R(x)@f.c:1 << b:W(x)@f.c:2 << a:W(x)@f.c:3");
    struct director_source source = {lost_update, schedule, SCHEDULE};
    goal_steps prefix = {0};
    unsigned with_prefix = 0, from_start = 0, any_task = 0, at_an_entry = 0, different = 0, asked = 0, missing;
    struct wire_goal last = {0};
    size_t last_count = 0;
    for (uint32_t attempt = 0; attempt < 100; attempt++) {
        static struct wire_plan plan;
        plan = (struct wire_plan){.flags = PLAN_RACES, .early_timeouts = 500};
        assert_true(director_plan(&plan, &prefix, &pattern, 50, &source, attempt, pcs_by_line, &asked, &missing));
        assert_valid(&plan, &prefix, &pattern);
        assert_int_equal(plan.goal.window, 50);
        assert_true(plan.goal.flags & GOAL_UNINTERRUPTED);
        if (attempt < DIRECTOR_WAYS) {
            with_prefix += prefix.count > 0;
            from_start += prefix.count == 0;
            any_task += plan.goal.steps[0].task == UINT16_MAX;
            at_an_entry += plan.goal.steps[0].section_entry != 0;
            different += memcmp(&last, &plan.goal, sizeof last) != 0 || prefix.count != last_count;
            last = plan.goal;
            last_count = prefix.count;
        }
        if (attempt < 2) { /* insists on all that is known; only then begins as the known run did */
            assert_int_equal(plan.goal.steps[0].task, 1);
            assert_int_equal(plan.goal.steps[1].task, 2);
            assert_int_equal(prefix.count > 0, attempt == 1);
        }
    }
    assert_true(with_prefix > 0 && from_start > 0 && any_task > 0 && at_an_entry > 0);
    assert_int_equal(different, DIRECTOR_WAYS);
    vector_free(&prefix);
}

/* Within the attempts that a campaign makes, each of the four orders has been given. */
static void every_order_is_tried(void **state)
{
    (void)state;
    struct pattern pattern = parse("a:W(x)@f.c:1 | b:W(y)@f.c:2 << b:R(x)@f.c:3 | a:R(y)@f.c:4");
    struct witness witnesses[PATTERN_STEPS] = {{.task = 1}, {.task = 2}, {.task = 2}, {.task = 1}};
    struct director_source source = {witnesses, schedule, SCHEDULE};
    goal_steps prefix = {0};
    unsigned asked = 0, missing, orders = 0;
    for (uint32_t attempt = 0; attempt < 6; attempt++) {
        static struct wire_plan plan;
        plan = (struct wire_plan){0};
        assert_true(director_plan(&plan, &prefix, &pattern, 50, &source, attempt, pcs_by_line, &asked, &missing));
        const struct wire_goal_step *steps = plan.goal.steps;
        orders |= 1u << (2 * (steps[0].group > steps[1].group) + (steps[2].group > steps[3].group));
    }
    assert_int_equal(orders, 0xf);
    vector_free(&prefix);
}

static void plans_without_witnesses(void **state)
{
    (void)state;
    struct pattern pattern = parse("a:W(x)@f.c:1 | b:W(y)@f.c:2 << b:R(x)@f.c:3 | a:R(y)@f.c:4");
    struct director_source source = {0};
    goal_steps prefix = {0};
    unsigned asked = 0, missing, newest = 0, oldest = 0;
    for (uint32_t attempt = 0; attempt < 40; attempt++) {
        static struct wire_plan plan;
        plan = (struct wire_plan){.flags = PLAN_RACES};
        assert_true(director_plan(&plan, &prefix, &pattern, 50, &source, attempt, pcs_by_line, &asked, &missing));
        assert_valid(&plan, &prefix, &pattern);
        assert_int_equal(prefix.count, 0);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(plan.goal.steps[i].task, UINT16_MAX);
        newest += (plan.goal.flags & GOAL_NEWEST_FIRST) != 0;
        oldest += (plan.goal.flags & (GOAL_NEWEST_FIRST | GOAL_AT_RANDOM)) == 0;
    }
    assert_true(newest > 0 && oldest > 0); /* the complementary schedules */
    vector_free(&prefix);
}

static void no_plan_for_a_place_that_is_not_there(void **state)
{
    (void)state;
    struct pattern pattern = parse("a:R(x)@f.c:1 << b:W(x)@f.c:99");
    struct director_source source = {0};
    goal_steps prefix = {0};
    static struct wire_plan plan = {.strategy = STRATEGY_POS, .early_timeouts = 9};
    unsigned asked = 0, missing = 77;
    assert_false(director_plan(&plan, &prefix, &pattern, 50, &source, 0, pcs_by_line, &asked, &missing));
    assert_int_equal(missing, 1);
    assert_int_equal(prefix.count, 0);
    assert_int_equal(plan.strategy, STRATEGY_POS); /* it can still be run for something else */
    assert_int_equal(plan.early_timeouts, 9);
    assert_int_equal(plan.flags + plan.plan_step_count, 0);
    vector_free(&prefix);
}

/* A schedule longer than a plan can hold is left out, not cut somewhere. */
static void too_long_a_beginning_is_left_out(void **state)
{
    (void)state;
    VECTOR(struct wire_step) steps = {0};
    for (uint64_t i = 0; i <= WIRE_PREFIX; i++)
        vector_push(&steps, ((struct wire_step)RUN((uint16_t)(i % 2), i + 1)));
    vector_push(&steps, ((struct wire_step)RUN(1, UINT64_MAX)));
    vector_push(&steps, ((struct wire_step)RUN(2, UINT64_MAX)));
    struct pattern pattern = parse("a:R(x)@f.c:1 << b:W(x)@f.c:2");
    struct witness late[] = {{.task = 1, .operation = WIRE_PREFIX + 100ull}, {.task = 2, .operation = 3}};
    struct director_source source = {late, steps.data, steps.count};
    goal_steps prefix = {0};
    static struct wire_plan plan;
    unsigned asked = 0, missing;
    for (uint32_t attempt = 0; attempt < 3; attempt++) {
        plan = (struct wire_plan){0};
        assert_true(director_plan(&plan, &prefix, &pattern, 50, &source, attempt, pcs_by_line, &asked, &missing));
        assert_int_equal(plan.plan_step_count, 0);
        assert_false(plan.flags & PLAN_PREFIX);
    }
    vector_free(&prefix);
    vector_free(&steps);
}

static void attempts_are_judged(void **state)
{
    (void)state;
    struct wire_goal goal = {.count = 3};
    static const struct {
        uint32_t reached, hindrance;
        bool occurred;
        enum attempt_verdict verdict;
    } cases[] = {
        {7, HINDRANCE_NONE, true, ATTEMPT_EXPOSED},
        {0, HINDRANCE_BROKEN, true, ATTEMPT_EXPOSED}, /* events count, not what was meant */
        {0, HINDRANCE_NONE, false, ATTEMPT_NOT_REACHED},
        {3, HINDRANCE_ALONE, false, ATTEMPT_NOT_REACHED},
        {8, HINDRANCE_NONE, false, ATTEMPT_NOT_REACHED}, /* a step that it does not have */
        {3, HINDRANCE_BROKEN, false, ATTEMPT_BLOCKED},
        {7, HINDRANCE_ALONE, false, ATTEMPT_BLOCKED},
        {7, HINDRANCE_WINDOW, false, ATTEMPT_GAVE_UP},
        {7, HINDRANCE_ENDED, false, ATTEMPT_GAVE_UP},
        {7, HINDRANCE_NONE, false, ATTEMPT_GAVE_UP},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct wire_directed directed = {.reached = cases[i].reached, .hindrance = cases[i].hindrance};
        assert_int_equal(director_judge(&goal, &directed, cases[i].occurred), cases[i].verdict);
    }
    assert_string_equal(director_verdict_name(ATTEMPT_EXPOSED), "exposed");
    assert_string_equal(director_verdict_name(ATTEMPT_NOT_REACHED), "not reached");
    assert_string_equal(director_verdict_name(ATTEMPT_BLOCKED), "blocked");
    assert_string_equal(director_verdict_name(ATTEMPT_GAVE_UP), "gave up");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_operations),
        cmocka_unit_test(steps_say_what_the_pattern_says),
        cmocka_unit_test(immediately_after_what),
        cmocka_unit_test(a_lock_is_about_the_mutex),
        cmocka_unit_test(windows),
        cmocka_unit_test(places),
        cmocka_unit_test(what_is_known_is_insisted_on),
        cmocka_unit_test(doors_of_second_steps),
        cmocka_unit_test(outcomes_that_are_not_the_step),
        cmocka_unit_test(only_sleepers_wait),
        cmocka_unit_test(any_order_becomes_one),
        cmocka_unit_test(a_beginning_ends_before_the_first_step),
        cmocka_unit_test(a_prefix_without_witnesses_is_the_whole_run),
        cmocka_unit_test(entries_of_nested_locks),
        cmocka_unit_test(a_wait_ends_a_section),
        cmocka_unit_test(entries_of_other_locks),
        cmocka_unit_test(the_closest_pair),
        cmocka_unit_test(a_pair_at_the_same_addresses),
        cmocka_unit_test(every_attempt_is_a_plan),
        cmocka_unit_test(every_order_is_tried),
        cmocka_unit_test(plans_without_witnesses),
        cmocka_unit_test(no_plan_for_a_place_that_is_not_there),
        cmocka_unit_test(too_long_a_beginning_is_left_out),
        cmocka_unit_test(attempts_are_judged),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
