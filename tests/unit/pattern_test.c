/* SPDX-License-Identifier: MIT
 *
 * pattern_test.c - the pattern language: reading, printing, families, sites, instances, locations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pattern/instance.h"
#include "trace/location.h"
#include "util/hash.h"

/* ---- round trips ------------------------------------------------------------------------------------------------- */

static void check_round_trip(const char *text, const char *expected)
{
    struct sites *sites = sites_new();
    struct pattern pattern, again;
    struct error error = {0};
    if (!pattern_parse(text, sites, &pattern, &error))
        fail_msg("%s: %s", text, error.text);
    struct buffer out = {0};
    pattern_print(&pattern, sites, SITE_FULL, &out);
    assert_string_equal(buffer_text(&out), expected);
    assert_true(pattern_parse(buffer_text(&out), sites, &again, &error));
    assert_true(pattern_equal(&pattern, &again));
    buffer_free(&out);
    sites_free(sites);
}

static void prints_what_it_reads(void **state)
{
    (void)state;
    static const char *const same[] = {
        "a:R(x)@bank.c:18 < b:W(x)@bank.c:25 < a:W(x)@bank.c:19",
        "a:R(x) << b:W(x)",
        "a:W(x)@f.c:1 | b:W(y)@f.c:2 << b:R(x)@f.c:3 | a:R(y)@f.c:4",
        "map.7 a:R(x)@bank.c:18:7 << b:W(x)@bank.c:25 << a:W(x)@bank.c:19#2",
        "a:R(v)@libbank.so!withdraw@src/bank.c:18:7#3~1f3a*4 << b:W(v) <<[100] a:*(v)",
        "a:unlock(lock) << b:lock(lock) <[7] b:W(table.head) <<[9] a:R(table.head)",
        "a:free(x)@bank!main+0x1c << b:U(x)@bank!+0x11c9",
        "a:rdlock(x) < b:destroy(x)@\"a file.c\":3",
        "a:R(x)@\"bank::add(int, char*)\"@bank.cc:3 < b:W(x)@\"odd \\\"name\\\\.c\":9",
        "idiom.5 a:lock(x)@p.c:1 | b:lock(y)@p.c:2 << b:lock(x)@p.c:3 | a:lock(y)@p.c:4",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        check_round_trip(same[i], same[i]);
    /* what is written in another way */
    check_round_trip("  b:R(p)<a:W(p)  ", "a:R(p) < b:W(p)");
    check_round_trip("map.7 a:R(x) < b:W(x) < a:W(x)", "map.7 a:R(x) << b:W(x) << a:W(x)");
    check_round_trip("asset.6 a:W(x) < b:W(y) < b:W(x) < a:W(y)", "asset.6 a:W(x) < b:W(y) < b:W(x) < a:W(y)");
    check_round_trip("a:R(x)@f.c:1~00ff < b:W(x)", "a:R(x)@f.c:1~ff < b:W(x)");
}

static const char *const odd_names[] = {"bank.c",       "src/a-b.c", "a b.c", "x\"y\\z",
                                        "f(int, char)", "bank::add", "$x",    "<>|~*!@#"};

static const char *random_name(struct generator *random)
{
    return odd_names[generator_below(random, sizeof odd_names / sizeof *odd_names)];
}

static uint32_t random_site(struct generator *random, struct sites *sites)
{
    struct site_key key = {0};
    if (generator_below(random, 4) == 0)
        return SITE_ANY;
    if (generator_below(random, 2))
        key.module = random_name(random);
    if (generator_below(random, 2))
        key.function = random_name(random);
    if (generator_below(random, 4) == 0) {
        key.by_offset = true;
        key.offset = generator_next(random) >> generator_below(random, 64);
    } else {
        key.file = random_name(random);
        key.line = 1 + (uint32_t)generator_below(random, UINT32_MAX);
        key.column = (uint32_t)generator_below(random, 3);
    }
    key.ordinal = (uint32_t)generator_below(random, 3);
    return sites_add(sites, &key);
}

/* Any pattern that obeys the rules. */
static void random_pattern(struct generator *random, struct sites *sites, struct pattern *pattern)
{
    struct error error;
    do {
        *pattern = (struct pattern){.count = 2 + (unsigned)generator_below(random, 3)};
        bool swapped = generator_below(random, 2);
        unsigned variables = 0;
        for (unsigned i = 0; i < pattern->count; i++) {
            struct pattern_step *step = &pattern->steps[i];
            const struct pattern_step *before = i > 0 ? step - 1 : NULL;
            bool joined = before != NULL && generator_below(random, 3) == 0;
            step->thread = i > 0 && generator_below(random, 2);
            step->variable = variables > 0 && generator_below(random, 2);
            variables = variables > step->variable ? variables : (unsigned)step->variable + 1;
            step->kind = (uint8_t)generator_below(random, ACCESS_KIND_COUNT);
            step->group = before == NULL ? 0 : (uint8_t)(before->group + !joined);
            step->relation = joined ? before->relation : i > 0 && generator_below(random, 2);
            step->window = joined                                     ? before->window
                           : i > 0 && generator_below(random, 3) == 0 ? 1 + (uint32_t)generator_below(random, 500)
                                                                      : 0;
            step->site = random_site(random, sites);
            step->occurrence = generator_below(random, 3) ? 0 : 1 + (uint32_t)generator_below(random, 9);
            step->context = generator_below(random, 3) ? 0 : generator_next(random) | 1;
        }
        snprintf(pattern->variables[0], PATTERN_NAME, "%s", swapped ? "head->next[3]" : "x");
        if (variables > 1)
            snprintf(pattern->variables[1], PATTERN_NAME, "%s", swapped ? "tail" : "y");
    } while (!pattern_check(pattern, &error));
}

static void any_pattern_survives_a_round_trip(void **state)
{
    (void)state;
    struct generator random = {42};
    for (unsigned i = 0; i < 20000; i++) {
        struct sites *sites = sites_new();
        struct pattern pattern, again;
        struct error error = {0};
        struct buffer first = {0};
        struct buffer second = {0};
        random_pattern(&random, sites, &pattern);
        pattern_print(&pattern, sites, SITE_FULL, &first);
        size_t count = sites_count(sites);
        if (!pattern_parse(buffer_text(&first), sites, &again, &error))
            fail_msg("%s: %s", buffer_text(&first), error.text);
        pattern_print(&again, sites, SITE_FULL, &second);
        assert_string_equal(buffer_text(&first), buffer_text(&second));
        assert_true(pattern_equal(&pattern, &again));
        assert_string_equal(pattern.variables[0], again.variables[0]);
        assert_int_equal(sites_count(sites), count); /* no site was read as another one */
        buffer_free(&first);
        buffer_free(&second);
        sites_free(sites);
    }
}

/* Whatever the text: no crash, and either a pattern or an error. */
static void garbage_is_refused(void **state)
{
    (void)state;
    static const char alphabet[] = "ab:RWU(xy)@<|[]1~*# \"\\.!+0lock,";
    struct generator random = {7};
    unsigned patterns = 0;
    for (unsigned i = 0; i < 200000; i++) {
        char text[48] = "";
        size_t length = generator_below(&random, sizeof text);
        snprintf(text, sizeof text, "%s", generator_below(&random, 2) ? "a:R(x)@f.c:1 < b:W(x)@f.c:2" : "");
        for (size_t k = generator_below(&random, 30); k < length; k++)
            text[k] = alphabet[generator_below(&random, sizeof alphabet - 1)];
        struct sites *sites = sites_new();
        struct pattern pattern;
        struct error error = {0};
        bool good = pattern_parse(text, sites, &pattern, &error);
        patterns += good;
        assert_true(good ? error.code == 0 : error.code == EXIT_USAGE && error.text[0] != '\0');
        sites_free(sites);
    }
    assert_true(patterns > 100);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static void each_defect_has_its_sentence(void **state)
{
    (void)state;
    static const char *const defects[][2] = {
        {"", "the pattern is empty"},
        {"  ", "the pattern is empty"},
        {"a:R(x)", "at least two steps"},
        {"a:R(x) <", "a step is expected"},
        {"a:R(x) < c:W(x)", "column 10: a step is expected"},
        {"c:R(x) < a:W(x)", "column 1: a step is expected"},
        {"a:Q(x) < b:W(x)", "column 3: an operation is expected"},
        {"a:(x) < b:W(x)", "column 3: an operation is expected"},
        {"a:R x < b:W(x)", "column 4: ( and a variable are expected"},
        {"a:R() < b:W(x)", "column 5: a variable is expected"},
        {"a:R(x < b:W(x)", ") is expected after the variable"},
        {"a:R(x) b:W(x)", "column 8: <, << or | is expected"},
        {"a:R(x) <<< b:W(x)", "column 10: a step is expected"},
        {"a:R(x) <[ b:W(x)", "a window from 1 is expected"},
        {"a:R(x) <[0] b:W(x)", "a window from 1 is expected"},
        {"a:R(x) <[5 b:W(x)", "] is expected after the window"},
        {"a:R(x) <[5] b:W(x)", "its thread has no earlier step"},
        {"a:R(x) <[99999999999] b:W(x)", "the number is too large"},
        {"a:R(x)@ < b:W(x)", "column 8: a site such as bank.c:18 is expected"},
        {"a:R(x)@bank.c < b:W(x)", "a line is expected after the file"},
        {"a:R(x)@bank.c: < b:W(x)", "a line number from 1 is expected"},
        {"a:R(x)@bank.c:0 < b:W(x)", "a line number from 1 is expected"},
        {"a:R(x)@bank.c:18: < b:W(x)", "a column number from 1 is expected"},
        {"a:R(x)@bank.c:18#0 < b:W(x)", "an ordinal from 1 is expected"},
        {"a:R(x)@!f.c:1 < b:W(x)", "a module is expected before !"},
        {"a:R(x)@m!@f.c:1 < b:W(x)", "a function is expected before @"},
        {"a:R(x)@main+1c < b:W(x)", "an offset such as 0x1c is expected"},
        {"a:R(x)@main+0x11112222333344445 < b:W(x)", "the offset is too large"},
        {"a:R(x)@\"f.c:1 < b:W(x)", "the quoted name has no end"},
        {"a:R(x)@\"\":1 < b:W(x)", "the name in quotes is empty"},
        {"a:R(x)~ < b:W(x)", "a hexadecimal context is expected"},
        {"a:R(x)~11112222333344445 < b:W(x)", "a hexadecimal context is expected"},
        {"a:R(x)*0 < b:W(x)", "an occurrence from 1 is expected"},
        {"a:R(x) < b:W(y) < a:R(z)", "this is a third variable"},
        {"a:R(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx) < b:W(y)", "too long"},
        {"a:R(x) < b:W(x) < a:R(x) < b:R(x) < a:R(x)", "this would be a fifth step"},
        {"a:R(x) < a:W(x)", "all steps are of one thread"},
        {"a:R(x) << b:W(y)", "there is no earlier step of the other thread on y"},
        {"a:R(x) < b:W(y) << b:R(y)", "there is no earlier step of the other thread on y"},
        {"a:R(x) | a:W(y) < b:R(x)", "steps 1 and 2 are of one thread"},
        {"map.18 a:R(x) < b:W(x)", "\"map.18\" is no family"},
        {"map.7 a:R(x) < b:W(x)", "this is no map.7: the steps of map.7 are a:R(x) << b:W(x) << a:W(x)"},
        {"map.7 a:R(x) < b:W(x) < a:R(x)", "this is no map.7"},
        {"a:R(x) < b:W(x) trailing", "<, << or | is expected"},
    };
    for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
        struct sites *sites = sites_new();
        struct pattern pattern;
        struct error error = {0};
        if (pattern_parse(defects[i][0], sites, &pattern, &error))
            fail_msg("%s was accepted", defects[i][0]);
        if (strstr(error.text, defects[i][1]) == NULL)
            fail_msg("%s: \"%s\" does not say \"%s\"", defects[i][0], error.text, defects[i][1]);
        assert_int_equal(error.code, EXIT_USAGE);
        sites_free(sites);
    }
}

/* ---- families ---------------------------------------------------------------------------------------------------- */

static unsigned rows_in(family_mask mask)
{
    return (unsigned)__builtin_popcountll(mask);
}

static void the_table_is_sound(void **state)
{
    (void)state;
    struct error error;
    for (unsigned row = 0; row < family_count; row++) {
        struct buffer out = {0};
        struct pattern shape = *family_shape(row);
        assert_ptr_equal(shape.family, &families[row]);
        shape.family = NULL;
        pattern_print(&shape, NULL, SITE_FULL, &out);
        assert_string_equal(buffer_text(&out), families[row].shape);
        assert_true(pattern_check(&shape, &error));
        assert_true(shape.steps[0].thread == 0 && shape.steps[0].variable == 0);
        for (unsigned other = 0; other < row; other++) /* names of one family stay together */
            if (strcmp(families[other].name, families[row].name) == 0)
                assert_string_equal(families[row - 1].name, families[row].name);
        buffer_free(&out);
    }
    assert_int_equal(rows_in(family_by_name("idiom", &error)), 6);
    assert_int_equal(rows_in(family_by_name("map", &error)), 17);
    assert_int_equal(rows_in(family_by_name("asset", &error)), 14);
    assert_int_equal(rows_in(family_by_name("asset.6", &error)), 2);
    assert_int_equal(rows_in(family_by_name("map.1", &error)), 1);
    assert_int_equal(rows_in(family_by_name("race,atom,idiom.1", &error)), 3);
    assert_int_equal(family_by_name("mapp", &error), 0);
    assert_int_equal(family_by_name("map,", &error), 0);
    assert_non_null(strstr(error.text, "is no family of patterns"));
}

/* Table 1 of "Achieving High MAP-Coverage through Pattern Constraint Reduction", row by row: thread, kind, variable of each step. */
static void the_maps_are_those_of_the_paper(void **state)
{
    (void)state;
    static const char *const table[17] = {
        "aRx bWx",         "aWx bRx",         "aWx bWx",         "aRx bWx aRx",     "aWx bWx aRx",
        "aWx bRx aWx",     "aRx bWx aWx",     "aWx bWx aWx",     "aWx bWx bWy aWy", "aWx bWy bWx aWy",
        "aWx bWy aWy bWx", "aWx bRx bRy aWy", "aWx bRy bRx aWy", "aRx bWx bWy aRy", "aRx bWy bWx aRy",
        "aRx bWy aRy bWx", "aWx bRy aWy bRx",
    };
    for (unsigned i = 0; i < 17; i++) {
        char name[16], steps[32] = "";
        struct error error;
        snprintf(name, sizeof name, "map.%u", i + 1);
        family_mask rows = family_by_name(name, &error);
        assert_int_equal(rows_in(rows), 1);
        unsigned row = (unsigned)__builtin_ctzll(rows);
        const struct pattern *shape = family_shape(row);
        for (unsigned k = 0; k < shape->count; k++) {
            const struct pattern_step *step = &shape->steps[k];
            assert_int_equal(step->group, k); /* one after the other */
            snprintf(steps + strlen(steps), sizeof steps - strlen(steps), "%s%c%s%c", k > 0 ? " " : "",
                     "ab"[step->thread], access_kind_name((enum access_kind)step->kind), "xy"[step->variable]);
        }
        assert_string_equal(steps, table[i]);
        assert_true(families[row].flags & FAMILY_ESTIMATED);
    }
}

/* Executions are labelled with units of work for these rows, and for no others. */
static void rows_about_atomic_sets_need_labels(void **state)
{
    (void)state;
    struct error error;
    assert_false(family_needs_units(family_by_name("idiom,race,atom,map", &error)));
    assert_true(family_needs_units(family_by_name("idiom,asset.6", &error)));
    assert_int_equal(family_by_name("mapp", &error), 0);
    assert_non_null(strstr(error.text, "is no family of patterns"));
}

/* ---- sites ------------------------------------------------------------------------------------------------------- */

/* A user has written down an instruction before any was seen. */
static void sites_that_are_written_first(void **state)
{
    (void)state;
    struct sites *sites = sites_new();
    struct site_key key = {
        .module = "bank", .function = "add", .file = "bank.c", .line = 18, .column = 7, .ordinal = 2};
    uint32_t written = sites_add(sites, &key);
    key.ordinal = 0;
    key.hint = 0x100;
    uint32_t first = sites_add_instruction(sites, &key);
    assert_int_not_equal(first, written);
    assert_int_equal(sites_get(sites, first)->ordinal, 1);
    key.hint = 0x110;
    assert_int_equal(sites_add_instruction(sites, &key), written); /* the second one is the one that was meant */
    assert_int_equal(sites_get(sites, written)->hint, 0x110);
    key.hint = 0x120;
    assert_int_equal(sites_get(sites, sites_add_instruction(sites, &key))->ordinal, 3);
    key.hint = 0x110;
    assert_int_equal(sites_add_instruction(sites, &key), written);
    sites_free(sites);
}

static void sites_keep_their_numbers(void **state)
{
    (void)state;
    struct sites *sites = sites_new();
    struct site_key key = {.module = "bank", .function = "add", .file = "bank.c", .line = 18, .column = 7};
    uint32_t plain = sites_add(sites, &key);
    assert_int_equal(sites_add(sites, &key), plain);
    /* three instructions at one place, known by their addresses */
    key.hint = 0x100;
    uint32_t first = sites_add_instruction(sites, &key);
    key.hint = 0x110;
    uint32_t second = sites_add_instruction(sites, &key);
    assert_int_equal(sites_get(sites, first)->ordinal, 1);
    assert_int_equal(sites_get(sites, second)->ordinal, 2);
    key.hint = 0x100;
    assert_int_equal(sites_add_instruction(sites, &key), first);
    /* the same by name, from a table that was kept */
    key.hint = 0x999;
    key.ordinal = 2;
    assert_int_equal(sites_add(sites, &key), second);
    assert_int_equal(sites_get(sites, SITE_ANY)->line, 0);
    assert_int_equal(sites_count(sites), 3);
    for (unsigned i = 0; i < 1000; i++) {
        key.line = 100 + i;
        assert_int_equal(sites_add(sites, &key), 4 + i);
    }
    sites_free(sites);
}

static void sites_come_from_symbols(void **state)
{
    (void)state;
    struct sites *sites = sites_new();
    struct site site = {.function = "add",
                        .file = "src/bank.c",
                        .module = "bank",
                        .where = "bank.c:18",
                        .exact = "bank.c:18:7",
                        .line = 18,
                        .column = 7};
    uint32_t here = sites_add_symbol(sites, &site, 0x555555555123, 0x555555554000);
    assert_int_equal(sites_add_symbol(sites, &site, 0x7ffff7001123, 0x7ffff7000000), here); /* loaded elsewhere */
    assert_int_not_equal(sites_add_symbol(sites, &site, 0x7ffff7001125, 0x7ffff7000000), here);
    struct site bare = {.function = "add", .file = "", .module = "bank", .where = "add+0x1c", .exact = "add+0x1c"};
    uint32_t stripped = sites_add_symbol(sites, &bare, 0x555555555123, 0x555555554000);
    struct buffer out = {0};
    sites_print(sites, here, SITE_SHORT, &out);
    buffer_add_char(&out, ' ');
    sites_print(sites, here, SITE_FULL, &out);
    buffer_add_char(&out, ' ');
    sites_print(sites, stripped, SITE_SHORT, &out);
    assert_string_equal(buffer_text(&out), "src/bank.c:18 bank!add@src/bank.c:18:7#1 add+0x1c");
    buffer_free(&out);
    sites_free(sites);
}

static uint32_t site_of(struct sites *sites, const char *text)
{
    struct error error;
    size_t length;
    uint32_t site = sites_parse(sites, text, 1, &length, &error);
    assert_int_not_equal(site, SITE_ANY);
    assert_int_equal(length, strlen(text));
    return site;
}

static void short_sites_match_full_ones(void **state)
{
    (void)state;
    struct sites *sites = sites_new();
    uint32_t full = site_of(sites, "bank!add@src/bank.c:18:7#2");
    static const char *const matching[] = {"bank.c:18", "src/bank.c:18:7", "add@bank.c:18", "bank!add@src/bank.c:18",
                                           "bank.c:18#2"};
    static const char *const others[] = {"ank.c:18",      "bank.c:19",   "bank.c:18:8", "sub@bank.c:18",
                                         "lib!bank.c:18", "bank.c:18#1", "add+0x1"};
    for (size_t i = 0; i < sizeof matching / sizeof *matching; i++)
        assert_true(sites_matches(sites, site_of(sites, matching[i]), full));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(sites_matches(sites, site_of(sites, others[i]), full));
    assert_true(sites_matches(sites, SITE_ANY, full));
    sites_free(sites);
}

/* ---- instances --------------------------------------------------------------------------------------------------- */

static void one_instance_has_one_name(void **state)
{
    (void)state;
    struct error error;
    struct sites *sites = sites_new();
    for (uint32_t i = 1; i <= 4; i++)
        sites_add(sites, &(struct site_key){.file = "f.c", .line = 10 - i});
    uint8_t row = (uint8_t)__builtin_ctzll(family_by_name("idiom.5", &error));
    /* a:1(x) | b:2(y) << b:3(x) | a:4(y), and the same seen from b */
    struct instance one = {
        .row = row, .site = {1, 2, 3, 4}, .kind = {ACCESS_WRITE, ACCESS_READ, ACCESS_READ, ACCESS_WRITE}};
    struct instance other = {
        .row = row, .site = {2, 1, 4, 3}, .kind = {ACCESS_READ, ACCESS_WRITE, ACCESS_WRITE, ACCESS_READ}};
    struct buffer texts[2] = {{0}, {0}};
    instance_print(&one, sites, SITE_SHORT, &texts[0]);
    instance_print(&other, sites, SITE_SHORT, &texts[1]);
    assert_string_equal(buffer_text(&texts[0]), buffer_text(&texts[1]));
    uint8_t order[PATTERN_STEPS];
    instance_canonical(&other, order);
    assert_true(instance_equal(&one, &other));
    assert_int_equal(order[0], 1);
    struct instances set = {0};
    assert_true(instances_add(&set, &one, NULL));
    assert_false(instances_add(&set, &other, NULL));
    assert_true(instances_has(&set, &other));
    assert_int_equal(instances_count_of(&set, family_by_name("idiom", &error)), 1);
    assert_int_equal(instances_count_of(&set, family_by_name("map", &error)), 0);
    /* as a pattern, and back */
    struct pattern pattern = instance_pattern(&one), again;
    buffer_clear(&texts[0]);
    pattern_print(&pattern, sites, SITE_FULL, &texts[0]);
    assert_true(pattern_parse(buffer_text(&texts[0]), sites, &again, &error));
    assert_true(pattern_equal(&pattern, &again));
    instances_free(&set);
    buffer_free(&texts[0]);
    buffer_free(&texts[1]);
    sites_free(sites);
}

/* ---- locations --------------------------------------------------------------------------------------------------- */

enum { AREA = 3 * 4096, AREA_START = 0x7000 - 100 };

struct area {
    struct locations locations;
    uint32_t history[2 * AREA]; /* by location: hash of all touches */
    uint32_t bytes[AREA];       /* the same, by byte */
};

static void area_made(void *owner, uint32_t location)
{
    ((struct area *)owner)->history[location] = 0;
}

static void area_split(void *owner, uint32_t location, uint32_t upper)
{
    struct area *area = owner;
    area->history[upper] = area->history[location];
}

static void area_dropped(void *owner, uint32_t location)
{
    ((struct area *)owner)->history[location] = UINT32_MAX;
}

/* What is kept by location is what would be kept by byte. */
static void locations_stand_for_their_bytes(void **state)
{
    (void)state;
    struct area *area = calloc(1, sizeof *area);
    struct generator random = {3};
    location_list found = {0};
    locations_init(&area->locations, (struct location_owner){area_made, area_split, area_dropped, area});
    for (uint32_t i = 1; i < 20000; i++) {
        uint64_t size =
            generator_below(&random, 20) ? 1 + generator_below(&random, 16) : 1 + generator_below(&random, 6000);
        uint64_t lo = generator_below(&random, AREA - size);
        uint64_t start = AREA_START + lo;
        if (generator_below(&random, 50) == 0) {
            locations_drop(&area->locations, start, start + size);
            memset(area->bytes + lo, 0, size * sizeof *area->bytes);
            continue;
        }
        locations_touch(&area->locations, start, start + size, &found);
        uint64_t at = start;
        for (size_t k = 0; k < found.count; k++) {
            const struct location *location = &area->locations.all.data[found.data[k]];
            assert_int_equal(location->lo, at);
            for (; at < location->hi; at++)
                assert_int_equal(area->history[found.data[k]], area->bytes[at - AREA_START]);
            area->history[found.data[k]] = area->history[found.data[k]] * 31 + i;
        }
        assert_int_equal(at, start + size);
        for (uint64_t k = lo; k < lo + size; k++)
            area->bytes[k] = area->bytes[k] * 31 + i;
    }
    locations_find(&area->locations, 0, UINT64_MAX, &found);
    for (size_t k = 1; k < found.count; k++)
        assert_true(area->locations.all.data[found.data[k]].lo >= AREA_START);
    locations_drop(&area->locations, 0, UINT64_MAX);
    locations_find(&area->locations, AREA_START, AREA_START + AREA, &found);
    assert_int_equal(found.count, 0);
    vector_free(&found);
    locations_free(&area->locations);
    free(area);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_what_it_reads),
        cmocka_unit_test(any_pattern_survives_a_round_trip),
        cmocka_unit_test(garbage_is_refused),
        cmocka_unit_test(each_defect_has_its_sentence),
        cmocka_unit_test(the_table_is_sound),
        cmocka_unit_test(the_maps_are_those_of_the_paper),
        cmocka_unit_test(rows_about_atomic_sets_need_labels),
        cmocka_unit_test(sites_keep_their_numbers),
        cmocka_unit_test(sites_that_are_written_first),
        cmocka_unit_test(sites_come_from_symbols),
        cmocka_unit_test(short_sites_match_full_ones),
        cmocka_unit_test(one_instance_has_one_name),
        cmocka_unit_test(locations_stand_for_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
