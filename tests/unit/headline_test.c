/* SPDX-License-Identifier: MIT
 *
 * headline_test.c - what is told about findings, in a line and as a picture, from imagined runs of this very program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/self.h"
#include "tale/tale.h"
#include "trace/headline.h"
#include "util/hash.h"

/* The program under test: two threads and what they share. */
long balance;
long private_data[4];
pthread_mutex_t lock_a, lock_b;
pthread_cond_t changed;

enum place { READ, WRITE, CHECK, LOCK_A, LOCK_B, OTHER_WRITE, OTHER_LOCK_A, OTHER_LOCK_B, MAIN, FREE, PLACES };
static uint64_t places[PLACES + 1]; /* the last one is nowhere */
static int lines[PLACES + 1];
#define PLACE(name) (lines[name] = __LINE__, places[name] = self_pc())

__attribute__((noinline)) static void withdraw(void)
{
    PLACE(LOCK_A);
    PLACE(LOCK_B);
    PLACE(READ);
    PLACE(WRITE);
    PLACE(CHECK);
    PLACE(FREE);
}

__attribute__((noinline)) static void deposit(void)
{
    PLACE(OTHER_LOCK_B);
    PLACE(OTHER_LOCK_A);
    PLACE(OTHER_WRITE);
}

struct run {
    struct wire_result *result;
    struct wire_finding *finding;
    struct wire_event events[512];
    uint32_t count;
    struct symbols *symbols;
};

static struct run *make_run(uint64_t shift)
{
    struct run *run = calloc(1, sizeof *run);
    struct wire_module module = self_module(shift);
    PLACE(MAIN);
    withdraw();
    deposit();
    for (int i = 0; i < PLACES; i++)
        places[i] += shift;
    run->symbols = symbols_open(&module, 1);
    run->result = calloc(1, sizeof *run->result);
    run->result->task_count = 3;
    run->result->finding_count = 1;
    run->result->failure = 1;
    run->result->tasks[1].start_pc = (uint64_t)(uintptr_t)&withdraw + shift;
    run->result->tasks[2].start_pc = (uint64_t)(uintptr_t)&deposit + shift;
    run->finding = &run->result->findings[0];
    return run;
}

static void free_run(struct run *run)
{
    symbols_close(run->symbols);
    free(run->result);
    free(run);
}

static void add(struct run *run, uint16_t task, enum wire_op op, enum place place, const volatile void *address,
                uint64_t value)
{
    bool access = op == OP_READ || op == OP_WRITE;
    assert_true(run->count < 512);
    run->events[run->count] = (struct wire_event){.task = task,
                                                  .op = (uint8_t)op,
                                                  .pc = places[place],
                                                  .address = (uint64_t)(uintptr_t)address,
                                                  .value = value,
                                                  .size = access ? 8 : 0,
                                                  .flags = access ? EVENT_VALUE : 0,
                                                  .operation = run->count + 1};
    run->count++;
}

static void find(struct run *run, enum wire_kind kind, enum place place, const volatile void *address, const char *text)
{
    *run->finding = (struct wire_finding){.kind = kind};
    run->finding->here = (struct wire_access){.task = 1, .pc = places[place], .address = (uint64_t)(uintptr_t)address};
    run->finding->stack[0] = places[place];
    run->finding->stack[1] = places[MAIN];
    run->finding->stack_depth = place == PLACES ? 0 : 2;
    snprintf(run->finding->text, sizeof run->finding->text, "%s", text);
}

static bool told_full;

/* Everything that is told, the headline first. */
static char *tell(struct run *run, int columns)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    char *headline = headline_text(run->symbols, run->result, run->finding, run->events, run->count);
    fprintf(out, "%s\n", headline);
    free(headline);
    struct wire_copy *copy = calloc(1, sizeof *copy);
    struct tale tale;
    copy->result = *run->result;
    vector_append(&copy->events, run->events, run->count);
    tale_build(&tale, run->symbols, copy, run->finding);
    tale_print(&tale, out, columns, told_full);
    fclose(out);
    tale_free(&tale);
    vector_free(&copy->events);
    free(copy);
    if (getenv("SHOW") != NULL)
        fputs(text, stderr);
    return text;
}

/* "headline_test.c:17", as it is called here: the directory depends on how this was compiled. */
static const char *at(struct run *run, enum place place)
{
    const struct site *site = symbols_site(run->symbols, places[place]);
    assert_int_equal(site->line, lines[place]);
    return site->where;
}

static void assert_told(const char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void assert_told(const char *text, const char *format, ...)
{
    char expected[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    if (strstr(text, expected) == NULL)
        fail_msg("not told: \"%s\" in\n%s", expected, text);
}

/* A row of the picture; the name of the file may stand above it. */
static void assert_row(const char *text, enum place place, const char *row)
{
    assert_told(text, ":%d %s", lines[place], row);
}

static void assert_width(const char *text, int columns)
{
    text = strchr(text, '\n') + 1; /* the headline may be longer */
    while (*text != '\0') {
        int width = 0;
        for (; *text != '\n'; text++)
            width += ((unsigned char)*text & 0xc0) != 0x80;
        assert_in_range(width, 0, columns);
        text++;
    }
}

static struct run *lost_update(void)
{
    struct run *run = make_run(0);
    for (int i = 0; i < 4; i++)
        add(run, 0, OP_WRITE, MAIN, &private_data[i], 1);
    add(run, 1, OP_READ, READ, &balance, 100);
    add(run, 2, OP_READ, OTHER_WRITE, &balance, 100);
    add(run, 2, OP_WRITE, OTHER_WRITE, &balance, 150);
    add(run, 1, OP_WRITE, WRITE, &balance, 50);
    find(run, KIND_ASSERT, CHECK, NULL, "assertion `total == 200' failed");
    return run;
}

static void test_assertion(void **state)
{
    (void)state;
    struct run *run = lost_update();
    char *text = tell(run, 100);
    char headline[512];
    snprintf(headline, sizeof headline, "assertion `total == 200' failed at %s\n", at(run, CHECK));
    assert_memory_equal(text, headline, strlen(headline));
    assert_row(text, READ, "read  balance = 100");
    assert_row(text, OTHER_WRITE, "write balance = 150");
    assert_row(text, WRITE, "write balance = 50");
    assert_told(text, "<- lost update");
    assert_row(text, CHECK, "PLACE(CHECK);");
    assert_told(text, "FAILED\n");
    assert_told(text, "   T1 withdraw            T2 deposit");
    assert_told(text, "   stack   T1 withdraw\n           withdraw at %s", at(run, CHECK));
    assert_told(text, "           make_run at %s", at(run, MAIN));
    assert_null(strstr(text, "private_data"));
    assert_null(strstr(text, "\033"));
    assert_width(text, 100);
    assert_string_equal(headline_site(run->symbols, run->result, run->finding), at(run, CHECK));
    char *key = failure_key(run->symbols, run->result, run->finding);
    size_t length = (size_t)snprintf(headline, sizeof headline, "assert %s ", at(run, CHECK));
    snprintf(headline + length, sizeof headline - length, "%s", at(run, MAIN));
    assert_string_equal(key, headline);
    free(key);
    free(text);
    free_run(run);
}

static void test_long_story_is_cut(void **state)
{
    (void)state;
    struct run *run = make_run(0);
    for (uint64_t i = 0; i < 200; i++) /* no two of them alike, so that there is no loop */
        add(run, (uint16_t)(1 + (i * i / 5) % 2), i % 3 == 0 ? OP_READ : OP_WRITE, (enum place)(i % (WRITE + 1)),
            &private_data[i * i / 7 % 4], i);
    find(run, KIND_ASSERT, CHECK, NULL, "assertion failed");
    told_full = true;
    char *text = tell(run, 80);
    assert_told(text, "= 199");
    assert_told(text, "= 1\n");
    free(text);
    told_full = false;
    text = tell(run, 80);
    assert_told(text, "more rows (--full shows all)\n");
    assert_width(text, 80);
    free(text);
    free_run(run);
}

static void test_spinning_is_one_row(void **state)
{
    (void)state;
    struct run *run = make_run(0);
    add(run, 2, OP_WRITE, OTHER_WRITE, &balance, 1);
    for (uint64_t i = 0; i < 100; i++)
        add(run, 1, OP_READ, READ, &balance, 7);
    find(run, KIND_ASSERT, CHECK, NULL, "assertion failed");
    char *text = tell(run, 100);
    assert_told(text, "read  balance = 7 (100 times)");
    free(text);
    free_run(run);
}

static struct run *deadlock(void)
{
    struct run *run = make_run(0);
    add(run, 1, OP_MUTEX_LOCK, LOCK_A, &lock_a, 0);
    add(run, 2, OP_MUTEX_LOCK, OTHER_LOCK_B, &lock_b, 0);
    run->result->blocked_count = 3;
    run->result->blocked[0] =
        (struct wire_blocked){.task = 0, .holder = 1, .op = OP_JOIN, .pc = places[MAIN], .address = 0x7ffff0000000};
    run->result->blocked[1] = (struct wire_blocked){
        .task = 1, .holder = 2, .op = OP_MUTEX_LOCK, .pc = places[LOCK_B], .address = (uint64_t)(uintptr_t)&lock_b};
    run->result->blocked[2] = (struct wire_blocked){.task = 2,
                                                    .holder = 1,
                                                    .op = OP_MUTEX_LOCK,
                                                    .pc = places[OTHER_LOCK_A],
                                                    .address = (uint64_t)(uintptr_t)&lock_a};
    find(run, KIND_DEADLOCK, PLACES, NULL, "deadlock: no thread can go on");
    return run;
}

static void test_deadlock(void **state)
{
    (void)state;
    struct run *run = deadlock();
    char *text = tell(run, 100), expected[1024];
    snprintf(
        expected, sizeof expected,
        "deadlock: T1 holds lock_a (%s) and waits for lock_b at %s; T2 holds lock_b (%s) and waits for lock_a at %s\n",
        at(run, LOCK_A), at(run, LOCK_B), at(run, OTHER_LOCK_B), at(run, OTHER_LOCK_A));
    assert_memory_equal(text, expected, strlen(expected));
    assert_told(text, "T0 main waits for the end of T1 at %s\n", at(run, MAIN));
    assert_row(text, LOCK_A, "lock  lock_a");
    assert_row(text, LOCK_B, "lock  lock_b");
    assert_told(text, "-> T2 -> T1: each waits for what the next one holds\n");
    assert_told(text, "BLOCKED");
    char *key = failure_key(run->symbols, run->result, run->finding);
    snprintf(expected, sizeof expected, "deadlock %s %s", at(run, LOCK_B), at(run, OTHER_LOCK_A));
    assert_string_equal(key, expected);
    assert_string_equal(headline_site(run->symbols, run->result, run->finding), at(run, LOCK_B));
    free(key);
    free(text);
    free_run(run);
}

static void test_deadlock_with_oneself(void **state)
{
    (void)state;
    struct run *run = make_run(0);
    add(run, 1, OP_MUTEX_LOCK, LOCK_A, &lock_a, 0);
    run->result->blocked_count = 1;
    run->result->blocked[0] = (struct wire_blocked){
        .task = 1, .holder = 1, .op = OP_MUTEX_LOCK, .pc = places[LOCK_B], .address = (uint64_t)(uintptr_t)&lock_a};
    find(run, KIND_DEADLOCK, PLACES, NULL, "deadlock");
    char *text = tell(run, 100);
    assert_told(text, "T1 waits for lock_a at %s, which it holds itself (%s)\n", at(run, LOCK_B), at(run, LOCK_A));
    free(text);
    free_run(run);
}

static void test_lost_wake_up(void **state)
{
    (void)state;
    struct run *run = make_run(0);
    add(run, 2, OP_COND_SIGNAL, OTHER_WRITE, &changed, 0);
    run->result->blocked_count = 2;
    run->result->blocked[0] = (struct wire_blocked){.task = 1,
                                                    .holder = UINT16_MAX,
                                                    .op = OP_COND_WAIT,
                                                    .pc = places[LOCK_B],
                                                    .address = (uint64_t)(uintptr_t)&changed};
    run->result->blocked[1] = (struct wire_blocked){.task = 0, .holder = 1, .op = OP_JOIN, .pc = places[MAIN]};
    find(run, KIND_DEADLOCK, PLACES, NULL, "deadlock");
    char *text = tell(run, 100);
    assert_told(text, "deadlock: T1 waits for condition changed at %s\n", at(run, LOCK_B));
    assert_told(text, "T0 main waits for the end of T1 at %s\n", at(run, MAIN));
    free(text);
    free_run(run);
}

static void test_readers_that_want_to_write(void **state)
{
    (void)state;
    struct run *run = make_run(0);
    add(run, 1, OP_RWLOCK_RDLOCK, LOCK_A, &lock_a, 0);
    add(run, 0, OP_RWLOCK_RDLOCK, MAIN, &lock_a, 0);
    add(run, 2, OP_RWLOCK_RDLOCK, OTHER_LOCK_A, &lock_a, 0);
    add(run, 0, OP_RWLOCK_UNLOCK, MAIN, &lock_a, 0);
    run->result->blocked_count = 1;
    run->result->blocked[0] = (struct wire_blocked){.task = 1,
                                                    .holder = UINT16_MAX,
                                                    .op = OP_RWLOCK_WRLOCK,
                                                    .pc = places[LOCK_B],
                                                    .address = (uint64_t)(uintptr_t)&lock_a};
    find(run, KIND_DEADLOCK, PLACES, NULL, "deadlock");
    char *text = tell(run, 100);
    assert_told(text, "deadlock: T1 waits for lock_a at %s, held by T1 (%s), T2 (%s)\n", at(run, LOCK_B),
                at(run, LOCK_A), at(run, OTHER_LOCK_A));
    free(text);
    free_run(run);
}

static void test_race(void **state)
{
    (void)state;
    struct run *run = make_run(0);
    add(run, 2, OP_WRITE, OTHER_WRITE, &balance, 150);
    add(run, 1, OP_READ, READ, &balance, 150);
    find(run, KIND_RACE, READ, &balance, "read by task 1 is not ordered with write by task 2");
    run->finding->here.op = OP_READ, run->finding->here.size = 8, run->finding->here.operation = 2;
    run->finding->other = (struct wire_access){.task = 2,
                                               .op = OP_WRITE,
                                               .size = 8,
                                               .pc = places[OTHER_WRITE],
                                               .address = (uint64_t)(uintptr_t)&balance,
                                               .operation = 1};
    char *text = tell(run, 100), expected[512];
    assert_told(text, "data race on balance: write by T2 at %s and read by T1 at %s\n", at(run, OTHER_WRITE),
                at(run, READ));
    assert_told(text, "   race    T2 deposit: write of balance (8 bytes) at %s in deposit\n", at(run, OTHER_WRITE));
    assert_told(text, "<- race");
    char *key = failure_key(run->symbols, run->result, run->finding);
    snprintf(expected, sizeof expected, "race %s %s", at(run, READ), at(run, OTHER_WRITE));
    assert_string_equal(key, expected);
    struct wire_access swapped = run->finding->here; /* the same race seen from the other side */
    run->finding->here = run->finding->other;
    run->finding->other = swapped;
    char *same = failure_key(run->symbols, run->result, run->finding);
    assert_string_equal(same, key);
    free(same);
    free(key);
    free(text);
    free_run(run);
}

/* A race that is found before its accesses are recorded shows both places all the same. */
static void test_race_without_events(void **state)
{
    (void)state;
    struct run *run = make_run(0);
    find(run, KIND_RACE, READ, &balance, "read by task 1 is not ordered with write by task 2");
    run->finding->other = (struct wire_access){
        .task = 2, .op = OP_WRITE, .size = 8, .pc = places[OTHER_WRITE], .address = (uint64_t)(uintptr_t)&balance};
    char *text = tell(run, 100);
    assert_row(text, OTHER_WRITE, "PLACE(OTHER_WRITE);");
    assert_row(text, READ, "PLACE(READ);");
    assert_non_null(strstr(strstr(text, "<- race") + 1, "<- race"));
    free(text);
    free_run(run);
}

static void test_use_after_free(void **state)
{
    (void)state;
    struct run *run = make_run(0);
    const char *block = (const char *)0x555555800000;
    add(run, 0, OP_ALLOC, MAIN, block, 0);
    run->events[0].size = 16;
    add(run, 2, OP_FREE, FREE, block, 0);
    find(run, KIND_USE_AFTER_FREE, READ, block + 8, "read of freed memory");
    run->finding->here.op = OP_READ, run->finding->here.size = 4;
    run->finding->block = (uint64_t)(uintptr_t)block;
    run->finding->block_size = 16;
    run->finding->other = (struct wire_access){.task = 2, .op = OP_FREE, .pc = places[FREE]};
    char *text = tell(run, 100);
    assert_told(text, "use after free: read of freed memory at %s, freed by T2 at %s\n", at(run, READ), at(run, FREE));
    assert_told(text, "   block   heap#1: block of 16 bytes, allocated by T0 at %s", at(run, MAIN));
    assert_told(text, "<- freed");
    assert_told(text, "<- use after free");
    free(text);
    free_run(run);
}

static void test_signal(void **state)
{
    (void)state;
    struct run *run = make_run(0);
    find(run, KIND_SIGNAL, READ, (void *)8, "SIGSEGV: invalid access to address 0x8");
    run->finding->signal = SIGSEGV;
    char *text = tell(run, 100), expected[256];
    assert_told(text, "SIGSEGV: invalid access to address 0x8 (null pointer) at %s\n", at(run, READ));
    char *key = failure_key(run->symbols, run->result, run->finding);
    size_t length = (size_t)snprintf(expected, sizeof expected, "signal 11 %s ", at(run, READ));
    snprintf(expected + length, sizeof expected - length, "%s", at(run, MAIN));
    assert_string_equal(key, expected);
    free(key);
    free(text);
    free_run(run);
}

static char *key_of(const struct run *run)
{
    return failure_key(run->symbols, run->result, run->finding);
}

/* Checks that end in one function are told apart by who called it; calls of itself count once, and only the innermost calls count. */
static void test_key_has_the_calls(void **state)
{
    (void)state;
    struct run *run = make_run(0);
    *run->finding = (struct wire_finding){.kind = KIND_EXIT, .text = "exit status 1, expected 0", .stack_depth = 3};
    run->result->exit_status = 1;
    const enum place calls[] = {CHECK, READ, MAIN, WRITE, FREE, LOCK_A};
    for (size_t i = 0; i < 3; i++)
        run->finding->stack[i] = places[calls[i]];
    char *one = key_of(run);
    run->finding->stack[1] = places[WRITE];
    char *other = key_of(run);
    assert_string_not_equal(one, other);
    run->finding->stack[1] = places[CHECK];
    run->finding->stack[2] = places[READ];
    run->finding->stack[3] = places[MAIN];
    run->finding->stack_depth = 4;
    char *recursive = key_of(run);
    assert_string_equal(one, recursive);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        run->finding->stack[i] = places[calls[i]];
    run->finding->stack_depth = 6;
    char *deep = key_of(run);
    run->finding->stack_depth = 4;
    char *cut = key_of(run);
    assert_string_equal(deep, cut);
    free(one);
    free(other);
    free(recursive);
    free(deep);
    free(cut);
    free_run(run);
}

/* A block that is used after it was freed: in whichever line, as long as it was allocated and freed in the same ones. */
static void test_key_of_a_freed_block(void **state)
{
    (void)state;
    struct run *run = make_run(0);
    find(run, KIND_USE_AFTER_FREE, READ, NULL, "read of 4 bytes");
    run->finding->block_pc = places[MAIN];
    run->finding->other.pc = places[FREE];
    char *one = key_of(run);
    find(run, KIND_USE_AFTER_FREE, WRITE, NULL, "write of 4 bytes");
    run->finding->block_pc = places[MAIN];
    run->finding->other.pc = places[FREE];
    char *other = key_of(run);
    assert_string_equal(one, other);
    run->finding->freed_caller = places[LOCK_A];
    char *called = key_of(run);
    assert_string_not_equal(one, called);
    run->finding->block_pc = 0; /* by a library: what uses it counts */
    char *unknown = key_of(run);
    assert_non_null(strstr(unknown, at(run, WRITE)));
    free(one);
    free(other);
    free(called);
    free(unknown);
    free_run(run);
}

static void test_finding_without_place(void **state)
{
    (void)state;
    struct run *run = make_run(0);
    *run->finding = (struct wire_finding){.kind = KIND_EXIT, .text = "exit status 3, expected 0"};
    run->result->exit_status = 3;
    char *text = tell(run, 100);
    assert_string_equal(text, "exit status 3, expected 0\n");
    assert_string_equal(headline_site(run->symbols, run->result, run->finding), "?");
    char *key = failure_key(run->symbols, run->result, run->finding);
    assert_string_equal(key, "exit 3");
    free(key);
    free(text);
    free_run(run);
}

static void test_library_frames_come_second(void **state)
{
    (void)state;
    struct run *run = make_run(0);
    find(run, KIND_ABORT, CHECK, NULL, "abort");
    run->finding->stack[0] = 0x1234; /* in nothing known */
    run->finding->stack[1] = places[CHECK];
    assert_string_equal(headline_site(run->symbols, run->result, run->finding), at(run, CHECK));
    free_run(run);
}

static void test_many_threads(void **state)
{
    (void)state;
    struct run *run = make_run(0);
    run->result->task_count = 60;
    for (uint16_t i = 1; i < 60; i++)
        add(run, i, OP_WRITE, WRITE, &balance, i);
    find(run, KIND_ASSERT, CHECK, NULL, "assertion failed");
    told_full = true;
    char *text = tell(run, 100);
    assert_told(text, "   T59   ");
    assert_row(text, WRITE, "write balance = 59");
    assert_width(text, 100);
    free(text);
    run->count = 9;
    text = tell(run, 100);
    told_full = false;
    assert_row(text, WRITE, "write balance = 9");
    assert_width(text, 100);
    free(text);
    free_run(run);
}

/* Nothing in shared memory can be relied on. */
static void test_impossible_findings(void **state)
{
    (void)state;
    struct run *run = make_run(0);
    struct generator generator = {31};
    add(run, 1, OP_READ, READ, &balance, 100);
    add(run, 2, OP_WRITE, OTHER_WRITE, &balance, 150);
    for (int round = 0; round < 400; round++) {
        unsigned char *bytes = (unsigned char *)run->finding;
        for (size_t i = 0; i < sizeof *run->finding; i++)
            bytes[i] = (unsigned char)generator_next(&generator);
        run->finding->kind = (uint32_t)generator_below(&generator, WIRE_KIND_COUNT + 1);
        run->finding->stack_depth = (uint32_t)generator_below(&generator, 40);
        memset(run->finding->text, 'x', sizeof run->finding->text - 1);
        run->finding->text[sizeof run->finding->text - 1] = '\0';
        run->result->blocked_count = (uint32_t)generator_below(&generator, 200);
        for (int i = 0; i < WIRE_BLOCKED; i++) {
            struct wire_blocked *blocked = &run->result->blocked[i];
            *blocked = (struct wire_blocked){.task = (uint16_t)generator_below(&generator, 10),
                                             .holder = (uint16_t)generator_below(&generator, 10),
                                             .op = (uint8_t)generator_next(&generator),
                                             .address = generator_below(&generator, 4) + (uint64_t)(uintptr_t)&lock_a,
                                             .pc = generator_next(&generator)};
        }
        free(tell(run, (int)generator_below(&generator, 200)));
        free(failure_key(run->symbols, run->result, run->finding));
        assert_non_null(headline_site(run->symbols, run->result, run->finding));
    }
    free_run(run);
}

int main(void)
{
    setenv("LC_ALL", "C", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_assertion),
        cmocka_unit_test(test_long_story_is_cut),
        cmocka_unit_test(test_spinning_is_one_row),
        cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_deadlock_with_oneself),
        cmocka_unit_test(test_lost_wake_up),
        cmocka_unit_test(test_readers_that_want_to_write),
        cmocka_unit_test(test_race),
        cmocka_unit_test(test_race_without_events),
        cmocka_unit_test(test_use_after_free),
        cmocka_unit_test(test_signal),
        cmocka_unit_test(test_key_has_the_calls),
        cmocka_unit_test(test_key_of_a_freed_block),
        cmocka_unit_test(test_finding_without_place),
        cmocka_unit_test(test_library_frames_come_second),
        cmocka_unit_test(test_many_threads),
        cmocka_unit_test(test_impossible_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
