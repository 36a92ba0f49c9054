/* SPDX-License-Identifier: MIT
 *
 * memo_import_test.c - every defect of an exported memo is refused with its sentence, and nothing is stored.
 */
#include "fixture/memo.h"

/* ---- import refuses ------------------------------------------------------------------------------------------------------ */

#define HEAD                                                                                                           \
    "{\"format\": \"raddle memo\", \"version\": 1, \"origin\": \"0123456789abcdef\", \"merged\": [], \"programs\": ["
#define BUILDS "{\"name\": \"bank\", \"builds\": [{\"name\": \"b1\", \"first_seen\": 1, \"last_seen\": 2}], "
#define EMPTY  "\"instances\": [], \"runs\": [], \"failures\": []}]}"
#define SITE                                                                                                           \
    "{\"text\": \"p!f@a.c:1#1\", \"hint\": \"0000000000000001\", \"first_build\": \"b1\", \"last_build\": \"b1\"}"
#define COUNTS                                                                                                         \
    "\"covered\": 1, \"exposed\": 0, \"attempts\": 0, \"failed\": 0, \"predicted\": true, \"verdict\": null, "
#define INSTANCE "{\"family\": \"idiom.1\", \"text\": \"idiom.1 a:R(x)@p!f@a.c:1#1 << b:W(x)@p!f@a.c:2#1\", " COUNTS
#define REST     "\"runs\": [], \"failures\": []}]}"

static void import_refuses_every_defect(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } defects[] = {
        {"", "not JSON"},
        {"{\"format\": \"raddle memo\", \"format\": 1}", "not JSON: duplicate"},
        {"[]", "is not a memo"},
        {"{\"format\": \"raddle\", \"version\": 1}", "is not a memo"},
        {"{\"format\": \"raddle memo\", \"version\": 2}", "has version 2"},
        {"{\"format\": \"raddle memo\", \"version\": 1, \"origin\": \"x\"}", "origin"},
        {"{\"format\": \"raddle memo\", \"version\": 1, \"origin\": \"0123456789abcdef\"}", "and nothing else"},
        {"{\"format\": \"raddle memo\", \"version\": 1, \"origin\": \"0123456789abcdef\", \"merged\": [1], "
         "\"programs\": []}",
         "merged"},
        {HEAD "1]}", "programs[0]: this must be an object"},
        {HEAD "{}]}", "programs[0]: this member is missing: name"},
        {HEAD "{\"name\": \"\"}]}", "must not be empty"},
        {HEAD "{\"name\": \"bank\"}]}", "members"},
        {HEAD "{\"name\": \"bank\", \"builds\": 1, \"sites\": [], " EMPTY, "bank: builds: this list is missing"},
        {HEAD BUILDS "\"sites\": [], \"more\": 1, " EMPTY, "members"},
        {HEAD "{\"name\": \"bank\", \"builds\": [{\"name\": \"b\", \"first_seen\": 3, \"last_seen\": 2}], \"sites\": "
              "[], " EMPTY,
         "first_seen is after last_seen"},
        {HEAD "{\"name\": \"bank\", \"builds\": [{\"name\": \"b\", \"first_seen\": -1, \"last_seen\": 2}], \"sites\": "
              "[], " EMPTY,
         "whole number from 0"},
        {HEAD "{\"name\": \"bank\", \"builds\": [{\"name\": \"b\", \"first_seen\": 1.5, \"last_seen\": 2}], \"sites\": "
              "[], " EMPTY,
         "whole number from 0"},
        {HEAD BUILDS "\"sites\": [" SITE ", " SITE "], " EMPTY, "sites[1]: this occurs twice"},
        {HEAD BUILDS "\"sites\": [{\"text\": \"p!f@a.c:1#1\", \"hint\": \"1\", \"first_build\": \"b1\", "
                     "\"last_build\": \"b1\"}], " EMPTY,
         "16 hexadecimal digits: hint"},
        {HEAD BUILDS "\"sites\": [{\"text\": \"a b\", \"hint\": \"0000000000000001\", \"first_build\": \"b1\", "
                     "\"last_build\": \"b1\"}], " EMPTY,
         "not a site"},
        {HEAD BUILDS "\"sites\": [{\"text\": \"a.c:01\", \"hint\": \"0000000000000001\", \"first_build\": \"b1\", "
                     "\"last_build\": \"b1\"}], " EMPTY,
         "differently"},
        {HEAD BUILDS "\"sites\": [{\"text\": \"a.c:1\", \"hint\": \"0000000000000001\", \"first_build\": \"b2\", "
                     "\"last_build\": \"b1\"}], " EMPTY,
         "not listed"},
        {HEAD BUILDS "\"sites\": [{\"text\": {\"hex\": \"6\"}, \"hint\": \"0000000000000001\", \"first_build\": "
                     "\"b2\", \"last_build\": \"b1\"}], " EMPTY,
         "pairs of hexadecimal"},
        {HEAD BUILDS "\"sites\": [{\"text\": {\"hex\": \"6100\"}, \"hint\": \"0000000000000001\", \"first_build\": "
                     "\"b2\", \"last_build\": \"b1\"}], " EMPTY,
         "zero byte"},
        {HEAD BUILDS "\"sites\": [], \"instances\": [" INSTANCE "\"build\": \"b2\", \"seen\": 1}], " REST,
         "not listed"},
        {HEAD BUILDS "\"sites\": [], \"instances\": [" INSTANCE "\"build\": \"b1\", \"seen\": 1, \"x\": 1}], " REST,
         "members"},
        {HEAD BUILDS "\"sites\": [], \"instances\": [{\"family\": \"idiom.2\", \"text\": \"idiom.1 a:R(x)@p!f@a.c:1#1 "
                     "<< b:W(x)@p!f@a.c:2#1\", " COUNTS "\"build\": \"b1\", \"seen\": 1}], " REST,
         "not of this family"},
        {HEAD BUILDS "\"sites\": [], \"instances\": [{\"family\": \"idiom.1\", \"text\": \"idiom.1 a:R(x)@p!f@a.c:1#1 "
                     "< b:W(x)@p!f@a.c:2#1\", " COUNTS "\"build\": \"b1\", \"seen\": 1}], " REST,
         "differently"},
        {HEAD BUILDS "\"sites\": [], \"instances\": [{\"family\": \"idiom.1\", \"text\": \"idiom.1 a:R(x) << "
                     "b:W(x)@p!f@a.c:2#1\", " COUNTS "\"build\": \"b1\", \"seen\": 1}], " REST,
         "each step must have a site"},
        {HEAD BUILDS "\"sites\": [], \"instances\": [{\"family\": \"idiom.1\", \"text\": \"nonsense\", " COUNTS
                     "\"build\": \"b1\", \"seen\": 1}], " REST,
         "not a pattern"},
        {HEAD BUILDS "\"sites\": [], \"instances\": [], \"runs\": [{\"id\": \"x\", \"build\": \"b1\", \"input\": "
                     "\"./a\", \"input_hash\": "
                     "\"0000000000000001\", \"began\": 1, \"seed\": \"1\", \"schedules\": 1, \"newly_covered\": 1, "
                     "\"seconds\": 1}], \"failures\": []}]}",
         "16 hexadecimal digits: id"},
        {HEAD BUILDS "\"sites\": [], \"instances\": [], \"runs\": [{\"id\": \"0000000000000001\", \"build\": \"b1\", "
                     "\"input\": \"./a\", \"input_hash\": "
                     "\"0000000000000001\", \"began\": 1, \"seed\": \"99999999999999999999\", \"schedules\": 1, "
                     "\"newly_covered\": 1, \"seconds\": 1}], \"failures\": []}]}",
         "decimal digits: seed"},
        {HEAD BUILDS "\"sites\": [], \"instances\": [], \"runs\": [{\"id\": \"0000000000000001\", \"build\": \"b1\", "
                     "\"input\": \"./a\", \"input_hash\": "
                     "\"0000000000000001\", \"began\": 1, \"seed\": \"9\", \"schedules\": 1, \"newly_covered\": 1, "
                     "\"seconds\": -1}], \"failures\": []}]}",
         "number from 0: seconds"},
        {HEAD BUILDS "\"sites\": [], " EMPTY ", ", "not JSON"},
    };
    memo_close(open_memo(path));
    char *before = export_text(path);
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++) {
        struct error error = {0};
        struct memo *memo = memo_open_all(path, MEMO_CHANGE, &error);
        assert_non_null(memo);
        assert_false(memo_import(memo, "test.json", defects[i].text, strlen(defects[i].text), MEMO_ADD, &error));
        if (strstr(error.text, defects[i].words) == NULL || strstr(error.text, "test.json") == NULL)
            fail_msg("defect %zu: '%s' does not say '%s'", i, error.text, defects[i].words);
        assert_int_equal(error.code, EXIT_USAGE);
        memo_close(memo);
    }
    char *after = export_text(path);
    assert_string_equal(before, after);
    free(before);
    free(after);
    import_text(
        path, HEAD BUILDS "\"sites\": [" SITE "], \"instances\": [" INSTANCE "\"build\": \"b1\", \"seen\": 1}], " REST,
        MEMO_ADD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(import_refuses_every_defect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
