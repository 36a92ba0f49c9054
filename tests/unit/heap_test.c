/* SPDX-License-Identifier: MIT
 *
 * heap_test.c - heap blocks: where they lie, what their shadow allows, what is reported, and that addresses repeat.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture/runtime.h"

/* The kind that the access fails with; KIND_NONE if it is fine. */
static enum wire_kind access_kind(void *address, size_t size, unsigned flags)
{
    failing_allowed = true;
    static enum wire_kind kind; /* outlives a longjmp */
    kind = KIND_NONE;
    if (setjmp(failed) == 0)
        runtime_access(rt_self, 77, address, size, flags);
    else
        kind = findings[finding_count - 1].kind;
    task_go_outside(rt_self);
    failing_allowed = false;
    return kind;
}

static enum wire_kind free_kind(void *pointer)
{
    failing_allowed = true;
    enum wire_kind kind = KIND_NONE;
    if (setjmp(failed) == 0)
        heap_report_free(rt_self, pointer, 88);
    else
        kind = findings[finding_count - 1].kind;
    failing_allowed = false;
    return kind;
}

static void every_byte_is_exact(void **state)
{
    (void)state;
    runtime_begin(PLAN_HEAP);
    for (size_t size = 0; size <= 40; size++) {
        char *block = heap_allocate(size, 16, false, 1);
        assert_int_equal((uintptr_t)block % 16, 0);
        for (long at = -64; at < (long)size + 16; at++) {
            bool inside = at >= 0 && at < (long)size;
            assert_int_equal(access_kind(block + at, 1, ACCESS_WRITE), inside ? KIND_NONE : KIND_OUT_OF_BLOCK);
        }
        for (unsigned length = 2; length <= 16; length *= 2)
            for (long at = 0; at < (long)size; at++) {
                bool inside = (size_t)at + length <= size;
                assert_int_equal(access_kind(block + at, length, ACCESS_READ), inside ? KIND_NONE : KIND_OUT_OF_BLOCK);
            }
        heap_free(heap_find(block), 2);
    }
}

static void the_first_wrong_byte_is_named(void **state)
{
    (void)state;
    runtime_begin(PLAN_HEAP);
    char *block = heap_allocate(10, 16, false, 123);
    assert_int_equal(access_kind(block + 8, 4, ACCESS_WRITE), KIND_OUT_OF_BLOCK);
    const struct wire_finding *finding = &findings[finding_count - 1];
    assert_int_equal(finding->here.address, (uintptr_t)block + 10);
    assert_int_equal(finding->here.size, 4);
    assert_int_equal(finding->block, (uintptr_t)block);
    assert_int_equal(finding->block_size, 10);
    assert_int_equal(finding->other.pc, 123);
    assert_int_equal(finding->other.op, OP_ALLOC);
}

static void freed_memory_is_known(void **state)
{
    (void)state;
    struct task *main_task = runtime_begin(PLAN_HEAP);
    main_task->operations = 41;
    char *block = heap_allocate(24, 16, false, 1);
    assert_int_equal(access_kind(block, 8, ACCESS_WRITE), KIND_NONE);
    heap_free(heap_find(block), 2);
    assert_null(heap_find(block));
    assert_int_equal(access_kind(block + 20, 4, ACCESS_READ), KIND_USE_AFTER_FREE);
    const struct wire_finding *finding = &findings[finding_count - 1];
    assert_int_equal(finding->other.pc, 2);
    assert_int_equal(finding->other.op, OP_FREE);
    assert_int_equal(finding->other.operation, 42);
    assert_int_equal(free_kind(block), KIND_DOUBLE_FREE);
    assert_ptr_not_equal(heap_allocate(24, 16, false, 1), block);
    rt.flags = 0; /* not asked for: not reported */
    assert_int_equal(access_kind(block, 8, ACCESS_READ), KIND_NONE);
    assert_int_equal(free_kind(block), KIND_NONE);
}

static void wrong_pointers_are_refused_only_if_certain(void **state)
{
    (void)state;
    static char global[64] __attribute__((aligned(16)));
    runtime_begin(PLAN_HEAP);
    char *block = heap_allocate(64, 16, false, 1), *libc_block = malloc(64), local[16];
    assert_int_equal(free_kind(block + 16), KIND_INVALID_FREE);
    assert_int_equal(free_kind(block + 3), KIND_INVALID_FREE);
    assert_int_equal(free_kind(global), KIND_INVALID_FREE);
    assert_int_equal(free_kind(libc_block), KIND_NONE);
    rt_self->stack_lo = (uintptr_t)local & ~(uintptr_t)4095;
    rt_self->stack_hi = rt_self->stack_lo + 8192;
    assert_int_equal(free_kind(local), KIND_INVALID_FREE);
    free(libc_block);
    heap_free(heap_find(block), 2);
}

static void alignments_and_sizes(void **state)
{
    (void)state;
    runtime_begin(PLAN_HEAP);
    for (size_t alignment = 16; alignment <= 1 << 16; alignment *= 2)
        for (size_t size = 0; size < 3 << 20; size = size * 3 + 1) {
            char *block = heap_allocate(size, alignment, true, 1);
            assert_int_equal((uintptr_t)block % alignment, 0);
            for (size_t i = 0; i < size; i += 499)
                assert_int_equal(block[i], 0);
            memset(block, 0xa5, size);
            assert_int_equal(heap_find(block)->size, size);
            assert_int_equal(access_kind(block + size, 1, ACCESS_READ), KIND_OUT_OF_BLOCK);
            heap_free(heap_find(block), 2);
        }
    assert_null(heap_allocate(SIZE_MAX, 16, false, 1));
    assert_null(heap_allocate(PTRDIFF_MAX, 16, false, 1));
    assert_null(heap_allocate((size_t)1 << 50, 16, false, 1));
}

static void big_blocks_grow_in_place(void **state)
{
    (void)state;
    runtime_begin(PLAN_HEAP);
    size_t size = 2 << 20;
    char *block = heap_allocate(size, 16, false, 1);
    block[0] = 1;
    block[size - 1] = 2;
    char *grown = heap_resize(heap_find(block), 2 * size + 3, 1);
    assert_non_null(grown);
    assert_int_equal(grown[0], 1);
    assert_int_equal(grown[size - 1], 2);
    assert_int_equal(heap_find(grown)->size, 2 * size + 3);
    assert_int_equal(access_kind(grown + size, 8, ACCESS_WRITE), KIND_NONE);
    assert_int_equal(access_kind(grown + 2 * size + 3, 1, ACCESS_WRITE), KIND_OUT_OF_BLOCK);
    assert_null(heap_resize(heap_find(grown), 100, 1)); /* the caller moves it */
    heap_free(heap_find(grown), 2);
}

/* Blocks that leave quarantine are used again, and nothing of their past is left. */
static void quarantine_is_bounded(void **state)
{
    (void)state;
    struct task *main_task = runtime_begin(PLAN_HEAP | PLAN_RACES);
    struct task *other = runtime_task(main_task);
    blocks_made = FIRST_BLOCKS; /* from here on all have the same red zone */
    char *first = heap_allocate(1000, 16, false, 1);
    runtime_access(main_task, 5, first, 8, ACCESS_WRITE);
    heap_free(heap_find(first), 2);
    bool again = false;
    for (unsigned i = 0; i < 2 * QUARANTINE_BLOCKS && !again; i++) {
        char *block = heap_allocate(1000, 16, false, 1);
        again = block == first;
        if (!again)
            heap_free(heap_find(block), 2);
    }
    assert_true(again);
    assert_true(quarantine.bytes <= QUARANTINE_BYTES && quarantine.count <= QUARANTINE_BLOCKS);
    runtime_access(other, 6, first, 8, ACCESS_WRITE);
    assert_int_equal(finding_count, 0);
    rt_self = main_task;
    heap_free(heap_find(first), 2);
}

int main(void)
{
    shadow_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_is_exact),   cmocka_unit_test(the_first_wrong_byte_is_named),
        cmocka_unit_test(freed_memory_is_known), cmocka_unit_test(wrong_pointers_are_refused_only_if_certain),
        cmocka_unit_test(alignments_and_sizes),  cmocka_unit_test(big_blocks_grow_in_place),
        cmocka_unit_test(quarantine_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
