/* SPDX-License-Identifier: MIT
 *
 * statement_test.c - the sentence about what went wrong, from tales that are made by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "explain/statement.h"
#include "wire/wire.h"

static struct tale tale;
static struct statement_facts facts;

static void begin(const char *kind)
{
    vector_free(&tale.events);
    vector_free(&tale.places);
    vector_free(&tale.bars);
    vector_free(&tale.waits);
    vector_free(&tale.arrows);
    tale = (struct tale){.kind = (char *)kind, .text = "", .place = TALE_NONE};
    facts = (struct statement_facts){0};
}

static int32_t place(const char *where)
{
    struct tale_place place = {.where = (char *)where, .line = (uint32_t)strtoul(strchr(where, ':') + 1, NULL, 10)};
    vector_push(&tale.places, place);
    return (int32_t)tale.places.count - 1;
}

static uint32_t event(uint32_t thread, uint32_t op, const char *object, const char *where, uint32_t marks)
{
    struct tale_event event = {
        .thread = thread, .op = op, .marks = marks, .place = place(where), .object = (char *)object, .value = ""};
    vector_push(&tale.events, event);
    return (uint32_t)tale.events.count - 1;
}

static void hold(uint32_t thread, const char *object, uint32_t from)
{
    struct tale_bar bar = {.thread = thread, .from = from, .until = UINT32_MAX, .object = (char *)object};
    vector_push(&tale.bars, bar);
}

static void wait_for(uint32_t thread, uint32_t op, int32_t holder, const char *object, const char *where)
{
    struct tale_wait wait = {
        .thread = thread, .op = op, .holder = holder, .place = place(where), .object = (char *)object};
    vector_push(&tale.waits, wait);
}

static void step(uint32_t thread, uint32_t op, const char *object, const char *where, bool coming)
{
    struct statement_step *step = &facts.steps[facts.count++];
    *step = (struct statement_step){.thread = thread, .op = op, .coming = coming};
    strcpy(step->object, object);
    strcpy(step->where, where);
    tale.cause.pattern = "a pattern";
}

static void says(const char *wanted)
{
    char *text = statement_make(&tale, &facts);
    if (wanted == NULL)
        assert_null(text);
    else
        assert_string_equal(text, wanted);
    free(text);
}

static void test_interrupted(void **state)
{
    (void)state;
    begin("serializability");
    tale.text = "not serializable: account_copy on struct account, interrupted by account_credit: T0 reads a (asset.9)";
    tale.failing_thread = 0;
    vector_push(&tale.cause.events, event(0, OP_READ, "a.checking", "x.c:17", 0));
    event(0, OP_MUTEX_UNLOCK, "a.lock", "x.c:18", 0);
    vector_push(&tale.cause.events, event(1, OP_WRITE, "a.checking", "x.c:33", 0));
    vector_push(&tale.cause.events, event(1, OP_WRITE, "a.savings", "x.c:40", 0));
    vector_push(&tale.cause.events, event(0, OP_READ, "a.savings", "y.c:25", 0));
    says("T0's account_copy read a.checking at x.c:17, then T1's account_credit wrote a.checking at :33 and a.savings "
         "at "
         ":40, and only then T0 read a.savings at y.c:25");
    tale.failing_thread = 1; /* the call that began second is the one that should be a whole */
    tale.text = "not serializable: grow on a.c, interrupted by access: T1 reads a";
    says("T0's code read a.checking at x.c:17, then T1's grow wrote a.checking at :33 and a.savings at :40, and only "
         "then "
         "T0 read a.savings at y.c:25");
    tale.text = "something else";
    says(NULL);
    vector_free(&tale.cause.events);
}

static void test_pattern(void **state)
{
    (void)state;
    begin("assert");
    says(NULL);
    step(1, OP_READ, "balance", "bank.c:15", false);
    step(2, OP_WRITE, "balance", "bank.c:23", false);
    step(1, OP_WRITE, "balance", "bank.c:16", false);
    says("T2 wrote balance at bank.c:23 between T1's read at :15 and its write at :16");
    facts.steps[2].op = OP_READ;
    says("T2 wrote balance at bank.c:23 between T1's read at :15 and its next read at :16");
    facts.count = 2;
    says("T1 read balance at bank.c:15 before T2 wrote it at :23");
    facts.steps[1].coming = true;
    says("T1 read balance at bank.c:15 before T2 came to its write at :23");
    tale.failing_thread = 2; /* was about to do just that */
    says("T1 read balance at bank.c:15 before T2 came to its write at :23");
    facts.count = 1;
    says(NULL);
}

static void test_pattern_of_four(void **state)
{
    (void)state;
    begin("assert");
    step(1, OP_WRITE, "x", "a.c:1", false);
    step(2, OP_READ, "x", "b.c:5", false);
    step(2, OP_READ, "y", "b.c:6", false);
    step(1, OP_WRITE, "y", "a.c:2", false);
    says("T1 wrote x at a.c:1; then T2 read it at b.c:5 and read y at :6; then T1 wrote it at a.c:2");
    facts.steps[2].coming = facts.steps[3].coming = true;
    tale.failing_thread = 2; /* may have read y already, where no other thread had been */
    says("T1 wrote x at a.c:1; then T2 read it at b.c:5 before T1 came to its write of y at a.c:2");
}

static void test_locks(void **state)
{
    (void)state;
    begin("deadlock");
    hold(1, "a", event(1, OP_MUTEX_LOCK, "a", "x.c:3", 0));
    hold(2, "b", event(2, OP_MUTEX_LOCK, "b", "x.c:8", 0));
    wait_for(0, OP_JOIN, 1, "-", "x.c:20");
    wait_for(1, OP_MUTEX_LOCK, 2, "b", "x.c:4");
    wait_for(2, OP_MUTEX_LOCK, 1, "a", "x.c:9");
    says("T1 holds a, locked at x.c:3, and waits for b at :4; T2 holds b, locked at :8, and waits for a at :9");
    tale.waits.count = 2;
    tale.waits.data[1].holder = 1; /* its own */
    tale.waits.data[1].object = "a";
    says("T1 holds a, locked at x.c:3, and waits for a at :4");
}

static void test_conditions(void **state)
{
    (void)state;
    begin("deadlock");
    uint32_t signal = event(2, OP_COND_SIGNAL, "changed", "x.c:38", 0);
    event(1, OP_COND_WAIT, "changed", "x.c:45", 0);
    wait_for(1, OP_COND_WAKE, TALE_NONE, "changed", "x.c:45");
    says("T2's signal of changed at x.c:38 woke no thread: T1 began to wait at :45 after it");
    struct tale_arrow arrow = {signal, signal + 1};
    vector_push(&tale.arrows, arrow); /* it woke another one */
    says("T1 waits for changed at x.c:45, and no thread signals it after that");
    uint32_t other = event(3, OP_COND_SIGNAL, "changed", "x.c:50", 0);
    tale.events.data[other].value = "T4";
    says("T3's signal of changed at x.c:50 woke T4, not T1, which waits for it at :45; there is no signal after it");
    tale.dropped = 5; /* what is not known is not said */
    says("T1 waits for condition changed at x.c:45");
}

static void test_semaphores(void **state)
{
    (void)state;
    begin("deadlock");
    event(1, OP_SEM_WAIT, "guard", "f.c:38", 0);
    wait_for(1, OP_SEM_WAIT, TALE_NONE, "places", "f.c:39");
    wait_for(2, OP_SEM_WAIT, TALE_NONE, "guard", "f.c:48");
    says("T1 has taken guard at f.c:38, and waits for semaphore places at :39; T2 waits for semaphore guard at :48");
    event(1, OP_SEM_POST, "guard", "f.c:40", 0);
    says("T1 waits for semaphore places at f.c:39; T2 waits for semaphore guard at :48");
}

static void test_freed(void **state)
{
    (void)state;
    begin("use-after-free");
    event(2, OP_FREE, "heap#2", "n.c:49", TALE_FREED);
    event(1, OP_READ, "heap#2.last", "n.c:74", TALE_ITSELF);
    tale.failing_thread = 1;
    tale.place = place("n.c:74");
    says("T2 freed heap#2 at n.c:49 before T1's read of heap#2.last at :74: the read must come before the free");
    tale.kind = "double-free";
    says("T2 freed heap#2 at n.c:49, and T1 freed it again at :74");
    begin("use-after-free"); /* the free is not among the events */
    says(NULL);
}

static void test_aba(void **state)
{
    (void)state;
    begin("abort");
    event(2, OP_ATOMIC_LOAD, "head", "p.c:34", 0);
    event(1, OP_ATOMIC_CAS, "head", "p.c:37", 0);
    uint32_t back = event(1, OP_ATOMIC_CAS, "head", "p.c:48", 0);
    event(2, OP_ATOMIC_CAS, "head", "p.c:37", 0);
    tale.events.data[0].value = "0";
    tale.events.data[1].value = "1";
    tale.events.data[2].value = "0";
    says("T2 exchanged head at p.c:37 although T1 had changed it since T2's read at :34 and back to 0 at :48 (ABA)");
    tale.events.data[back].value = "2"; /* then it is not the value that was read */
    says(NULL);
    tale.events.data[back].value = "0";
    tale.events.data[1].flags = EVENT_FAILED; /* then it was not changed in between */
    says(NULL);
}

static void test_decisive(void **state)
{
    (void)state;
    begin("assert");
    facts.has_decisive = true;
    facts.decisive =
        (struct statement_step){.thread = 2, .op = OP_READ, .operation = 7, .object = "now", .where = "h.c:35"};
    says(NULL); /* the failure was the next step: that says nothing */
    facts.after = 12;
    says("T2 read now at h.c:35: after that, none of 12 runs passed");
    facts.has_other = true;
    facts.other =
        (struct statement_step){.thread = 1, .op = OP_WRITE, .operation = 9, .object = "now", .where = "h.c:38"};
    event(1, OP_WRITE, "now", "h.c:38", 0);
    tale.events.data[0].operation = 9;
    tale.events.data[0].value = "144";
    says("T2 read now at h.c:35 before T1 wrote it at :38 (144): after that, none of 12 runs passed");
    tale.events.data[0].value = "";
    facts.has_signal = true;
    facts.signal = (struct statement_step){.thread = 0, .op = OP_COND_SIGNAL, .object = "c", .where = "h.c:20"};
    facts.other.where[0] = '\0';
    says("T2 read now at h.c:35 between T0's signal at :20 and the end of T1's wait: after that, none of 12 runs "
         "passed");
    facts.has_signal = false;
    facts.other.coming = true;
    strcpy(facts.other.where, "h.c:38");
    says("T2 read now at h.c:35 before T1 came to its write at :38: after that, none of 12 runs passed");
    step(1, OP_READ, "x", "h.c:1", false);
    step(2, OP_WRITE, "x", "h.c:2", false);
    says("T1 read x at h.c:1 before T2 wrote it at :2");
    tale.events.data[0].value = "";
    facts.pattern_is_weak = true;
    facts.other.coming = false;
    says("T2 read now at h.c:35 before T1 wrote it at :38: after that, none of 12 runs passed");
}

static void test_lost(void **state)
{
    (void)state;
    begin("assert");
    event(1, OP_READ, "left", "t.c:31", 0);
    uint32_t other = event(2, OP_WRITE, "left", "t.c:39", 0), own = event(1, OP_WRITE, "left", "t.c:39", TALE_LOST);
    step(1, OP_READ, "left", "t.c:31", false);
    step(2, OP_WRITE, "left", "t.c:39", false);
    tale.events.data[other].operation = facts.steps[1].operation = 5;
    says("T2 wrote left at t.c:39 between T1's read at :31 and its write at :39");
    tale.events.data[own].marks = 0;
    says("T1 read left at t.c:31 before T2 wrote it at :39");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interrupted), cmocka_unit_test(test_pattern),    cmocka_unit_test(test_pattern_of_four),
        cmocka_unit_test(test_locks),       cmocka_unit_test(test_conditions), cmocka_unit_test(test_semaphores),
        cmocka_unit_test(test_freed),       cmocka_unit_test(test_aba),        cmocka_unit_test(test_decisive),
        cmocka_unit_test(test_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
