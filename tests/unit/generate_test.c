/* SPDX-License-Identifier: MIT
 *
 * generate_test.c - raddle gen: roles by names, plans, predicted conflicts of two calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "generate/conflict.h"
#include "generate/plan.h"
#include "generate/roles.h"
#include "util/hash.h"
#include "wire/wire_history.h"

/* ---- an API without a header ------------------------------------------------------------------------------------------ */

static struct api_type handle(void)
{
    return (struct api_type){.kind = API_HANDLE, .spelling = memory_copy_string("struct q *"), .record = 0};
}

static struct api_type integer(void)
{
    return (struct api_type){.kind = API_INTEGER, .spelling = memory_copy_string("int"), .is_signed = true, .bits = 32};
}

static void add_param(struct api_function *function, const char *name, struct api_type type)
{
    struct api_param param = {memory_copy_string(name), type, API_NONE, API_NONE, {0}, false};
    vector_push(&function->params, param);
}

static struct api_function function_named(const char *name, struct api_type result)
{
    return (struct api_function){
        .name = memory_copy_string(name), .result = result, .record = API_NONE, .object_param = API_NONE};
}

static void add_function(struct api *api, const char *name, bool makes, bool takes, bool number)
{
    struct api_type nothing = {.kind = API_VOID, .spelling = memory_copy_string("void")};
    struct api_function function = function_named(name, makes ? handle() : nothing);
    if (makes)
        free(nothing.spelling);
    if (takes)
        add_param(&function, "q", handle());
    if (number)
        add_param(&function, "value", integer());
    vector_push(&api->functions, function);
}

static struct api make_api(void)
{
    struct api api = {0};
    struct api_record record = {.spelling = memory_copy_string("struct q")};
    vector_push(&api.records, record);
    add_function(&api, "q_new", true, false, true);
    add_function(&api, "q_close", false, true, false);
    add_function(&api, "q_free", false, true, false);
    add_function(&api, "q_push", false, true, true);
    add_function(&api, "q_version", false, false, false);
    roles_assign(&api);
    return api;
}

static void roles_come_from_types_and_names(void **state)
{
    (void)state;
    struct api api = make_api();
    assert_int_equal(api.functions.data[0].role, ROLE_CREATE);
    assert_int_equal(api.functions.data[1].role, ROLE_CALL); /* there is a surer destructor */
    assert_int_equal(api.functions.data[2].role, ROLE_DESTROY);
    assert_int_equal(api.functions.data[3].role, ROLE_CALL);
    assert_int_equal(api.functions.data[4].role, ROLE_NONE);
    assert_true(roles_is_subject(&api, 0));
    assert_int_equal(roles_constructor(&api, 0), 0);
    assert_int_equal(roles_destructor(&api, 0), 2);
    assert_true(api.functions.data[3].params.data[1].values.count > 3);
    api_free(&api);
}

static void words_of_names(void **state)
{
    (void)state;
    assert_true(roles_has_word("queue_free", "free delete"));
    assert_true(roles_has_word("queueFree", "free delete"));
    assert_true(roles_has_word("FreeQueue", "free delete"));
    assert_false(roles_has_word("queue_freeze", "free delete"));
    assert_false(roles_has_word("carefree", "free delete"));
    assert_true(roles_has_word("__q_init", "init"));
    assert_false(roles_has_word("", "init"));
}

/* ---- plans ------------------------------------------------------------------------------------------------------------ */

static bool parse(struct api *api, const char *text, struct error *error)
{
    char *copy = memory_copy_string(text);
    bool good = plan_parse("plan", copy, api, error);
    free(copy);
    return good;
}

static void a_plan_changes_what_it_names(void **state)
{
    (void)state;
    struct api api = make_api();
    struct error error = {0};
    assert_true(parse(&api,
                      "# text\n\ncall q_push(q, value)\n    values value 5 {-6 - 1} \"a b\"  # more\n    once\n"
                      "    after q_close\nnever q_close\ninvariant q_free\ncreate q_new\n    fails negative\n",
                      &error));
    const struct api_function *push = &api.functions.data[3];
    assert_int_equal(push->params.data[1].values.count, 3);
    assert_string_equal(push->params.data[1].values.data[1], "-6 - 1");
    assert_string_equal(push->params.data[1].values.data[2], "\"a b\"");
    assert_true(push->once);
    assert_string_equal(push->after, "q_close");
    assert_int_equal(api.functions.data[1].role, ROLE_NEVER);
    assert_int_equal(api.functions.data[2].role, ROLE_INVARIANT);
    assert_int_equal(api.functions.data[0].fails, FAILS_NEGATIVE);
    api_free(&api);
}

static void wrong_plans_are_named_by_line(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"call q_other", "plan:1: the header has no function 'q_other'"},
        {"\nonce", "plan:2: there is no function before 'once'"},
        {"call q_push\n values other 1", "plan:2: the function has no parameter 'other'"},
        {"call q_push\n values value", "plan:2: there are no values for 'value'"},
        {"create q_new\n fails often", "plan:2: one of null, negative, nonzero, zero and never is wanted, not 'often'"},
        {"call q_push\n sometimes", "plan:2: a plan has no 'sometimes'"},
        {"call q_version", "plan:1: there is no object in the parameters of 'q_version'"},
        {"call", "plan:1: a function is missing after 'call'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct api api = make_api();
        struct error error = {0};
        assert_false(parse(&api, wrong[i][0], &error));
        assert_string_equal(error.text, wrong[i][1]);
        api_free(&api);
    }
}

/* ---- conflicts -------------------------------------------------------------------------------------------------------- */

enum { LOCK = 900 };
#define AT(offset) (GEN_HEAP_BIT | (uint64_t)1 << 32 | (offset))

static struct gen_event event(enum gen_event_kind kind, uint32_t site, uint64_t location)
{
    return (struct gen_event){.kind = (uint8_t)kind, .site = site, .location = location, .size = 4};
}

static unsigned weigh(const struct gen_event *a, size_t a_count, const struct gen_event *b, size_t b_count)
{
    conflict_list found = {0};
    unsigned weight = 0;
    conflict_predict(a, a_count, b, b_count, &found);
    for (size_t i = 0; i < found.count; i++)
        weight += found.data[i].weight;
    vector_free(&found);
    return weight;
}

static void one_critical_section_has_no_conflict(void **state)
{
    (void)state;
    const struct gen_event whole[] = {event(GEN_LOCK, 1, LOCK), event(GEN_READ, 2, AT(0)), event(GEN_WRITE, 3, AT(0)),
                                      event(GEN_UNLOCK, 4, LOCK)};
    assert_int_equal(weigh(whole, 4, whole, 4), 0);
}

static void two_critical_sections_can_be_separated(void **state)
{
    (void)state;
    const struct gen_event split[] = {event(GEN_LOCK, 1, LOCK), event(GEN_READ, 2, AT(0)),  event(GEN_UNLOCK, 3, LOCK),
                                      event(GEN_LOCK, 4, LOCK), event(GEN_WRITE, 5, AT(0)), event(GEN_UNLOCK, 6, LOCK)};
    const struct gen_event other[] = {event(GEN_LOCK, 7, LOCK), event(GEN_WRITE, 8, AT(0)), event(GEN_UNLOCK, 9, LOCK)};
    const struct gen_event far_away[] = {event(GEN_LOCK, 7, LOCK), event(GEN_WRITE, 8, AT(64)),
                                         event(GEN_UNLOCK, 9, LOCK)};
    assert_true(weigh(split, 6, other, 3) > 0);
    assert_int_equal(weigh(split, 6, other, 3), weigh(other, 3, split, 6));
    assert_int_equal(weigh(split, 6, far_away, 3), 0);
}

static void accesses_without_a_common_lock_are_a_race(void **state)
{
    (void)state;
    const struct gen_event read[] = {event(GEN_READ, 1, AT(0))};
    const struct gen_event write[] = {event(GEN_LOCK, 2, LOCK), event(GEN_WRITE, 3, AT(0)), event(GEN_UNLOCK, 4, LOCK)};
    assert_true(weigh(read, 1, write, 3) > 0);
    assert_int_equal(weigh(read, 1, read, 1), 0);
}

static void locks_in_both_orders(void **state)
{
    (void)state;
    const struct gen_event one[] = {event(GEN_LOCK, 1, LOCK), event(GEN_LOCK, 2, LOCK + 8),
                                    event(GEN_UNLOCK, 3, LOCK + 8), event(GEN_UNLOCK, 4, LOCK)};
    const struct gen_event other[] = {event(GEN_LOCK, 5, LOCK + 8), event(GEN_LOCK, 6, LOCK),
                                      event(GEN_UNLOCK, 7, LOCK), event(GEN_UNLOCK, 8, LOCK + 8)};
    assert_true(weigh(one, 4, other, 4) > 0);
    assert_int_equal(weigh(one, 4, one, 4), 0);
}

static void shared_locks_do_not_exclude(void **state)
{
    (void)state;
    struct gen_event under[] = {event(GEN_LOCK, 1, LOCK), event(GEN_READ, 2, AT(0)), event(GEN_WRITE, 3, AT(0)),
                                event(GEN_UNLOCK, 4, LOCK)};
    under[0].shared = 1;
    assert_true(weigh(under, 4, under, 4) > 0);
}

/* ---- linearizability: against brute force ----------------------------------------------------------------------------- */

/* The specification: a queue of two numbers.  Argument 0: take the first one, result 0 if there is none; else put it, result 1 if there was room. */
enum { ROOM = 2, HISTORY_CALLS = 4, HISTORIES = 20000 };

struct queue {
    int64_t values[ROOM];
    int count;
};

static int64_t apply(struct queue *queue, int argument)
{
    if (argument == 0) {
        int64_t first = queue->count > 0 ? queue->values[0] : 0;
        queue->values[0] = queue->values[1];
        queue->count -= queue->count > 0;
        return first;
    }
    if (queue->count == ROOM)
        return 0;
    queue->values[queue->count++] = argument;
    return 1;
}

struct history {
    int arguments[HISTORY_CALLS];
    unsigned split; /* calls of the first thread */
    struct history_call calls[HISTORY_CALLS];
};

/* All orders in which each thread's calls stay in theirs, as raddle gen makes them. */
static unsigned make_rows(const struct history *history, struct gen_row *rows)
{
    unsigned count = 0;
    for (unsigned mask = 0; mask < 1u << HISTORY_CALLS; mask++) {
        if ((unsigned)__builtin_popcount(mask) != history->split)
            continue;
        struct queue queue = {0};
        unsigned first = 0, second = history->split;
        for (unsigned i = 0; i < HISTORY_CALLS; i++) {
            unsigned call = (mask >> i & 1) != 0 ? first++ : second++;
            rows[count].order[i] = (uint8_t)call;
            rows[count].slots[call][0] = apply(&queue, history->arguments[call]);
        }
        count++;
    }
    return count;
}

/* All permutations, by definition: `used` has the calls that are placed already. */
static bool some_order_explains(const struct history *history, struct queue queue, unsigned used)
{
    if (used == (1u << HISTORY_CALLS) - 1)
        return true;
    for (unsigned i = 0; i < HISTORY_CALLS; i++) {
        bool minimal = (used >> i & 1) == 0;
        for (unsigned k = 0; k < HISTORY_CALLS && minimal; k++)
            minimal = (used >> k & 1) != 0 || history->calls[k].ended > history->calls[i].began;
        struct queue after = queue;
        if (minimal && apply(&after, history->arguments[i]) == history->calls[i].slots[0] &&
            some_order_explains(history, after, used | 1u << i))
            return true;
    }
    return false;
}

/* Calls of two threads that overlap at random, with results that are often possible. */
static void make_history(struct history *history, struct generator *generator)
{
    uint64_t moment = 0;
    unsigned done[2] = {0}, ends[2];
    bool open[2] = {false, false};
    *history = (struct history){.split = 1 + (unsigned)generator_below(generator, HISTORY_CALLS - 1)};
    ends[0] = history->split;
    ends[1] = HISTORY_CALLS - history->split;
    while (done[0] < ends[0] || done[1] < ends[1]) {
        unsigned thread = (unsigned)generator_below(generator, 2);
        if (done[thread] == ends[thread])
            continue;
        unsigned call = thread * history->split + done[thread];
        if (open[thread])
            history->calls[call].ended = ++moment;
        else
            history->calls[call].began = ++moment;
        done[thread] += open[thread];
        open[thread] = !open[thread];
    }
    for (int i = 0; i < HISTORY_CALLS; i++) {
        history->arguments[i] = (int)generator_below(generator, 3);
        history->calls[i].compared = 1;
        history->calls[i].slots[0] = (int64_t)generator_below(generator, history->arguments[i] == 0 ? 3 : 2);
    }
}

static void a_history_is_explained_iff_an_order_exists(void **state)
{
    (void)state;
    struct generator generator = {7};
    unsigned explained = 0;
    for (int i = 0; i < HISTORIES; i++) {
        struct history history;
        struct gen_row rows[16] = {0};
        make_history(&history, &generator);
        unsigned count = make_rows(&history, rows);
        bool expected = some_order_explains(&history, (struct queue){0}, 0);
        assert_int_equal(history_is_explained(history.calls, HISTORY_CALLS, HISTORY_CALLS, rows, count), expected);
        explained += expected;
    }
    assert_in_range(explained, HISTORIES / 50, HISTORIES - HISTORIES / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roles_come_from_types_and_names),
        cmocka_unit_test(words_of_names),
        cmocka_unit_test(a_plan_changes_what_it_names),
        cmocka_unit_test(wrong_plans_are_named_by_line),
        cmocka_unit_test(one_critical_section_has_no_conflict),
        cmocka_unit_test(two_critical_sections_can_be_separated),
        cmocka_unit_test(accesses_without_a_common_lock_are_a_race),
        cmocka_unit_test(locks_in_both_orders),
        cmocka_unit_test(shared_locks_do_not_exclude),
        cmocka_unit_test(a_history_is_explained_iff_an_order_exists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
