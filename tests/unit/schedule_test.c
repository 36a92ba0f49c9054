/* SPDX-License-Identifier: MIT
 *
 * schedule_test.c - schedules as text: what is written is read back, and every defect has its sentence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "trace/schedule.h"
#include "util/hash.h"

#define HEAD "raddle schedule 1\nflags races heap\nmax-steps 100\n"

static void round_trip(void **state)
{
    (void)state;
    struct schedule written = {.flags = PLAN_RACES | PLAN_SPURIOUS | PLAN_THEN_RANDOM,
                               .max_steps = UINT64_MAX,
                               .seed = 0x123456789abcdef0,
                               .early_timeouts = 65536};
    struct generator generator = {7};
    for (int i = 0; i < 1000; i++) {
        struct wire_step step = {.type = generator_below(&generator, 3) ? STEP_RUN : STEP_CHOICE,
                                 .task = (uint16_t)generator_below(&generator, WIRE_TASKS),
                                 .until = generator_next(&generator) >> generator_below(&generator, 60)};
        step.value =
            step.type == STEP_RUN ? (uint32_t)generator_below(&generator, 2) : (uint32_t)generator_next(&generator);
        if (step.type == STEP_RUN && i % 10 == 0)
            step.until = UINT64_MAX;
        vector_push(&written.steps, step);
    }
    struct buffer text = {0};
    struct schedule got;
    struct error error;
    schedule_write(&written, "a comment", &text);
    assert_true(schedule_parse(&got, "file", text.data, text.size, &error));
    assert_int_equal(got.flags, written.flags);
    assert_true(got.max_steps == written.max_steps && got.seed == written.seed);
    assert_int_equal(got.early_timeouts, written.early_timeouts);
    assert_int_equal(got.steps.count, 1000);
    assert_memory_equal(got.steps.data, written.steps.data, 1000 * sizeof(struct wire_step));
    assert_true(schedule_hash(got.steps.data, 1000) == schedule_hash(written.steps.data, 1000));
    schedule_free(&got);
    schedule_free(&written);
    buffer_free(&text);
}

static void every_beginning_is_refused(void **state)
{
    (void)state;
    static const char whole[] = HEAD "# said by hand\nrun 0 17 preempted\nchoose 1 9 0\nrun 1 end\nsteps 3\n";
    struct schedule got;
    struct error error;
    assert_true(schedule_parse(&got, "file", whole, sizeof whole - 1, &error));
    assert_int_equal(schedule_preemptions(got.steps.data, got.steps.count), 1);
    schedule_free(&got);
    for (size_t size = 0; size < sizeof whole - 2; size++) {
        assert_false(schedule_parse(&got, "file", whole, size, &error));
        assert_int_equal(error.code, EXIT_USAGE);
        assert_non_null(strstr(error.text, "file"));
    }
}

static void each_defect_has_its_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } defects[] = {
        {"", "is not a schedule"},
        {"\0\0\0\0", "is not a schedule"},
        {"{\"json\": 1}\n", "is not a schedule"},
        {"raddle schedule\nsteps 0\n", "version of the format is missing"},
        {"raddle schedule 2\nsteps 0\n", "has version 2"},
        {"raddle schedule 99999999999999999999\nsteps 0\n", "version"},
        {HEAD "run 0 1\n", "is truncated"},
        {HEAD "run 0 1\nsteps 1", NULL},
        {HEAD "run 0 1\nste", "is truncated"},
        {HEAD "run 0 1\nsteps 2\n", "there should be 2 steps but there are 1"},
        {HEAD "run 0 1\nsteps 1\nrun 0 2\n", "something follows"},
        {HEAD "run 4096 1\nsteps 1\n", "file:4: "},
        {HEAD "run -1 1\nsteps 1\n", "file:4: "},
        {HEAD "run 0 18446744073709551616\nsteps 1\n", "file:4: "},
        {HEAD "run 0 1 soon\nsteps 1\n", "file:4: "},
        {HEAD "run 0\nsteps 1\n", "file:4: "},
        {HEAD "choose 0 1\nsteps 1\n", "file:4: "},
        {HEAD "choose 0 1 4294967296\nsteps 1\n", "file:4: "},
        {HEAD "flags wrong\nsteps 0\n", "unknown flag"},
        {HEAD "max-steps many\nsteps 0\n", "file:4: "},
        {HEAD "early-timeouts 65537\nsteps 0\n", "file:4: "},
        {HEAD "dance 0\nsteps 0\n", "file:4: "},
        {HEAD "\r\n  \nsteps 0\n", "file:5: "},
    };
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++) {
        struct schedule got;
        struct error error = {0};
        bool good = schedule_parse(&got, "file", defects[i].text, strlen(defects[i].text), &error);
        assert_int_equal(good, defects[i].sentence == NULL);
        if (good)
            schedule_free(&got);
        else if (strstr(error.text, defects[i].sentence) == NULL)
            fail_msg("'%s' does not say '%s'", error.text, defects[i].sentence);
    }
}

static void lines_of_windows_and_comments(void **state)
{
    (void)state;
    static const char text[] = "# first\r\nraddle schedule 1\r\n\r\nrun 0 5\r\n# between\r\nsteps 1\r\n\r\n";
    struct schedule got;
    struct error error;
    assert_true(schedule_parse(&got, "file", text, sizeof text - 1, &error));
    assert_int_equal(got.steps.data[0].until, 5);
    schedule_free(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(every_beginning_is_refused),
        cmocka_unit_test(each_defect_has_its_sentence),
        cmocka_unit_test(lines_of_windows_and_comments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
