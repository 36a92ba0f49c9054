/* SPDX-License-Identifier: MIT
 *
 * tale_test.c - the tale of an imagined run of this very program: marks, arrows, bars, slice, cause; written, read back, damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture/self.h"
#include "tale/tale.h"
#include "trace/events.h"
#include "util/file.h"
#include "util/stop.h"

/* The program under test. */
long balance;
long noise[4];
pthread_mutex_t guard;
pthread_cond_t changed;
struct node {
    long value;
    struct node *next;
};
struct other {
    long left, right;
};
struct part {
    long value;
};
struct node *top, *same;
struct other *odd;
struct part *first_part;
struct node **several;
long *numbers;
void *anything;

static uint64_t here, body; /* a place, and a start routine */

__attribute__((noinline)) static void visit(void)
{
    here = self_pc();
}

struct run {
    struct wire_copy *copy;
    struct wire_finding finding;
    struct symbols *symbols;
    struct tale tale;
};

static struct run *make_run(void)
{
    struct run *run = calloc(1, sizeof *run);
    struct wire_module module = self_module(0);
    visit();
    body = (uint64_t)(uintptr_t)&visit;
    run->symbols = symbols_open(&module, 1);
    run->copy = calloc(1, sizeof *run->copy);
    run->copy->result.task_count = 3;
    for (int i = 1; i < 3; i++)
        run->copy->result.tasks[i] = (struct wire_task){.start_pc = body, .create_pc = here};
    run->finding =
        (struct wire_finding){.kind = KIND_ASSERT, .here = {.task = 1, .pc = here}, .text = "assertion failed"};
    run->finding.stack[0] = here;
    run->finding.stack_depth = 1;
    return run;
}

static void free_run(struct run *run)
{
    tale_free(&run->tale);
    symbols_close(run->symbols);
    wire_copy_free(run->copy);
    free(run->copy);
    free(run);
}

/* Returns its index. */
static uint32_t add(struct run *run, uint16_t task, enum wire_op op, const volatile void *address, uint64_t value)
{
    bool access = op == OP_READ || op == OP_WRITE;
    bool valued = access || op == OP_CREATE || op == OP_JOIN || op == OP_COND_WAIT || op == OP_COND_SIGNAL;
    uint64_t operation = 1;
    for (size_t i = 0; i < run->copy->events.count; i++)
        operation += run->copy->events.data[i].task == task;
    struct wire_event event = {.task = task,
                               .op = (uint8_t)op,
                               .pc = here,
                               .address = (uint64_t)(uintptr_t)address,
                               .value = value,
                               .size = access ? 8 : 0,
                               .flags = valued ? EVENT_VALUE : 0,
                               .operation = operation};
    vector_push(&run->copy->events, event);
    return (uint32_t)(run->copy->events.count - 1);
}

static void build(struct run *run)
{
    tale_build(&run->tale, run->symbols, run->copy, &run->finding);
}

static uint32_t marks(const struct run *run, uint32_t event)
{
    return run->tale.events.data[event].marks;
}

static bool has_arrow(const struct tale *tale, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < tale->arrows.count; i++)
        if (tale->arrows.data[i].from == from && tale->arrows.data[i].to == to)
            return true;
    return false;
}

/* ---- build ------------------------------------------------------------------------------------------------------- */

struct lost {
    uint32_t create, noise, read, other_read, other_write, write;
};

/* T1 reads, is preempted, T2 reads and writes, T1 writes. */
static struct run *lost_update(struct lost *at)
{
    struct run *run = make_run();
    at->create = add(run, 0, OP_CREATE, (void *)(uintptr_t)body, 1);
    add(run, 0, OP_CREATE, (void *)(uintptr_t)body, 2);
    add(run, 1, OP_START, NULL, 0);
    at->noise = add(run, 1, OP_WRITE, &noise[1], 1);
    at->read = add(run, 1, OP_READ, &balance, 100);
    add(run, 2, OP_START, NULL, 0);
    at->other_read = add(run, 2, OP_READ, &balance, 100);
    at->other_write = add(run, 2, OP_WRITE, &balance, 150);
    add(run, 2, OP_END, NULL, 0);
    at->write = add(run, 1, OP_WRITE, &balance, 50);
    struct wire_step steps[] = {{.type = STEP_RUN, .task = 0, .until = 3},
                                {.type = STEP_RUN, .task = 1, .until = 4, .value = 1},
                                {.type = STEP_RUN, .task = 2, .until = UINT64_MAX},
                                {.type = STEP_RUN, .task = 1, .until = UINT64_MAX}};
    vector_append(&run->copy->steps, steps, 4);
    build(run);
    return run;
}

static void test_marks(void **state)
{
    (void)state;
    struct lost at;
    struct run *run = lost_update(&at);
    const struct tale *tale = &run->tale;
    assert_string_equal(tale->kind, "assert");
    assert_int_equal(tale->failing_thread, 1);
    assert_int_equal(tale->preemptions, 1);
    assert_string_equal(tale->threads.data[0].name, "main");
    assert_string_equal(tale->threads.data[2].name, "visit");
    assert_string_equal(tale->events.data[at.read].object, "balance");
    assert_string_equal(tale->events.data[at.read].value, "100");
    assert_true(marks(run, at.other_read - 1) & TALE_PREEMPTION); /* the start of T2 */
    assert_true(marks(run, at.write) & TALE_SWITCH);
    assert_false(marks(run, at.write) & TALE_PREEMPTION); /* T2 had ended */
    assert_true(marks(run, at.write) & TALE_LOST);
    assert_false(marks(run, at.other_write) & TALE_LOST);
    assert_false(marks(run, at.write) & TALE_FAILURE); /* it is the last of the failing thread, but not what failed */
    assert_int_equal(tale->events.data[tale->events.count - 1].marks,
                     TALE_FAILURE | TALE_ITSELF | TALE_END | TALE_MATTERS);
    assert_int_equal(tale->events.data[tale->events.count - 1].thread, 1);
    assert_true(has_arrow(tale, at.create, at.create + 2));
    free_run(run);
}

static void test_slice(void **state)
{
    (void)state;
    struct lost at;
    struct run *run = lost_update(&at);
    const uint32_t in[] = {at.create, at.read, at.other_read, at.other_write, at.write};
    for (size_t i = 0; i < sizeof in / sizeof in[0]; i++)
        assert_true(marks(run, in[i]) & TALE_MATTERS);
    assert_false(marks(run, at.noise) & TALE_MATTERS); /* no other thread touches it */
    assert_false(marks(run, at.create + 2) & TALE_MATTERS);
    free_run(run);
}

static void test_arrows_and_bars(void **state)
{
    (void)state;
    struct run *run = make_run();
    uint32_t lock = add(run, 1, OP_MUTEX_LOCK, &guard, 0);
    uint32_t wait = add(run, 1, OP_COND_WAIT, &changed, (uint64_t)(uintptr_t)&guard);
    uint32_t other_lock = add(run, 2, OP_MUTEX_LOCK, &guard, 0);
    uint32_t again = add(run, 2, OP_MUTEX_LOCK, &guard, 0); /* recursive: no bar of its own */
    uint32_t signal = add(run, 2, OP_COND_SIGNAL, &changed, 1);
    add(run, 2, OP_MUTEX_UNLOCK, &guard, 0);
    uint32_t unlock = add(run, 2, OP_MUTEX_UNLOCK, &guard, 0);
    uint32_t wake = add(run, 1, OP_COND_WAKE, &changed, 0);
    uint32_t end = add(run, 2, OP_END, NULL, 0);
    uint32_t join = add(run, 1, OP_JOIN, NULL, 2);
    build(run);
    const struct tale *tale = &run->tale;
    assert_true(has_arrow(tale, wait, other_lock)); /* the wait gave the mutex back */
    assert_true(has_arrow(tale, signal, wake));
    assert_true(has_arrow(tale, unlock, wake));
    assert_true(has_arrow(tale, end, join));
    assert_false(has_arrow(tale, lock, again));
    assert_int_equal(tale->bars.count, 3);
    assert_true(tale->bars.data[0].from == lock && tale->bars.data[0].until == wait && tale->bars.data[0].thread == 1);
    assert_true(tale->bars.data[1].from == other_lock && tale->bars.data[1].until == unlock);
    assert_true(tale->bars.data[2].from == wake && tale->bars.data[2].until == UINT32_MAX);
    assert_string_equal(tale->bars.data[2].object, "guard");
    free_run(run);
}

/* A thread in the next round of a barrier did not let another one go from the last round. */
static void test_barrier_rounds(void **state)
{
    (void)state;
    struct run *run = make_run();
    add(run, 1, OP_BARRIER_ARRIVE, &guard, 1);
    uint32_t last = add(run, 2, OP_BARRIER_ARRIVE, &guard, 2);
    uint32_t next = add(run, 2, OP_BARRIER_ARRIVE, &guard, 1);
    uint32_t leave = add(run, 1, OP_BARRIER_LEAVE, &guard, 0);
    build(run);
    assert_true(has_arrow(&run->tale, last, leave));
    assert_false(has_arrow(&run->tale, next, leave));
    free_run(run);
}

/* A block that matters and is not the finding's own is told where it comes from; one that is not shared is not. */
static void test_blocks_have_an_origin(void **state)
{
    (void)state;
    struct run *run = make_run();
    volatile char *heap = (volatile char *)(uintptr_t)0x7000000;
    add(run, 0, OP_ALLOC, heap, 0);
    run->copy->events.data[0].size = 24;
    add(run, 0, OP_ALLOC, heap + 4096, 0);
    run->copy->events.data[1].size = 40;
    add(run, 0, OP_CREATE, (void *)(uintptr_t)body, 1);
    add(run, 0, OP_CREATE, (void *)(uintptr_t)body, 2);
    add(run, 1, OP_READ, heap + 8, 1);
    add(run, 2, OP_READ, heap + 8, 1);
    add(run, 2, OP_WRITE, heap + 8, 2);
    add(run, 2, OP_WRITE, heap + 4096, 2);
    add(run, 1, OP_WRITE, heap + 8, 2);
    add(run, 1, OP_READ, heap + 8, 2);
    build(run);
    assert_string_equal(run->tale.events.data[4].object, "heap#1+8");
    assert_int_equal(run->tale.notes.count, 1);
    assert_non_null(strstr(run->tale.notes.data[0], "heap#1: block of 24 bytes, allocated by T0 at "));
    tale_free(&run->tale);
    run->finding.kind = KIND_OUT_OF_BLOCK; /* then it is told of anyway, once */
    run->finding.block = (uint64_t)(uintptr_t)heap;
    run->finding.block_size = 24;
    build(run);
    assert_int_equal(run->tale.notes.count, 1);
    free_run(run);
}

/* What a library did is told where the program called it; without a way there it stays where it is. */
static void test_origins_lead_to_the_program(void **state)
{
    (void)state;
    struct run *run = make_run();
    volatile char *heap = (volatile char *)(uintptr_t)0x7000000;
    const uint64_t library = 0x123456789000;
    struct wire_result *result = &run->copy->result;
    result->origins[0] = (struct wire_origin){.pc = here};
    result->origins[1] = (struct wire_origin){.pc = library + 16, .caller = 1};
    result->origins[2] = (struct wire_origin){.pc = library, .caller = 2};
    result->origins[3] = (struct wire_origin){.pc = library};
    result->origin_count = 4;
    add(run, 0, OP_ALLOC, heap, 0);
    add(run, 0, OP_CREATE, (void *)(uintptr_t)body, 1);
    add(run, 0, OP_CREATE, (void *)(uintptr_t)body, 2);
    add(run, 1, OP_READ, heap, 1);
    add(run, 2, OP_WRITE, heap, 2);
    add(run, 1, OP_WRITE, heap, 2);
    add(run, 1, OP_READ, heap, 2);
    for (int i = 0; i < 2; i++) {
        run->copy->events.data[i].pc = library;
        run->copy->events.data[i].origin = 3;
    }
    run->copy->events.data[0].size = 24;
    result->tasks[1].create_pc = library;
    build(run);
    const struct tale *tale = &run->tale;
    const char *where = tale->places.data[tale->events.data[6].place].where;
    assert_string_equal(tale->places.data[tale->events.data[0].place].where, where);
    assert_string_equal(tale->places.data[tale->events.data[1].place].where, where);
    assert_string_equal(tale->places.data[tale->threads.data[1].created].where, where);
    assert_int_equal(tale->notes.count, 1);
    assert_non_null(strstr(tale->notes.data[0], "heap#1: block of 24 bytes, allocated by T0 at "));
    assert_non_null(strstr(tale->notes.data[0], where));
    tale_free(&run->tale);
    run->copy->events.data[0].origin = 4;
    build(run);
    assert_string_equal(tale->places.data[tale->events.data[0].place].where, "?");
    assert_int_equal(tale->notes.count, 0);
    free_run(run);
}

/* A block's members have names if the pointers to it say what it is, and none contradicts. */
struct block_case {
    const char *what;
    const volatile void *pointers[3]; /* are set to the first block, one after the other */
    uint32_t size;                    /* of the first block */
    uint32_t elements;                /* 0: the program did not say */
    bool reused;
    uint32_t access;            /* number of bytes at offset 8 of the block that are read, too */
    const char *first, *second; /* names of the word at 8 in the block, and in the one to which that word points */
};

static void tell_blocks(const struct block_case *given)
{
    struct run *run = make_run();
    volatile char *one = (volatile char *)(uintptr_t)0x7000000, *two = one + 4096;
    if (given->reused) {
        add(run, 0, OP_ALLOC, one, 0);
        run->copy->events.data[0].size = 16;
        add(run, 0, OP_FREE, one, 0);
    }
    uint32_t allocation = add(run, 0, OP_ALLOC, one, 0);
    run->copy->events.data[allocation].size = given->size;
    run->copy->events.data[allocation].value = given->elements;
    run->copy->events.data[add(run, 0, OP_ALLOC, two, 0)].size = 16;
    uint32_t linked = add(run, 0, OP_WRITE, one + 8, (uint64_t)(uintptr_t)two); /* before anything is known */
    uint32_t ended = add(run, 0, OP_WRITE, two + 8, 0);
    for (int i = 0; i < 3 && given->pointers[i] != NULL; i++)
        add(run, 0, OP_WRITE, given->pointers[i], (uint64_t)(uintptr_t)one);
    if (given->access != 0)
        run->copy->events.data[add(run, 1, OP_READ, one + 8, 0)].size = given->access;
    build(run);
    const struct tale_event *events = run->tale.events.data;
    print_message("%s\n", given->what);
    assert_string_equal(strchr(events[linked].object, '#') + 2, given->first);
    assert_string_equal(strchr(events[ended].object, '#') + 2, given->second);
    if (strchr(events[linked].value, '#') != NULL) /* else it is taken for a number */
        assert_string_equal(strchr(events[linked].value, '#') + 2, "");
    assert_string_equal(strchr(events[allocation].object, '#') + 2, "");
    free_run(run);
}

static void test_blocks_have_types(void **state)
{
    (void)state;
    static const struct block_case cases[] = {
        {"one pointer", {&top}, 16, 0, false, 0, ".next", ".next"},
        {"two that agree", {&top, &same}, 16, 0, false, 0, ".next", ".next"},
        {"one that says nothing", {&anything, &top}, 16, 0, false, 0, ".next", ".next"},
        {"only that", {&anything}, 16, 0, false, 0, "+8", "+8"},
        {"another type", {&odd}, 16, 0, false, 0, ".right", "+8"},
        {"two that differ", {&top, &odd}, 16, 0, false, 0, "+8", "+8"},
        {"and a third that agrees", {&odd, &top, &same}, 16, 0, false, 0, "+8", "+8"},
        {"a part", {&first_part}, 16, 0, false, 0, "+8", "+8"},
        {"a part and the whole", {&top, &first_part}, 16, 0, false, 0, "+8", "+8"},
        {"larger", {&top}, 24, 0, false, 0, "+8", "+8"},
        {"an array", {&top}, 32, 0, false, 0, "+8", "+8"},
        {"smaller", {&top}, 12, 0, false, 0, "+8", "+8"},
        {"a member is read", {&top}, 16, 0, false, 8, ".next", ".next"},
        {"half of one is read", {&top}, 16, 0, false, 4, "+8", "+8"},
        {"an array of calloc", {&top}, 32, 2, false, 0, "[0].next", ".next"},
        {"the same, of other elements", {&top}, 32, 4, false, 0, "+8", "+8"},
        {"an array of numbers", {&numbers}, 32, 4, false, 0, "[1]", "+8"},
        {"numbers of which only one is known", {&numbers}, 32, 0, false, 0, "+8", "+8"},
        {"an array of pointers", {&several}, 32, 4, false, 0, "[1]", ".next"},
        {"an array or a structure", {&top, &numbers}, 16, 2, false, 0, "+8", "+8"},
        {"where another one was", {&top}, 16, 0, true, 0, "+8", "+8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        tell_blocks(&cases[i]);
}

static void test_deadlock(void **state)
{
    (void)state;
    struct run *run = make_run();
    uint32_t lock = add(run, 1, OP_MUTEX_LOCK, &guard, 0);
    run->finding = (struct wire_finding){.kind = KIND_DEADLOCK, .text = "deadlock"};
    run->copy->result.blocked_count = 2;
    run->copy->result.blocked[0] = (struct wire_blocked){
        .task = 2, .holder = 1, .op = OP_MUTEX_LOCK, .pc = here, .address = (uint64_t)(uintptr_t)&guard};
    run->copy->result.blocked[1] = (struct wire_blocked){.task = 0, .holder = 2, .op = OP_JOIN, .pc = here};
    build(run);
    const struct tale *tale = &run->tale;
    assert_int_equal(tale->waits.count, 2);
    assert_int_equal(tale->waits.data[0].holder, 1);
    assert_int_equal(tale->events.count, 3);
    assert_true(tale->events.data[1].marks & TALE_BLOCKED);
    assert_true(tale->events.data[1].marks & TALE_MATTERS);
    assert_false(tale->events.data[2].marks & TALE_MATTERS); /* it only waits for the end of another */
    assert_string_equal(tale->events.data[2].object, "T2");
    assert_true(marks(run, lock) & TALE_MATTERS);
    free_run(run);
}

static void test_long_runs_lose_their_beginning(void **state)
{
    (void)state;
    struct run *run = make_run();
    struct wire_event event = {
        .task = 1, .op = OP_READ, .pc = here, .address = (uint64_t)(uintptr_t)&noise[0], .size = 8};
    for (uint64_t i = 1; i <= TALE_EVENTS + 10; i++) {
        event.operation = i;
        vector_push(&run->copy->events, event);
    }
    build(run);
    assert_int_equal(run->tale.dropped, 10);
    assert_int_equal(run->tale.events.count, TALE_EVENTS + 1); /* and the end */
    assert_int_equal(run->tale.events.data[0].operation, 11);
    struct tale_cause cause = {.sentence = strdup("all of them")};
    vector_push(&cause.events, 3);  /* dropped */
    vector_push(&cause.events, 12); /* the third that is told */
    tale_set_cause(&run->tale, &cause);
    assert_null(cause.sentence); /* the tale's now */
    assert_int_equal(run->tale.cause.events.count, 1);
    assert_true(run->tale.events.data[2].marks & TALE_CAUSE);
    tale_free(&run->tale);

    run->finding.kind = KIND_HANG; /* of a hang the middle is left out */
    build(run);
    assert_int_equal(run->tale.events.data[0].operation, 1);
    assert_int_equal(run->tale.events.data[run->tale.head].operation, run->tale.head + run->tale.dropped + 1);
    assert_int_equal(tale_event_number(&run->tale, run->tale.events.count), TALE_EVENTS + 10);
    free_run(run);
}

/* ---- on disk ----------------------------------------------------------------------------------------------------- */

static struct tale_cause lost_cause(const struct lost *at)
{
    struct tale_cause cause = {.pattern = strdup("a:R(balance)@x.c:1 << b:W(balance)@x.c:2 << a:W(balance)@x.c:3"),
                               .family = strdup("map.7"),
                               .sentence = strdup("every one of the 212 schedules with it failed"),
                               .failing_with = 212,
                               .passing_without = 4031};
    vector_push(&cause.events, at->read);
    vector_push(&cause.events, at->other_write);
    vector_push(&cause.events, at->write);
    return cause;
}

static void test_read_back(void **state)
{
    (void)state;
    struct lost at;
    struct run *run = lost_update(&at);
    struct tale_cause cause = lost_cause(&at);
    struct buffer first = {0}, second = {0};
    struct error error = {0};
    struct tale read;
    tale_set_cause(&run->tale, &cause);
    tale_write(&run->tale, &first);
    assert_true(tale_parse(&read, "test", first.data, first.size, &error));
    assert_int_equal(read.events.count, run->tale.events.count);
    assert_string_equal(read.text, run->tale.text);
    assert_int_equal(read.cause.passing_without, 4031);
    assert_true(read.events.data[at.other_write].marks & TALE_CAUSE);
    assert_string_equal(read.places.data[read.place].where, run->tale.places.data[run->tale.place].where);
    tale_write(&read, &second);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    buffer_free(&first);
    buffer_free(&second);
    tale_free(&read);
    free_run(run);
}

/* Names may come from a hostile program: nothing steers a terminal, all is UTF-8. */
static void test_hostile_texts(void **state)
{
    (void)state;
    struct run *run = make_run();
    struct buffer text = {0};
    struct error error = {0};
    struct tale read;
    add(run, 1, OP_WRITE, &balance, 1);
    snprintf(run->finding.text, sizeof run->finding.text, "\033[31mred\x80\xffü\" \\ </script>\n");
    build(run);
    assert_non_null(strstr(run->tale.text, "\\x1b[31mred\\x80\\xffü\" \\ </script>\\x0a"));
    tale_write(&run->tale, &text);
    assert_null(memchr(text.data, '\033', text.size));
    assert_true(tale_parse(&read, "test", text.data, text.size, &error));
    assert_string_equal(read.text, run->tale.text);
    tale_free(&read);
    buffer_free(&text);
    free_run(run);
}

/* `old` in the text is replaced by `new`; it must then be refused with a sentence that has `word` in it. */
static void refused(const struct buffer *text, const char *old, const char *new, const char *word)
{
    struct buffer damaged = {0};
    struct error error = {0};
    struct tale tale;
    const char *at = strstr(text->data, old);
    assert_non_null(at);
    buffer_add(&damaged, text->data, (size_t)(at - text->data));
    buffer_add_string(&damaged, new);
    buffer_add_string(&damaged, at + strlen(old));
    assert_false(tale_parse(&tale, "damaged", damaged.data, damaged.size, &error));
    assert_int_equal(error.code, EXIT_USAGE);
    if (strstr(error.text, word) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, word);
    buffer_free(&damaged);
}

static void test_damaged(void **state)
{
    (void)state;
    static const char whole[] =
        "{\"format\": \"raddle tale\", \"version\": 1, \"kind\": \"assert\", \"site\": \"a\", \"text\": \"t\","
        " \"key\": \"k\", \"failing_thread\": 1, \"place\": 0, \"preemptions\": 0, \"preemptions_found\": 0,"
        " \"dropped\": 0, \"head\": 0, \"strings\": [\"f\", \"read\", \"x\", \"\"],"
        " \"places\": [[0,0,1,1,0,-1,1]], \"threads\": [[0,-1,-1,3],[0,0,0,3]],"
        " \"events\": [[0,1,4,0,4,0,1,2,3],[1,1,4,1,4,0,2,2,3],[1,1,0,32,4,0,3,2,3]], \"arrows\": [[0,1]],"
        " \"bars\": [[0,0,1,0,2]], \"stacks\": [[1,[0]]], \"waits\": [[1,1,0,0,2]], \"notes\": [2],"
        " \"cause\": {\"pattern\": null, \"sentence\": \"s\", \"failing_with\": 1, \"failing_without\": 0,"
        " \"passing_with\": 0, \"passing_without\": 2, \"events\": [1]}}";
    struct buffer text = {0};
    struct error error = {0};
    struct tale tale;
    buffer_add_string(&text, whole);
    assert_true(tale_parse(&tale, "whole", text.data, text.size, &error));
    tale_free(&tale);
    refused(&text, "raddle tale", "raddle male", "not the tale");
    refused(&text, "\"version\": 1", "\"version\": 3", "version 3");
    refused(&text, "\"version\": 1", "\"version\": 0", "version 0");
    refused(&text, "\"version\": 1", "\"version\": 2", "stacks"); /* they have titles there */
    refused(&text, "\"kind\": \"assert\"", "\"kind\": 7", "kind");
    refused(&text, "\"failing_thread\": 1", "\"failing_thread\": 2", "failing_thread");
    refused(&text, "\"place\": 0", "\"place\": 1", "place");
    refused(&text, "[0,0,1,1,0,-1,1]", "[0,0,1,1,4,-1,1]", "places");           /* no such string */
    refused(&text, "[0,0,1,1,0,-1,1]", "[0,0,1,1,0,-2,1]", "places");           /* nor such a source */
    refused(&text, "[0,-1,-1,3],", "[0,0,-1,3],", "threads");                   /* its own parent */
    refused(&text, "[0,1,4,0,4,0,1,2,3]", "[2,1,4,0,4,0,1,2,3]", "events");     /* no such thread */
    refused(&text, "[0,1,4,0,4,0,1,2,3]", "[0,2,4,0,4,0,1,2,3]", "events");     /* no operation */
    refused(&text, "[0,1,4,0,4,0,1,2,3]", "[0,1,4,99999,4,0,1,2,3]", "events"); /* unknown marks */
    refused(&text, "[0,1,4,0,4,0,1,2,3]", "[0,1,4,32,4,0,1,2,3]", "events");    /* blocked, but not at the end */
    refused(&text, "[0,1,4,0,4,0,1,2,3]", "[0,1,4,0,4,0,1,2]", "events");
    refused(&text, "[0,1,4,0,4,0,1,2,3]", "[0,1,4,0,4,0,-1,2,3]", "events");
    refused(&text, "\"arrows\": [[0,1]]", "\"arrows\": [[1,1]]", "arrows");
    refused(&text, "\"arrows\": [[0,1]]", "\"arrows\": [[0,3]]", "arrows");
    refused(&text, "[0,0,1,0,2]", "[0,1,0,0,2]", "bars"); /* ends before it begins */
    refused(&text, "[1,[0]]", "[1,[1]]", "stacks");
    refused(&text, "[1,1,0,0,2]", "[1,1,2,0,2]", "waits");
    refused(&text, "\"notes\": [2]", "\"notes\": [9]", "notes");
    refused(&text, "\"events\": [1]", "\"events\": [3]", "cause");
    refused(&text, "\"sentence\": \"s\", ", "", "sentence");
    refused(&text, "\"notes\"", "notes", "not JSON");
    buffer_free(&text);
}

static void test_file(void **state)
{
    (void)state;
    char directory[] = "/tmp/tale_test.XXXXXX";
    struct error error = {0};
    struct tale tale = {0};
    assert_non_null(mkdtemp(directory));
    assert_false(tale_read(&tale, directory, &error));
    assert_int_equal(error.code, EXIT_USAGE);
    struct lost at;
    struct run *run = lost_update(&at);
    struct buffer text = {0};
    char *path = file_join(directory, "tale.json");
    tale_write(&run->tale, &text);
    assert_true(file_write(path, text.data, text.size, &error));
    assert_true(tale_read(&tale, directory, &error));
    assert_int_equal(tale.events.count, run->tale.events.count);
    tale_free(&tale);
    buffer_free(&text);
    unlink(path);
    rmdir(directory);
    free(path);
    free_run(run);
}

/* ---- print ------------------------------------------------------------------------------------------------------- */

/* Not inlined: gcc would say that the stream outlives `text`. */
__attribute__((noinline)) static char *print(const struct tale *tale, int columns, bool full)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    tale_print(tale, out, columns, full);
    fclose(out);
    return text;
}

static void test_cause_is_numbered(void **state)
{
    (void)state;
    struct lost at;
    struct run *run = lost_update(&at);
    struct tale_cause cause = lost_cause(&at);
    tale_set_cause(&run->tale, &cause);
    setenv("LC_ALL", "C", 1);
    char *text = print(&run->tale, 0, false);
    assert_non_null(strstr(text, "(1) "));
    assert_non_null(strstr(text, "(3) "));
    assert_non_null(strstr(text, "~~ preempted ~~"));
    assert_non_null(strstr(text, "   cause   map.7  a:R(balance)@"));
    assert_non_null(strstr(text, "every one of the 212 schedules with it failed\n"));
    assert_null(strstr(text, "start"));
    free(text);
    text = print(&run->tale, 0, true);
    assert_non_null(strstr(text, "start")); /* everything */
    assert_non_null(strstr(text, "noise[1]"));
    free(text);
    setenv("LC_ALL", "C.UTF-8", 1);
    text = print(&run->tale, 0, false);
    assert_non_null(strstr(text, "①"));
    assert_null(strstr(text, "(1)"));
    free(text);
    setenv("LC_ALL", "C", 1);
    free_run(run);
}

static size_t count_lines(const char *text, const char *with)
{
    size_t count = 0;
    for (const char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        const char *found = strstr(line, with);
        count += found != NULL && found < end;
    }
    return count;
}

/* Two threads interrupt each other in turn, each with the lock of its own that it took first, and one of both. */
static void test_thousands_of_preemptions(void **state)
{
    (void)state;
    enum { TURNS = 4000 };
    struct run *run = make_run();
    add(run, 0, OP_CREATE, (void *)(uintptr_t)body, 1);
    add(run, 0, OP_CREATE, (void *)(uintptr_t)body, 2);
    vector_push(&run->copy->steps, ((struct wire_step){.type = STEP_RUN, .task = 0, .until = UINT64_MAX}));
    add(run, 1, OP_MUTEX_LOCK, &guard, 0);
    for (uint64_t i = 0; i < TURNS; i++) {
        uint16_t task = 1 + i % 2;
        struct wire_event event = {.task = task,
                                   .op = i % 4 < 2 ? OP_READ : OP_WRITE,
                                   .pc = here,
                                   .address = (uint64_t)(uintptr_t)&balance,
                                   .size = 8,
                                   .flags = EVENT_VALUE,
                                   .operation = i / 2 + (task == 1 ? 2 : 1)};
        vector_push(&run->copy->events, event);
        vector_push(&run->copy->steps,
                    ((struct wire_step){.type = STEP_RUN, .task = task, .until = event.operation + 1, .value = 1}));
    }
    build(run);
    assert_true(run->tale.preemptions >= TURNS - 2);
    setenv("LC_ALL", "C", 1);
    char *text = print(&run->tale, 0, true);
    assert_int_equal(count_lines(text, "preempted, holding guard ~~"), TURNS / 2);
    assert_int_equal(count_lines(text, "preempted ~~"), TURNS / 2);
    free(text);
    text = print(&run->tale, 0, false); /* one row says how many there are in the middle */
    assert_true(count_lines(text, "") < 80);
    assert_int_equal(count_lines(text, "more rows (--full shows all)"), 1);
    assert_int_equal(count_lines(text, "FAILED"), 1);
    unsigned skipped = 0;
    assert_int_equal(sscanf(strstr(text, "... "), "... %u more rows", &skipped), 1);
    assert_true(skipped > TURNS);
    free(text);
    free_run(run);
}

/* A stop that does not go away: nothing of the events is told, the rest is, and that is said. */
static void test_no_time(void **state)
{
    (void)state;
    struct lost at;
    struct run *run = lost_update(&at);
    size_t count = run->copy->events.count;
    assert_false(tale_is_cut(&run->tale));
    tale_free(&run->tale);
    stop_at(1); /* over; what is short is told all the same */
    build(run);
    assert_false(tale_is_cut(&run->tale));
    assert_true(stop_requested());
    stop_at(0);
    tale_free(&run->tale);
    stop_reasons = 1 << 8;
    build(run);
    stop_reasons = 0;
    assert_true(tale_is_cut(&run->tale));
    assert_int_equal(run->tale.dropped, count);
    assert_int_equal(run->tale.arrows.count + run->tale.bars.count, 0);
    assert_string_equal(run->tale.kind, "assert");
    assert_int_equal(run->tale.stacks.count, 1);
    char *text = print(&run->tale, 0, false);
    assert_int_equal(count_lines(text, "there was no time to tell the 10 events of this run"), 1);
    free(text);
    struct buffer json = {0};
    struct tale again;
    struct error error = {0};
    tale_write(&run->tale, &json);
    assert_true(tale_parse(&again, "cut", buffer_text(&json), json.size, &error));
    assert_true(tale_is_cut(&again));
    tale_free(&again);
    buffer_free(&json);
    free_run(run);
}

/* Printing ends early too, and says so. */
static void test_no_time_to_print(void **state)
{
    (void)state;
    struct run *run = make_run();
    for (uint64_t i = 0; i < 3000; i++)
        add(run, 1 + i % 2, OP_WRITE, &balance, i);
    build(run);
    stop_reasons = 1 << 8;
    char *text = print(&run->tale, 0, true);
    stop_reasons = 0;
    assert_int_equal(count_lines(text, "more rows: interrupted"), 1);
    assert_true(count_lines(text, "write") < 2000);
    free(text);
    free_run(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_slice),
        cmocka_unit_test(test_arrows_and_bars),
        cmocka_unit_test(test_barrier_rounds),
        cmocka_unit_test(test_blocks_have_an_origin),
        cmocka_unit_test(test_origins_lead_to_the_program),
        cmocka_unit_test(test_blocks_have_types),
        cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_long_runs_lose_their_beginning),
        cmocka_unit_test(test_read_back),
        cmocka_unit_test(test_hostile_texts),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_cause_is_numbered),
        cmocka_unit_test(test_thousands_of_preemptions),
        cmocka_unit_test(test_no_time),
        cmocka_unit_test(test_no_time_to_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
