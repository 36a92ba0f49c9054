/* SPDX-License-Identifier: MIT
 *
 * events_test.c - event logs: what is written, that it does not depend on addresses, and that every defect is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/self.h"
#include "trace/access.h"
#include "trace/events.h"
#include "trace/object.h"
#include "util/hash.h"

/* The program under test. */
struct pair {
    long left;
    int *right;
};
struct pair shared_pair;
pthread_mutex_t shared_lock;
double shared_rate;
static void routine(void);
static void routine(void)
{
}

/* Where things are in one imagined run. */
struct place {
    uint64_t module, heap, stack, other;
};
static const struct place here = {0, 0x555555600000, 0x7ffff7000000, 0x7ffff5000000};
static const struct place elsewhere = {0x40000000, 0x555557770000, 0x7fffe6000000, 0x7ffff1110000};

enum { STACK = 0x10000 };

static uint64_t at(const volatile void *address, const struct place *place)
{
    return (uint64_t)(uintptr_t)address + place->module;
}

struct run {
    struct wire_result *result;
    struct wire_event events[64];
    uint32_t count;
    struct symbols *symbols;
};

static void add(struct run *run, struct wire_event event)
{
    event.operation = run->count + 1;
    run->events[run->count++] = event;
}

static struct run *make_run(const struct place *place)
{
    struct run *run = calloc(1, sizeof *run);
    struct wire_module module = self_module(place->module);
    run->symbols = symbols_open(&module, 1);
    run->result = calloc(1, sizeof *run->result);
    run->result->task_count = 3;
    for (uint64_t i = 0; i < 3; i++) {
        run->result->tasks[i].stack_lo = place->stack + i * STACK;
        run->result->tasks[i].stack_hi = place->stack + (i + 1) * STACK;
    }
    /* The third thread gets the stack of the second one. */
    run->result->tasks[2].stack_lo = run->result->tasks[1].stack_lo;
    run->result->tasks[2].stack_hi = run->result->tasks[1].stack_hi;
    return run;
}

static void free_run(struct run *run)
{
    symbols_close(run->symbols);
    free(run->result);
    free(run);
}

static struct run *record(const struct place *place)
{
    struct run *run = make_run(place);
    uint64_t pc = self_pc() + place->module, block = place->heap + 64, stack = place->stack + STACK;
    enum { V = EVENT_VALUE };
    add(run, (struct wire_event){.op = OP_ALLOC, .pc = pc, .address = block, .size = 32});
    add(run, (struct wire_event){.op = OP_CREATE, .pc = pc, .address = at(&routine, place), .value = 1, .flags = V});
    add(run, (struct wire_event){.op = OP_START, .task = 1, .pc = at(&routine, place)});
    add(run, (struct wire_event){.op = OP_WRITE,
                                 .task = 1,
                                 .pc = pc,
                                 .address = block + 8,
                                 .size = 8,
                                 .value = at(&shared_pair.right, place),
                                 .flags = V});
    add(run, (struct wire_event){.op = OP_WRITE,
                                 .task = 1,
                                 .pc = pc,
                                 .address = at(&shared_pair.right, place),
                                 .size = 8,
                                 .value = block + 4,
                                 .flags = V});
    add(run, (struct wire_event){.op = OP_READ,
                                 .task = 1,
                                 .pc = pc,
                                 .address = at(&shared_pair.left, place),
                                 .size = 8,
                                 .value = (uint64_t)-5,
                                 .flags = V | EVENT_VOLATILE});
    add(run, (struct wire_event){.op = OP_MUTEX_TRYLOCK,
                                 .task = 1,
                                 .pc = pc,
                                 .address = at(&shared_lock, place),
                                 .value = EBUSY,
                                 .flags = EVENT_FAILED});
    add(run, (struct wire_event){
                 .op = OP_WRITE, .task = 1, .pc = pc, .address = stack + 100, .size = 4, .value = 77, .flags = V});
    add(run, (struct wire_event){.op = OP_WRITE,
                                 .task = 1,
                                 .pc = pc,
                                 .address = place->other + 16,
                                 .size = 8,
                                 .value = place->other + 3,
                                 .flags = V});
    add(run, (struct wire_event){.op = OP_FREE, .task = 1, .pc = pc, .address = block});
    add(run, (struct wire_event){.op = OP_END, .task = 1});
    add(run, (struct wire_event){.op = OP_JOIN, .pc = pc, .address = place->other + 400, .value = 1, .flags = V});
    add(run, (struct wire_event){.op = OP_START, .task = 2, .pc = at(&routine, place)});
    add(run, (struct wire_event){
                 .op = OP_READ, .task = 2, .pc = pc, .address = stack + 104, .size = 4, .value = 8, .flags = V});
    add(run, (struct wire_event){.op = OP_ALLOC, .task = 2, .pc = pc, .address = block + 16, .size = 8});
    add(run,
        (struct wire_event){
            .op = OP_READ, .task = 2, .pc = pc, .address = block + 16, .size = 8, .value = stack + 104, .flags = V});
    add(run, (struct wire_event){
                 .op = OP_READ, .task = 2, .pc = pc, .address = block, .size = 4, .value = 0x80000000, .flags = V});
    add(run, (struct wire_event){
                 .op = OP_IO_READ, .task = 2, .pc = pc, .address = 4, .value = 12, .flags = V | EVENT_READING});
    add(run, (struct wire_event){.op = OP_WRITE,
                                 .task = 2,
                                 .pc = 0,
                                 .address = at(&shared_rate, place),
                                 .size = 8,
                                 .value = 0x3ff8000000000000,
                                 .flags = V});
    add(run, (struct wire_event){.op = OP_COND_WAIT,
                                 .task = 2,
                                 .pc = pc,
                                 .address = place->other + 512,
                                 .value = at(&shared_lock, place),
                                 .flags = V});
    /* a mutex is named wherever it lies, even where no program has its memory */
    add(run, (struct wire_event){.op = OP_COND_WAIT,
                                 .task = 2,
                                 .pc = pc,
                                 .address = place->other + 512,
                                 .value = place->other >> 8,
                                 .flags = V});
    add(run, (struct wire_event){.op = OP_COND_WAIT,
                                 .task = 2,
                                 .pc = pc,
                                 .address = place->other + 512,
                                 .value = EPERM,
                                 .flags = EVENT_FAILED});
    add(run, (struct wire_event){
                 .op = OP_SEM_INIT, .task = 2, .pc = pc, .address = place->other + 512, .value = 3, .flags = V});
    return run;
}

static char *write_log(struct run *run)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_true(events_write(out, run->symbols, run->result, run->events, run->count, true));
    fclose(out);
    return text;
}

static bool read_log(const char *text, size_t size, struct event_log *log, struct error *error)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, size, "r");
    assert_non_null(in);
    bool good = events_read(in, "log", log, error);
    fclose(in);
    return good;
}

static void test_names_and_values(void **state)
{
    (void)state;
    static const struct {
        const char *object, *value;
    } expected[] = {
        {"heap#1", "-"},
        {"routine", "T1"},
        {"T1", "-"},
        {"heap#1+8", "&shared_pair.right"},
        {"shared_pair.right", "&heap#1+4"},
        {"shared_pair.left", "-5"},
        {"shared_lock", "EBUSY"},
        {"T1.stack#1+4", "77"},
        {"mem#1", "&mem#2+3"},
        {"heap#1", "-"},
        {"T1", "-"},
        {"T1", "-"},
        {"T2", "-"},
        {"T2.stack#1", "8"},
        {"heap#2", "-"},
        {"heap#2", "&T2.stack#1"},
        {"heap#1", "0x80000000"},
        {"fd#4", "12"},
        {"shared_rate", "1.5"},
        {"mem#3", "shared_lock"},
        {"mem#3", "mem#4"},
        {"mem#3", "EPERM"},
        {"mem#3", "3"},
    };
    struct run *run = record(&here);
    struct event_log log;
    struct error error = {0};
    char *text = write_log(run);
    assert_true(read_log(text, strlen(text), &log, &error));
    assert_int_equal(log.count, run->count);
    assert_int_equal(log.count, sizeof expected / sizeof expected[0]);
    for (uint32_t i = 0; i < log.count; i++) {
        assert_string_equal(log.lines[i].object, expected[i].object);
        assert_string_equal(log.lines[i].value, expected[i].value);
        assert_int_equal(log.lines[i].number, i + 1);
        assert_int_equal(log.lines[i].op, run->events[i].op);
        assert_int_equal(log.lines[i].task, run->events[i].task);
        assert_int_equal(log.lines[i].flags, run->events[i].flags);
        assert_int_equal(log.lines[i].operation, run->events[i].operation);
        assert_int_equal(log.lines[i].size, run->events[i].size);
    }
    assert_string_equal(log.lines[0].function, "record");
    assert_string_equal(log.lines[2].function, "routine");
    assert_non_null(strstr(log.lines[0].site, "events_test.c:"));
    assert_string_equal(log.lines[18].site, "?");
    events_free(&log);
    free(text);
    free_run(run);
}

static void test_same_log_at_other_addresses(void **state)
{
    (void)state;
    struct run *one = record(&here), *two = record(&elsewhere);
    char *left = write_log(one), *right = write_log(two);
    assert_string_equal(left, right);
    assert_null(strstr(left, "\t/")); /* no path of this machine */
    assert_null(strstr(left, "0x7f"));
    free(left);
    free(right);
    free_run(one);
    free_run(two);
}

static void test_empty_log(void **state)
{
    (void)state;
    struct run *run = make_run(&here);
    struct event_log log;
    struct error error = {0};
    char *text = write_log(run);
    assert_string_equal(text, EVENTS_HEADER "\nevents\t0\n");
    assert_true(read_log(text, strlen(text), &log, &error));
    assert_int_equal(log.count, 0);
    events_free(&log);
    free(text);
    free_run(run);
}

static void test_strange_names(void **state)
{
    (void)state;
    struct event_log log;
    struct error error = {0};
    const char *text = EVENTS_HEADER "\n1\tT0\t5\tread\ta\\x09b\\x5c\t4\t-\t-\tf<int, char>\tx.c:1\nevents\t1\n";
    assert_true(read_log(text, strlen(text), &log, &error));
    assert_string_equal(log.lines[0].object, "a\tb\\");
    assert_string_equal(log.lines[0].function, "f<int, char>");
    events_free(&log);
}

static void test_full_disk(void **state)
{
    (void)state;
    struct run *run = record(&here);
    FILE *out = fopen("/dev/full", "w");
    if (out == NULL)
        skip();
    assert_false(events_write(out, run->symbols, run->result, run->events, run->count, true));
    fclose(out);
    free_run(run);
}

/* ---- long runs ---------------------------------------------------------------------------------------------------- */

enum { LEFT_OUT = 500, LONG = EVENTS_KEPT_FIRST + EVENTS_KEPT_LAST + LEFT_OUT };

/* A long run: the events of record() again and again.  One of them is changed, if `changed` is in the run.  `gap`: what the run itself has left out. */
static char *write_long_with_gap(const struct place *place, uint32_t count, uint32_t changed, bool cut,
                                 const struct wire_result *gap)
{
    struct run *run = record(place);
    struct wire_event *events = calloc(count, sizeof *events);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    run->result->events_head = gap->events_head;
    run->result->events_gap = gap->events_gap;
    run->result->events_digest = gap->events_digest;
    for (uint32_t i = 0; i < count; i++) {
        events[i] = run->events[i % run->count];
        events[i].operation = i + 1;
        if (i == changed)
            events[i].size ^= 1;
    }
    assert_true(events_write(out, run->symbols, run->result, events, count, !cut));
    fclose(out);
    free(events);
    free_run(run);
    return text;
}

static char *write_long(const struct place *place, uint32_t count, uint32_t changed, bool cut)
{
    return write_long_with_gap(place, count, changed, cut, &(struct wire_result){0});
}

static void test_long_log_is_cut(void **state)
{
    (void)state;
    char *text = write_long(&here, LONG, LONG, true);
    struct event_log log;
    struct error error = {0};
    FILE *in = fmemopen(text, strlen(text), "r");
    assert_true(events_is_cut(in));
    assert_true(events_read(in, "log", &log, &error));
    fclose(in);
    assert_int_equal(log.left_out, LEFT_OUT);
    assert_int_equal(log.left_out, events_left_out(&(struct wire_result){0}, LONG, false));
    assert_int_equal(log.count, LONG - LEFT_OUT);
    assert_int_equal(log.lines[EVENTS_KEPT_FIRST - 1].number, EVENTS_KEPT_FIRST);
    assert_int_equal(log.lines[EVENTS_KEPT_FIRST].number, EVENTS_KEPT_FIRST + LEFT_OUT + 1);
    events_free(&log);
    free(text);
}

/* What is kept of a cut log has the same lines as in the whole one. */
static void test_cut_log_has_the_lines_of_the_whole(void **state)
{
    (void)state;
    char *cut = write_long(&here, LONG, LONG, true), *whole = write_long(&here, LONG, LONG, false);
    const char *cut_end = strstr(strstr(cut, "\ncut\t") + 1, "\n"), *begin = strchr(cut, '\n');
    size_t first = (size_t)(strstr(cut, "\ncut\t") - begin), last = strlen(cut_end);
    assert_memory_equal(begin, strchr(whole, '\n'), first);
    assert_string_equal(cut_end, whole + strlen(whole) - last);
    free(cut);
    free(whole);
}

/* Where the run has left out events there is one gap, which has them too, whatever else is left out. */
static void test_gap_of_the_run(void **state)
{
    (void)state;
    static const struct {
        uint32_t count, head;
        bool cut;
        uint32_t first, kept; /* the first event that the log leaves out; how many it has */
    } rows[] = {
        {100, 60, true, 61, 100},
        {100, 60, false, 61, 100},
        {LONG, LONG / 2, true, EVENTS_KEPT_FIRST + 1, EVENTS_KEPT_FIRST + LONG - LONG / 2},
        {LONG, LONG / 2, false, LONG / 2 + 1, LONG},
        {LONG, 10, true, 11, 10 + EVENTS_KEPT_LAST},
        {LONG, LONG - 10, true, EVENTS_KEPT_FIRST + 1, EVENTS_KEPT_FIRST + 10},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct wire_result *gap = calloc(1, sizeof *gap);
        gap->events_head = rows[i].head, gap->events_gap = 1000000, gap->events_digest = 7;
        char *text = write_long_with_gap(&here, rows[i].count, UINT32_MAX, rows[i].cut, gap), *expected, *other;
        struct event_log log;
        struct error error = {0};
        FILE *in = fmemopen(text, strlen(text), "r");
        assert_true(events_read(in, "log", &log, &error));
        fclose(in);
        assert_int_equal(log.count, rows[i].kept);
        assert_int_equal(log.count + log.left_out, rows[i].count + gap->events_gap);
        assert_int_equal(log.left_out, events_left_out(gap, rows[i].count, !rows[i].cut));
        assert_int_equal(log.lines[rows[i].first - 2].number, rows[i].first - 1);
        assert_int_equal(log.lines[rows[i].first - 1].number, rows[i].first + log.left_out);
        gap->events_digest = 8; /* other events: another log */
        other = write_long_with_gap(&here, rows[i].count, UINT32_MAX, rows[i].cut, gap);
        assert_true(asprintf(&expected, "\ncut\t%u\t%" PRIu64 "\t", rows[i].first, log.left_out) > 0);
        assert_non_null(strstr(text, expected));
        assert_non_null(strstr(other, expected));
        assert_string_not_equal(text, other);
        events_free(&log);
        free(expected), free(other), free(text), free(gap);
    }
}

/* After the gap a block from before has no name any more: it may have been freed and its memory used again. */
static void test_blocks_have_no_name_after_a_gap(void **state)
{
    (void)state;
    struct wire_result *result = calloc(1, sizeof *result);
    char before[OBJECT_NAME], after[OBJECT_NAME], new[OBJECT_NAME];
    result->events_head = 1, result->events_gap = 5;
    struct wire_module module = self_module(0);
    struct symbols *symbols = symbols_open(&module, 1);
    struct objects *objects = objects_open(symbols, result);
    objects_event(objects, &(struct wire_event){.op = OP_ALLOC, .address = 0x10000, .size = 32});
    objects_name(objects, 0x10008, 8, before, NULL);
    objects_event(objects, &(struct wire_event){.op = OP_WRITE, .address = 0x10008, .size = 8});
    objects_name(objects, 0x10008, 8, after, NULL);
    objects_event(objects, &(struct wire_event){.op = OP_ALLOC, .address = 0x10000, .size = 32});
    objects_name(objects, 0x10008, 8, new, NULL);
    assert_string_equal(before, "heap#1+8");
    assert_string_equal(after, "mem#1");
    assert_string_equal(new, "heap#2+8");
    objects_close(objects);
    symbols_close(symbols);
    free(result);
}

static void test_short_log_is_whole(void **state)
{
    (void)state;
    char *text = write_long(&here, LONG - LEFT_OUT, LONG, true);
    char *whole = write_long(&here, LONG - LEFT_OUT, LONG, false);
    FILE *in = fmemopen(text, strlen(text), "r");
    assert_false(events_is_cut(in));
    fclose(in);
    assert_string_equal(text, whole);
    free(text);
    free(whole);
}

/* A run at other addresses has the same digest; one in which an event differs that is left out has not. */
static void test_digest_of_what_is_left_out(void **state)
{
    (void)state;
    char *text = write_long(&here, LONG, LONG, true), *other = write_long(&elsewhere, LONG, LONG, true);
    assert_string_equal(text, other);
    free(other);
    for (uint32_t i = 0; i < LEFT_OUT; i += 83) {
        other = write_long(&here, LONG, EVENTS_KEPT_FIRST + i, true);
        assert_string_not_equal(text, other);
        free(other);
    }
    free(text);
}

/* ---- defects, one each ------------------------------------------------------------------------------------------- */

static void test_defects(void **state)
{
    (void)state;
#define HEAD EVENTS_HEADER "\n"
#define CUT  EVENTS_HEADER_CUT "\n"
#define END  "events\t1\n"
    static const struct {
        const char *text, *complaint;
    } defects[] = {
        {"\n", "first line"},
        {"raddle events 3\nevents\t0\n", "another version"},
        {CUT "events\t0\n", "how many"},
        {CUT "cut\t2\t5\t0123456789abcdef\nevents\t5\n", "which events"},
        {CUT "cut\t1\t0\t0123456789abcdef\nevents\t0\n", "which events"},
        {CUT "cut\t1\t5\t0123456789abcde\nevents\t5\n", "which events"},
        {CUT "cut\t1\t5\t0123456789abcdeF\nevents\t5\n", "which events"},
        {CUT "cut\t1\t562949953421312\t0123456789abcdef\nevents\t5\n", "which events"},
        {CUT "cut\t1\t5\t0123456789abcdef\tmore\nevents\t5\n", "which events"},
        {CUT "cut\t1\t5\t0123456789abcdef\ncut\t6\t1\t0123456789abcdef\nevents\t6\n", "none may be"},
        {CUT "cut\t1\t5\t0123456789abcdef\n1\tT0\t5\tread\ta\t4\t1\t-\tf\ts\nevents\t6\n", "next number"},
        {CUT "cut\t1\t5\t0123456789abcdef\nevents\t4\n", "how many"},
        {HEAD "cut\t1\t5\t0123456789abcdef\nevents\t5\n", "none may be"},
        {"raddle schedule 1\n", "first line"},
        {HEAD, "cut off"},
        {HEAD "1\tT0\t5\tread\ta\t4\t1\t-\tf\ts\n", "cut off"},
        {HEAD "1\tT0\t5\tread\ta\t4\t1\t-\tf\ts", "line 2 is cut off"},
        {HEAD "1\tT0\t5\tread\ta\t4\t1\t-\tf\n" END, "10 fields"},
        {HEAD "1\tT0\t5\tread\ta\t4\t1\t-\tf\ts\tmore\n" END, "10 fields"},
        {HEAD "2\tT0\t5\tread\ta\t4\t1\t-\tf\ts\n" END, "next number"},
        {HEAD "01\tT0\t5\tread\ta\t4\t1\t-\tf\ts\n" END, "next number"},
        {HEAD "-1\tT0\t5\tread\ta\t4\t1\t-\tf\ts\n" END, "next number"},
        {HEAD "1\t0\t5\tread\ta\t4\t1\t-\tf\ts\n" END, "task"},
        {HEAD "1\tT4096\t5\tread\ta\t4\t1\t-\tf\ts\n" END, "task"},
        {HEAD "1\tT0\t99999999999999999999\tread\ta\t4\t1\t-\tf\ts\n" END, "operation number"},
        {HEAD "1\tT0\t5\tsing\ta\t4\t1\t-\tf\ts\n" END, "unknown operation"},
        {HEAD "1\tT0\t5\tread\ta\t4294967296\t1\t-\tf\ts\n" END, "size"},
        {HEAD "1\tT0\t5\tread\ta\t4\t1\tred\tf\ts\n" END, "flags"},
        {HEAD "1\tT0\t5\tread\ta\t4\t1\tvalue,value\tf\ts\n" END, "flags"},
        {HEAD "1\tT0\t5\tread\ta\t4\t1\t,\tf\ts\n" END, "flags"},
        {HEAD "1\tT0\t5\tread\ta\\\t4\t1\t-\tf\ts\n" END, "wrong characters"},
        {HEAD "1\tT0\t5\tread\ta\\x00\t4\t1\t-\tf\ts\n" END, "wrong characters"},
        {HEAD "1\tT0\t5\tread\ta\r\t4\t1\t-\tf\ts\n" END, "wrong characters"},
        {HEAD "1\tT0\t5\tread\t\t4\t1\t-\tf\ts\n" END, "wrong characters"},
        {HEAD "1\tT0\t5\tread\ta\t4\t1\t-\tf\ts\nevents\t2\n", "how many"},
        {HEAD "events\t\n", "how many"},
        {HEAD "events\t0\nevents\t0\n", "after the end"},
    };
#undef HEAD
#undef CUT
#undef END
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++) {
        struct event_log log;
        struct error error = {0};
        if (read_log(defects[i].text, strlen(defects[i].text), &log, &error))
            fail_msg("defect %zu was not seen", i);
        if (strstr(error.text, defects[i].complaint) == NULL)
            fail_msg("defect %zu: \"%s\" does not say \"%s\"", i, error.text, defects[i].complaint);
        assert_int_equal(error.code, EXIT_USAGE);
        assert_null(log.lines);
    }
}

static void test_zero_bytes_and_nothing(void **state)
{
    (void)state;
    struct event_log log;
    struct error error = {0};
    assert_false(read_log(EVENTS_HEADER "\n\0\n", strlen(EVENTS_HEADER) + 3, &log, &error));
    assert_non_null(strstr(error.text, "zero bytes"));
    FILE *nothing = fopen("/dev/null", "r");
    assert_false(events_read(nothing, "log", &log, &error));
    assert_non_null(strstr(error.text, "empty"));
    fclose(nothing);
}

/* Good logs with random damage, and plain noise: refused or read, never worse. */
static void test_random_damage(void **state)
{
    (void)state;
    struct run *run = record(&here);
    char *text = write_log(run), *copy = strdup(text);
    size_t size = strlen(text);
    struct generator generator = {12345};
    for (int round = 0; round < 20000; round++) {
        struct event_log log;
        struct error error = {0};
        memcpy(copy, text, size);
        size_t length = size;
        uint64_t changes = 1 + generator_below(&generator, 4);
        for (uint64_t i = 0; i < changes; i++) {
            static const char likely[] = "\t\n\\-,0T9x ";
            size_t where = (size_t)generator_below(&generator, size);
            copy[where] =
                round % 2 ? likely[generator_below(&generator, sizeof likely - 1)] : (char)generator_next(&generator);
        }
        if (round % 5 == 0)
            length = 1 + (size_t)generator_below(&generator, size);
        if (read_log(copy, length, &log, &error))
            events_free(&log);
        else
            assert_int_not_equal(error.text[0], '\0');
    }
    free(copy);
    free(text);
    free_run(run);
}

static struct wire_event random_event(struct generator *generator, int i)
{
    struct wire_event event = {.pc = generator_next(generator) >> generator_below(generator, 64),
                               .address = generator_next(generator) >> generator_below(generator, 64),
                               .value = generator_next(generator) >> generator_below(generator, 64),
                               .size = (uint32_t)generator_next(generator),
                               .task = (uint16_t)generator_next(generator),
                               .op = (uint8_t)generator_next(generator),
                               .flags = (uint8_t)generator_next(generator)};
    if (i % 3 == 0)
        event.op = i % 2 ? OP_ALLOC : OP_FREE;
    if (i % 7 == 0)
        event.address = at(&shared_pair, &here) + generator_below(generator, 32);
    return event;
}

/* Like the above, but near each other. */
static struct wire_event close_event(struct generator *generator, int i)
{
    const uint64_t bases[] = {at(&shared_pair, &here), here.heap, here.stack, here.other, 0};
    struct wire_event event = random_event(generator, i);
    event.address = bases[generator_below(generator, 5)] + generator_below(generator, 64);
    event.value = bases[generator_below(generator, 5)] + generator_below(generator, 64);
    event.size = (uint32_t)generator_below(generator, 2) * 8;
    event.task = (uint16_t)generator_below(generator, 3);
    event.op = (uint8_t)generator_below(generator, WIRE_OP_COUNT);
    return event;
}

/* The last event of a run is called the same, whether the ones before it were described or passed over. */
static void test_passed_events_count(void **state)
{
    (void)state;
    struct run *run = make_run(&here);
    struct generator generator = {4};
    for (int round = 0; round < 500; round++) {
        struct objects *told = objects_open(run->symbols, run->result);
        struct objects *passed = objects_open(run->symbols, run->result);
        struct event_text left, right;
        for (int i = 0; i < 60; i++) {
            struct wire_event event = round % 5 == 0 ? random_event(&generator, i) : close_event(&generator, i);
            objects_event(told, &event);
            objects_event(passed, &event);
            event_describe(run->symbols, told, &event, &left);
            if (i % 8 != 7) {
                event_pass(passed, &event);
                continue;
            }
            event_describe(run->symbols, passed, &event, &right);
            assert_string_equal(left.object, right.object);
            assert_string_equal(left.value, right.value);
        }
        objects_close(told);
        objects_close(passed);
    }
    free_run(run);
}

/* Events that no run could give. */
static void test_impossible_events(void **state)
{
    (void)state;
    struct run *run = make_run(&here);
    struct generator generator = {777};
    for (int round = 0; round < 300; round++) {
        run->count = 0;
        for (int i = 0; i < 60; i++) {
            add(run, random_event(&generator, i));
        }
        free(write_log(run));
    }
    free_run(run);
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static void check_difference(const char *left, const char *right, uint64_t line, const char *left_line,
                             const char *right_line)
{
    FILE *left_file = fmemopen((void *)(uintptr_t)left, strlen(left), "r");
    FILE *right_file = fmemopen((void *)(uintptr_t)right, strlen(right), "r");
    struct event_difference difference;
    assert_true(events_compare(left_file, right_file, &difference));
    assert_int_equal(difference.line, line);
    assert_int_equal(difference.left == NULL, left_line == NULL);
    assert_int_equal(difference.right == NULL, right_line == NULL);
    if (left_line != NULL)
        assert_string_equal(difference.left, left_line);
    if (right_line != NULL)
        assert_string_equal(difference.right, right_line);
    event_difference_free(&difference);
    fclose(left_file);
    fclose(right_file);
}

static void test_compare(void **state)
{
    (void)state;
    check_difference("a\nb\n", "a\nb\n", 0, NULL, NULL);
    check_difference("a\nb\n", "a\nc\n", 2, "b", "c");
    check_difference("a\nb\n", "a\n", 2, "b", NULL);
    check_difference("a\n", "a\nb", 2, NULL, "b");
    check_difference("a\nb", "a\nb\n", 2, "b", "b");
    check_difference("x", "y", 1, "x", "y");
}

/* ---- what operations are --------------------------------------------------------------------------------------------- */

/* What acquires or releases by its class does so by its effect, except a condition wait, which is about the lock of another object, and
   futexes, which are no locks themselves. */
static void test_operations_hold_what_they_acquire(void **state)
{
    (void)state;
    for (uint32_t op = 0; op < WIRE_OP_COUNT; op++) {
        enum op_effect effect = op_effect(op);
        bool takes = op_takes_lock(op) || effect == EFFECT_ACQUIRE;
        bool gives = effect == EFFECT_UNLOCK || effect == EFFECT_RELEASE;
        if (op == OP_COND_WAKE || op == OP_FUTEX_WAIT || op == OP_FUTEX_WAKE) {
            assert_false(takes || gives);
            continue;
        }
        assert_int_equal(takes, op_class(op) == CLASS_ACQUIRE);
        assert_int_equal(gives, op_class(op) == CLASS_RELEASE);
        assert_int_equal(op_takes_lock(op), strstr(event_op_name(op), "lock") != NULL && takes);
        assert_int_equal(effect == EFFECT_RDLOCK, strstr(event_op_name(op), "rdlock") != NULL);
        assert_int_equal(op_facts[op].try, strstr(event_op_name(op), "try") != NULL);
        assert_int_equal(effect == EFFECT_INIT || effect == EFFECT_DESTROY,
                         op_object(op) != ABOUT_BARRIER && (strstr(event_op_name(op), "-init") != NULL ||
                                                            strstr(event_op_name(op), "-destroy") != NULL));
    }
    assert_int_equal(op_effect(WIRE_OP_COUNT), EFFECT_NONE);
    assert_int_equal(op_effect(UINT32_MAX), EFFECT_NONE);
}

/* An operation is as strong as the access that it is. */
static void test_effects_are_as_strong_as_accesses(void **state)
{
    (void)state;
    for (uint32_t op = 0; op < WIRE_OP_COUNT; op++) {
        struct event event = {
            .op = (uint8_t)op, .address = 64, .size = 4, .flags = op == OP_FUTEX_WAIT ? EVENT_UNCHANGED : 0};
        struct access accesses[EVENT_ACCESSES];
        unsigned count = event_accesses(&event, 0, accesses);
        assert_int_equal(count, op_effect(op) != EFFECT_NONE);
        if (count == 1)
            assert_int_equal(access_is_strong(accesses[0].kind), op_facts[op].strong);
    }
}

/* Memory is accessed by six operations, four of them atomic. */
static void test_operations_that_access_memory(void **state)
{
    (void)state;
    unsigned accesses = 0, atomic = 0;
    for (uint32_t op = 0; op < WIRE_OP_COUNT; op++) {
        accesses += op_is_access(op);
        atomic += op_object(op) == ABOUT_ATOMIC;
        if (op_is_access(op))
            assert_true(op >= OP_READ && op <= OP_ATOMIC_CAS);
    }
    assert_int_equal(accesses, 6);
    assert_int_equal(atomic, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_values),
        cmocka_unit_test(test_same_log_at_other_addresses),
        cmocka_unit_test(test_empty_log),
        cmocka_unit_test(test_strange_names),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_long_log_is_cut),
        cmocka_unit_test(test_cut_log_has_the_lines_of_the_whole),
        cmocka_unit_test(test_gap_of_the_run),
        cmocka_unit_test(test_blocks_have_no_name_after_a_gap),
        cmocka_unit_test(test_short_log_is_whole),
        cmocka_unit_test(test_digest_of_what_is_left_out),
        cmocka_unit_test(test_defects),
        cmocka_unit_test(test_zero_bytes_and_nothing),
        cmocka_unit_test(test_random_damage),
        cmocka_unit_test(test_impossible_events),
        cmocka_unit_test(test_passed_events_count),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_operations_hold_what_they_acquire),
        cmocka_unit_test(test_effects_are_as_strong_as_accesses),
        cmocka_unit_test(test_operations_that_access_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
