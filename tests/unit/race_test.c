/* SPDX-License-Identifier: MIT
 *
 * race_test.c - the race oracle against a naive one that keeps the whole history and the whole happens-before relation.
 *
 * Random executions: a few tasks, locks, atomics of every order, fences, creation and join, over a few words of memory.
 * Whatever our oracle reports must be a race of the naive one.  And whenever an access races with any earlier one, ours must
 * report some race for it.  It may miss one where a private word is accessed byte by byte (race.c says so), where
 * atomic objects of different sizes overlap, and where a relaxed store continues a release sequence of its own task (order.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture/runtime.h"

enum { TASKS = 5, LOCKS = 2, WORDS = 4, EVENTS = 160 };

/* ---- the naive oracle -------------------------------------------------------------------------------------------------- */

enum kind { ACCESS, ACQUIRE, RELEASE, FENCE, FORK, JOIN };

struct event {
    enum kind kind;
    unsigned task;
    uintptr_t lo, hi; /* ACCESS */
    unsigned flags;
    bool loads, stores; /* atomic */
    int order;
    unsigned lock, other; /* ACQUIRE, RELEASE; FORK, JOIN */
    bool before[EVENTS];  /* [i]: event i happens before this one */
};
static struct event history[EVENTS];
static unsigned count;

static void add_edge(unsigned from, unsigned to)
{
    history[to].before[from] = true;
    for (unsigned i = 0; i < from; i++)
        history[to].before[i] |= history[from].before[i];
}

static bool order_acquires(int order)
{
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST ||
           order == __ATOMIC_CONSUME;
}
static bool order_releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static bool is_atomic(const struct event *e)
{
    return e->kind == ACCESS && (e->flags & ACCESS_ATOMIC);
}
static bool overlaps(const struct event *a, const struct event *b)
{
    return a->lo < b->hi && b->lo < a->hi;
}

/* The event that synchronises for store `head`: itself, or a release fence before it in its task; -1 if none. */
static void edges_from_head(unsigned head, unsigned to)
{
    if (order_releases(history[head].order))
        add_edge(head, to);
    for (unsigned i = head; i-- > 0;)
        if (history[i].task == history[head].task && history[i].kind == FENCE && order_releases(history[i].order)) {
            add_edge(i, to);
            break;
        }
}

/* All heads of release sequences that the value read by `reader` belongs to, each an edge into `to`. */
static void edges_of_reads_from(unsigned reader, unsigned to)
{
    bool broken_by_other[TASKS] = {false}; /* [t]: a plain store of a task other than t came later */
    for (unsigned i = reader; i-- > 0;) {
        const struct event *e = &history[i];
        if (!is_atomic(e) || !e->stores || !overlaps(e, &history[reader]))
            continue;
        if (!broken_by_other[e->task])
            edges_from_head(i, to);
        if (!e->loads)
            for (unsigned t = 0; t < TASKS; t++)
                broken_by_other[t] |= t != e->task;
    }
}

static void link_event(unsigned n)
{
    struct event *e = &history[n];
    for (unsigned i = n; i-- > 0;)
        if (history[i].task == e->task || (history[i].kind == FORK && history[i].other == e->task)) {
            add_edge(i, n);
            if (history[i].task == e->task)
                break;
        }
    if (e->kind == ACQUIRE)
        for (unsigned i = n; i-- > 0;)
            if (history[i].kind == RELEASE && history[i].lock == e->lock)
                add_edge(i, n);
    if (e->kind == JOIN)
        for (unsigned i = n; i-- > 0;)
            if (history[i].task == e->other || (history[i].kind == FORK && history[i].other == e->other))
                add_edge(i, n);
    if (is_atomic(e) && e->loads && order_acquires(e->order))
        edges_of_reads_from(n, n);
    if (e->kind == FENCE && order_acquires(e->order))
        for (unsigned i = n; i-- > 0;)
            if (history[i].task == e->task && is_atomic(&history[i]) && history[i].loads)
                edges_of_reads_from(i, n);
}

static bool races(const struct event *a, unsigned index, const struct event *b)
{
    return a->kind == ACCESS && b->kind == ACCESS && a->task != b->task && overlaps(a, b) &&
           ((a->flags | b->flags) & ACCESS_WRITE) != 0 && (a->flags & b->flags & ACCESS_ATOMIC) == 0 &&
           !b->before[index];
}

/* ---- random executions ------------------------------------------------------------------------------------------------- */

static uint64_t words[WORDS] __attribute__((aligned(16)));
static struct task *tasks[TASKS];
static struct object locks[LOCKS], ends[TASKS];
static int holder[LOCKS];
static bool alive[TASKS], created[TASKS];
static uint64_t seed;

static unsigned below(unsigned n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((seed >> 33) % n);
}

static struct event *new_event(enum kind kind, unsigned task)
{
    struct event *e = &history[count];
    memset(e, 0, sizeof *e);
    e->kind = kind;
    e->task = task;
    return e;
}

/* A site of its own for every event: a report names the two events. */
static uintptr_t pc_of(unsigned n, unsigned round)
{
    return (round & 1 ? 0x1000 : (uintptr_t)&access_slow) + n * 16 + 1;
}
static unsigned event_of(uintptr_t pc, unsigned round)
{
    return (unsigned)((pc - pc_of(0, round)) / 16);
}

/* How an execution is made. */
struct shape {
    bool whole_words; /* no access to a part of a word */
    bool records;     /* no cell is ever EXCLUSIVE */
    bool exact;       /* nothing that may be missed */
};

static void random_bytes(struct event *e, const struct shape *shape)
{
    bool whole_words = shape->whole_words;
    size_t size = whole_words ? (size_t)4 << below(3) : (size_t)1 << below(5);
    if (shape->exact && (e->flags & ACCESS_ATOMIC))
        size = 8;
    size_t slots = sizeof words / size, at = below((unsigned)slots) * size;
    if (!whole_words && !(e->flags & ACCESS_ATOMIC) && at + size < sizeof words && below(8) == 0)
        at++; /* unaligned, perhaps over a border */
    e->lo = (uintptr_t)words + at;
    e->hi = e->lo + size;
}

static void do_access(unsigned t, unsigned round, const struct shape *shape)
{
    static const int orders[] = {__ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_ACQ_REL,
                                 __ATOMIC_SEQ_CST};
    struct event *e = new_event(ACCESS, t);
    unsigned what = below(10);
    e->flags = what < 4 ? ACCESS_ATOMIC : what == 4 ? ACCESS_VOLATILE : 0;
    e->flags |= below(3) == 0 ? ACCESS_WRITE : 0;
    random_bytes(e, shape);
    if (e->flags & ACCESS_ATOMIC) {
        e->stores = e->flags & ACCESS_WRITE;
        e->loads = !e->stores || below(2);
        e->order = orders[below(5)];
        if (shape->exact && !e->loads && !order_releases(e->order))
            e->order = __ATOMIC_RELEASE;
    }
    link_event(count);
    uintptr_t pc = pc_of(count, round);
    count++;
    if (e->flags & ACCESS_ATOMIC)
        access_atomic(tasks[t], pc, e->lo, (uint32_t)(e->hi - e->lo), e->loads, e->stores, e->order);
    else
        runtime_access(tasks[t], pc, (void *)e->lo, e->hi - e->lo, e->flags);
}

static void do_fence(unsigned t)
{
    static const int orders[] = {__ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_SEQ_CST};
    struct event *e = new_event(FENCE, t);
    e->order = orders[below(3)];
    link_event(count++);
    order_fence(tasks[t], e->order);
}

static void do_lock(unsigned t)
{
    unsigned l = below(LOCKS);
    if (holder[l] != -1 && holder[l] != (int)t)
        return;
    struct event *e = new_event(holder[l] == -1 ? ACQUIRE : RELEASE, t);
    e->lock = l;
    link_event(count++);
    if (holder[l] == -1) {
        hb_acquire(tasks[t], &locks[l]);
        holder[l] = (int)t;
    } else {
        hb_release(tasks[t], &locks[l]);
        holder[l] = -1;
    }
}

static void do_thread(unsigned t)
{
    unsigned other = below(TASKS);
    if (!created[other] && other == rt.task_count) {
        struct event *e = new_event(FORK, t);
        e->other = other;
        link_event(count++);
        tasks[other] = runtime_task(tasks[t]);
        created[other] = alive[other] = true;
    } else if (created[other] && alive[other] && other != t && other != 0 && below(4) == 0) {
        alive[other] = false;
        hb_release(tasks[other], &ends[other]);
        struct event *e = new_event(JOIN, t);
        e->other = other;
        link_event(count++);
        hb_acquire(tasks[t], &ends[other]);
    }
}

static void begin_round(unsigned round, bool records)
{
    seed = round * 7919ull + 17;
    count = 0;
    for (unsigned l = 0; l < LOCKS; l++) {
        clock_drop(&locks[l].clock);
        holder[l] = -1;
    }
    for (unsigned t = 0; t < TASKS; t++) {
        clock_drop(&ends[t].clock);
        created[t] = alive[t] = false;
    }
    shadow_clear((uintptr_t)words, (uintptr_t)(words + WORDS));
    tasks[0] = runtime_begin(PLAN_RACES);
    created[0] = alive[0] = true;
    for (uintptr_t at = (uintptr_t)words; at < (uintptr_t)(words + WORDS) && records; at += WORD)
        race_get_record(shadow_cell(at), at);
}

static void random_execution(unsigned round, const struct shape *shape)
{
    begin_round(round, shape->records);
    for (unsigned tries = 0; tries < 2 * EVENTS && count < EVENTS; tries++) {
        unsigned t = below(TASKS);
        if (!alive[t])
            continue;
        unsigned what = below(20);
        if (what < 12)
            do_access(t, round, shape);
        else if (what < 13)
            do_fence(t);
        else if (what < 18)
            do_lock(t);
        else
            do_thread(t);
    }
}

/* ---- the comparison ---------------------------------------------------------------------------------------------------- */

static bool reported[EVENTS];

static void check_reports(unsigned round)
{
    memset(reported, 0, sizeof reported);
    for (unsigned i = 0; i < finding_count; i++) {
        unsigned a = event_of(findings[i].other.pc, round), b = event_of(findings[i].here.pc, round);
        assert_true(a < b && b < count);
        if (!races(&history[a], a, &history[b])) {
            print_message("round %u: false race between %u and %u\n", round, a, b);
            fail();
        }
        bool is_volatile = (history[a].flags | history[b].flags) & ACCESS_VOLATILE;
        assert_int_equal(findings[i].kind, is_volatile ? KIND_VOLATILE_RACE : KIND_RACE);
        assert_int_equal(findings[i].here.task, history[b].task);
        assert_int_equal(findings[i].other.task, history[a].task);
        reported[b] = true;
    }
}

/* The number of accesses that race with an earlier one; missed: those without a report. */
static unsigned count_races(unsigned *missed)
{
    unsigned racing = 0;
    for (unsigned b = 0; b < count; b++)
        for (unsigned a = 0; a < b; a++)
            if (races(&history[a], a, &history[b])) {
                racing++;
                *missed += !reported[b];
                break;
            }
    return racing;
}

static void compare(unsigned rounds, struct shape shape)
{
    unsigned racing = 0, missed = 0;
    for (unsigned round = 0; round < rounds; round++) {
        random_execution(round, &shape);
        check_reports(round);
        racing += count_races(&missed);
        if (shape.exact && missed != 0) {
            print_message("round %u: a race was missed\n", round);
            fail();
        }
    }
    assert_true(racing > rounds);
    assert_true(missed * 50 < racing); /* and few in any case */
}

static void whole_words_are_exact(void **state)
{
    (void)state;
    compare(3000, (struct shape){.whole_words = true, .exact = true});
}

static void records_are_exact(void **state)
{
    (void)state;
    compare(3000, (struct shape){.records = true, .exact = true});
}

static void parts_of_words_give_no_false_race(void **state)
{
    (void)state;
    compare(3000, (struct shape){0});
}

/* ---- single cases ------------------------------------------------------------------------------------------------------ */

static void neighbours_do_not_race(void **state)
{
    (void)state;
    static int two[2] __attribute__((aligned(8)));
    struct task *main_task = runtime_begin(PLAN_RACES), *other = runtime_task(main_task);
    runtime_access(main_task, 100, &two[0], 4, ACCESS_WRITE);
    runtime_access(other, 200, &two[1], 4, ACCESS_WRITE);
    runtime_access(main_task, 101, &two[0], 4, ACCESS_WRITE);
    assert_int_equal(finding_count, 0);
    assert_int_equal(point_count, 0); /* nor are they shared */
    assert_int_equal(rt.wire->result.shared_locations, 0);
    runtime_access(other, 201, &two[0], 4, ACCESS_READ);
    assert_int_equal(finding_count, 1);
    assert_int_equal(findings[0].here.pc, 201);
    assert_int_equal(findings[0].other.pc, 101);
    assert_int_equal(rt.wire->result.shared_locations, 1);
    assert_int_equal(point_count, 1);
}

static void sites_become_visible(void **state)
{
    (void)state;
    static long word, private_word;
    struct task *main_task = runtime_begin(PLAN_RACES), *other = runtime_task(main_task);
    runtime_access(main_task, 100, &word, 8, ACCESS_READ);
    runtime_access(main_task, 110, &word, 8, ACCESS_WRITE);
    assert_false(site_is_visible(100));
    runtime_access(other, 200, &word, 8, ACCESS_READ);
    assert_true(site_is_visible(100));
    assert_true(site_is_visible(110));
    assert_true(site_is_visible(200));
    assert_int_equal(rt.wire->result.shared_sites, 3);
    unsigned points = point_count;
    runtime_access(main_task, 300, &private_word, 8, ACCESS_WRITE);
    assert_int_equal(point_count, points);
    runtime_access(main_task, 100, &private_word, 8, ACCESS_WRITE); /* a visible site, whatever it touches */
    assert_int_equal(point_count, points + 1);
    assert_int_equal(main_task->operations, 4);
}

static void operations_are_counted_once(void **state)
{
    (void)state;
    static char buffer[100];
    struct task *task = runtime_begin(0);
    task->stop_at = 3;
    runtime_access(task, 1, buffer, 4, ACCESS_WRITE);
    runtime_access(task, 1, buffer, 4, ACCESS_WRITE);
    assert_int_equal(point_count, 0);
    runtime_access(task, 1, buffer, 4, ACCESS_WRITE);
    assert_int_equal(point_count, 1);
    assert_int_equal(event_count, 0); /* the plan stops there: not a reason to record it */
    access_range(task, 2, buffer, sizeof buffer, true);
    runtime_access(task, 3, buffer + 5, 8, ACCESS_READ);
    assert_int_equal(task->operations, 5);
    assert_int_equal(point_count, 1);
}

static void everything_is_visible_if_asked(void **state)
{
    (void)state;
    static long word;
    struct task *task = runtime_begin(PLAN_ALL_VISIBLE);
    for (int i = 0; i < 3; i++)
        runtime_access(task, 1, &word, 8, ACCESS_WRITE);
    assert_int_equal(point_count, 3);
    assert_int_equal(event_count, 3);
    assert_int_equal(task->operations, 3);
}

static struct task *intruder;
static void *intruder_target;
static void intrude(struct task *self, struct op *op)
{
    (void)op;
    before_point_returns = NULL;
    runtime_access(intruder, 999, intruder_target, 8, ACCESS_WRITE);
    rt_self = self;
}

static void shadow_is_read_again_after_the_point(void **state)
{
    (void)state;
    static long word;
    struct task *main_task = runtime_begin(PLAN_RACES);
    intruder = runtime_task(main_task);
    intruder_target = &word;
    site_make_visible(100);
    before_point_returns = intrude;
    runtime_access(main_task, 100, &word, 8, ACCESS_WRITE);
    assert_int_equal(finding_count, 1);
    assert_int_equal(findings[0].other.pc, 999);
}

static void freeing_shows_the_sites_of_others(void **state)
{
    (void)state;
    static long word;
    struct task *main_task = runtime_begin(0), *other = runtime_task(main_task);
    runtime_access(other, 100, &word, 8, ACCESS_READ);
    assert_false(race_frees_shared(other, (uintptr_t)&word, (uintptr_t)(&word + 1), 300));
    assert_false(site_is_visible(100) || site_is_visible(300));
    assert_true(race_frees_shared(main_task, (uintptr_t)&word, (uintptr_t)(&word + 1), 300));
    assert_true(site_is_visible(100) && site_is_visible(300));
}

static void clearing_forgets(void **state)
{
    (void)state;
    size_t size = 1 << 20;
    char *memory = aligned_alloc(4096, size);
    struct task *main_task = runtime_begin(PLAN_RACES), *other = runtime_task(main_task);
    access_range(main_task, 1, memory, size, true);
    access_range(other, 2, memory + 5000, 100, true);
    access_atomic(other, 2, (uintptr_t)memory + 300000, 8, true, true, __ATOMIC_SEQ_CST);
    assert_true(race_frees_shared(main_task, (uintptr_t)memory, (uintptr_t)memory + size, 9));
    assert_true(site_is_visible(1) && site_is_visible(2) && site_is_visible(9));
    finding_count = 0;
    shadow_clear((uintptr_t)memory, (uintptr_t)memory + size);
    assert_false(race_frees_shared(main_task, (uintptr_t)memory, (uintptr_t)memory + size, 10));
    access_range(other, 3, memory, size, true);
    assert_int_equal(finding_count, 0);
    shadow_clear((uintptr_t)memory, (uintptr_t)memory + size);
    free(memory);
}

/* The fast path and the slow one leave the same notes, whatever the sizes, places, sites and times of the accesses are. */
static void fast_path_notes_what_the_slow_one_does(void **state)
{
    (void)state;
    enum { BYTES = 64, ACCESSES = 5000 };
    static char memory[2][BYTES] __attribute__((aligned(BYTES)));
    static const uint32_t sizes[] = {1, 2, 4, 8};
    struct task *task = runtime_begin(PLAN_RACES);
    shadow_clear((uintptr_t)memory, (uintptr_t)memory + sizeof memory);
    seed = 1;
    for (unsigned i = 0; i < ACCESSES; i++) {
        uint32_t size = sizes[below(4)], place = below(BYTES - size + 1);
        if (below(4) != 0)
            place = place / size * size;
        uintptr_t pc = (below(2) ? (uintptr_t)&access_slow : 0x7000000000) + 8 * below(3);
        bool write = below(2);
        access_check(pc, (uintptr_t)&memory[0][place], size, write);
        access_slow((uintptr_t)&memory[1][place], pc, size, write ? ACCESS_WRITE : ACCESS_READ);
        for (unsigned word = 0; word < BYTES; word += WORD)
            assert_memory_equal(shadow_cell((uintptr_t)&memory[0][word]), shadow_cell((uintptr_t)&memory[1][word]),
                                sizeof(struct cell));
        if (below(16) == 0)
            clock_tick(task);
    }
    assert_int_equal(task->operations, 2 * ACCESSES);
    assert_int_equal(point_count, 0);
}

/* The program will crash, not the runtime: beside memory that has shadow, at both ends, with bits that no address has. */
static void wild_addresses_do_no_harm(void **state)
{
    (void)state;
    static const uintptr_t wild[] = {0,          8, 0x7ffffffffff8, 0x7fffffffffff, 0xdeadbeefdeadbee8, UINTPTR_MAX - 7,
                                     UINTPTR_MAX};
    enum { WILD = sizeof wild / sizeof *wild };
    struct task *task = runtime_begin(PLAN_RACES);
    uint64_t expected = 0;
    for (unsigned round = 0; round < 3; round++)
        for (unsigned i = 0; i < WILD; i++)
            for (uint32_t size = 1; size <= 8; size *= 2) {
                runtime_access(task, 0x4321, (void *)wild[i], size, round == 2 ? ACCESS_READ : ACCESS_WRITE);
                expected += 1 + (wild[i] % 64 + size > 64 ? 2 : 0); /* two ways to cut it between cache lines */
            }
    assert_int_equal(task->operations, expected);
    for (unsigned i = 0; i < WILD; i++)
        shadow_clear(wild[i] & 0x7ffffffffff0, (wild[i] & 0x7ffffffffff0) + 16);
}

/* A site is known to be private until it is not: the very next access by it is a scheduling point. */
static void private_site_becomes_visible(void **state)
{
    (void)state;
    static uint64_t own, shared;
    enum { SITE = 0x1234, OTHER = 0x5678 };
    shadow_clear((uintptr_t)&own, (uintptr_t)(&own + 1));
    shadow_clear((uintptr_t)&shared, (uintptr_t)(&shared + 1));
    struct task *one = runtime_begin(0), *two = runtime_task(one);
    for (int i = 0; i < 3; i++)
        runtime_access(one, SITE, &own, 8, ACCESS_WRITE);
    runtime_access(one, SITE, &shared, 8, ACCESS_WRITE);
    assert_int_equal(point_count, 0);
    runtime_access(two, OTHER, &shared, 8, ACCESS_READ);
    assert_int_equal(point_count, 1);
    runtime_access(one, SITE, &own, 8, ACCESS_WRITE);
    assert_int_equal(point_count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_words_are_exact),
        cmocka_unit_test(records_are_exact),
        cmocka_unit_test(parts_of_words_give_no_false_race),
        cmocka_unit_test(neighbours_do_not_race),
        cmocka_unit_test(sites_become_visible),
        cmocka_unit_test(operations_are_counted_once),
        cmocka_unit_test(everything_is_visible_if_asked),
        cmocka_unit_test(shadow_is_read_again_after_the_point),
        cmocka_unit_test(fast_path_notes_what_the_slow_one_does),
        cmocka_unit_test(wild_addresses_do_no_harm),
        cmocka_unit_test(private_site_becomes_visible),
        cmocka_unit_test(freeing_shows_the_sites_of_others),
        cmocka_unit_test(clearing_forgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
