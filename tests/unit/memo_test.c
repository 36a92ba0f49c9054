/* SPDX-License-Identifier: MIT
 *
 * memo_test.c - what is stored is found again, by addition, whatever happens to the writers; and every file that is not
 * right is refused with its sentence and left as it is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memo/memo.h"
#include "memo/memo_private.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/hash.h"
#include "util/memory.h"

static char directory[64];
static char *path, *other;

static int setup(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/raddle-memo-XXXXXX");
    assert_non_null(mkdtemp(directory));
    path = file_join(directory, "memo.db");
    other = file_join(directory, "other.db");
    memo_set_patience(10000);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    chmod(directory, 0777);
    assert_true(file_remove_tree(directory));
    free(path);
    free(other);
    return 0;
}

/* ---- helpers ------------------------------------------------------------------------------------------------------- */

static struct memo *open_build(const char *where, const char *build)
{
    struct error error = {0};
    struct memo *memo = memo_open(where, "bank", build, &error);
    if (memo == NULL)
        fail_msg("%s", error.text);
    return memo;
}

static struct memo *open_memo(const char *where)
{
    return open_build(where, "b1");
}

static char *instance_text(unsigned number)
{
    return memory_format("idiom.1 a:R(x)@bank!withdraw@src/bank.c:%u:7#1 << b:W(x)@bank!deposit@src/bank.c:%u#2",
                         number % 7 + 1, number + 1);
}

static void store_one(struct memo *memo, struct memo_instance instance)
{
    struct error error = {0};
    if (!memo_store(memo, &instance, 1, &error))
        fail_msg("%s", error.text);
}

static struct memo_instance find(struct memo *memo, const char *text)
{
    struct error error = {0};
    struct memo_instance found;
    assert_true(memo_find(memo, "idiom.1", text, &found, &error));
    return found;
}

static char *export_text(const char *where)
{
    struct error error = {0};
    struct buffer text = {0};
    struct memo *memo = memo_open_all(where, MEMO_READ, &error);
    if (memo == NULL || !memo_export(memo, &text, &error))
        fail_msg("%s", error.text);
    memo_close(memo);
    return buffer_take(&text);
}

static void import_text(const char *where, const char *text, enum memo_sum sum)
{
    struct error error = {0};
    struct memo *memo = memo_open_all(where, MEMO_CREATE, &error);
    if (memo == NULL || !memo_import(memo, "test.json", text, strlen(text), sum, &error))
        fail_msg("%s", error.text);
    memo_close(memo);
}

static uint64_t hash_of_file(const char *where)
{
    struct buffer bytes = {0};
    struct error error;
    assert_true(file_read(where, 1 << 28, &bytes, &error));
    uint64_t hash = hash_bytes(bytes.data != NULL ? bytes.data : "", bytes.size, 0);
    buffer_free(&bytes);
    return hash;
}

/* Plain SQL on a file, as somebody else would do it. */
static void execute(const char *where, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(where, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* The file must be refused with a sentence that has the words in it, and be the same afterwards. */
static void refuses(const char *where, const char *words)
{
    struct error error = {0};
    uint64_t before = hash_of_file(where);
    struct memo *memo = memo_open(where, "bank", "b1", &error);
    assert_null(memo);
    if (strstr(error.text, words) == NULL || strstr(error.text, where) == NULL || strchr(error.text, '\n') != NULL)
        fail_msg("'%s' does not say '%s'", error.text, words);
    assert_int_equal(error.code, EXIT_USAGE);
    assert_true(hash_of_file(where) == before);
}

/* ---- storing ------------------------------------------------------------------------------------------------------- */

static void counts_are_added(void **state)
{
    (void)state;
    struct memo *memo = open_memo(path);
    char *text = instance_text(3);
    assert_null(find(memo, text).text);
    store_one(memo, (struct memo_instance){.family = "idiom.1", .text = text, .predicted = true});
    store_one(memo, (struct memo_instance){
                        .family = "idiom.1", .text = text, .attempts = 2, .failed = 2, .verdict = "blocked by a lock"});
    struct memo_instance found = find(memo, text);
    assert_string_equal(found.text, text);
    assert_string_equal(found.verdict, "blocked by a lock");
    assert_string_equal(found.build, "b1");
    assert_true(found.predicted && found.attempts == 2 && found.failed == 2 && found.covered == 0);
    assert_int_equal(memo_state_of(&found, 3), MEMO_OPEN);
    assert_int_equal(memo_state_of(&found, 2), MEMO_GIVEN_UP);
    memo_close(memo);

    memo = open_build(path, "b2");
    store_one(memo,
              (struct memo_instance){.family = "idiom.1", .text = text, .covered = 5, .exposed = 1, .attempts = 1});
    found = find(memo, text);
    assert_true(found.predicted && found.attempts == 3 && found.failed == 2 && found.covered == 5 &&
                found.exposed == 1);
    assert_string_equal(found.verdict, "blocked by a lock");
    assert_string_equal(found.build, "b2");
    assert_int_equal(memo_state_of(&found, 1), MEMO_COVERED);
    memo_close(memo);
    free(text);
}

static bool add_covered(const struct memo_instance *instance, void *context)
{
    *(uint64_t *)context += instance->covered;
    return true;
}

static bool stop_at_once(const struct memo_instance *instance, void *context)
{
    (void)instance;
    ++*(uint64_t *)context;
    return false;
}

static void programs_do_not_mix(void **state)
{
    (void)state;
    struct error error;
    char *text = instance_text(1);
    struct memo *bank = open_memo(path), *shop = memo_open(path, "shop", "b1", &error);
    assert_non_null(shop);
    store_one(bank, (struct memo_instance){.family = "idiom.1", .text = text, .covered = 1});
    assert_null(find(shop, text).text);
    store_one(shop, (struct memo_instance){.family = "idiom.1", .text = text, .covered = 10});
    uint64_t sum = 0, visits = 0;
    assert_true(memo_each_instance(bank, add_covered, &sum, &error));
    assert_int_equal(sum, 1);
    assert_true(memo_each_instance(shop, stop_at_once, &visits, &error));
    assert_int_equal(visits, 1);
    memo_close(bank);
    memo_close(shop);
    free(text);
}

static void the_largest_count_stays(void **state)
{
    (void)state;
    struct memo *memo = open_memo(path);
    char *text = instance_text(1);
    for (int i = 0; i < 3; i++)
        store_one(memo, (struct memo_instance){.family = "idiom.1", .text = text, .covered = UINT64_MAX - 1});
    assert_true(find(memo, text).covered == INT64_MAX);
    memo_close(memo);
    free(text);
}

static void odd_texts_come_back(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "map.7 a:R(x)@\"a b)@c\"!f@\"x y.c\":3 << b:W(x)@\"\\\"q\\\\\":2~1f3a << a:W(x)@+0x1c*3",
        "idiom.4 a:R(x)@p!f@a.c:1#1 << b:W(x)@p!g@a.c:2#1 < b:W(y)@p!g@a.c:3#1 << a:R(y)@p!f@a.c:4#1",
        "race a:W(x)@\xff\xfe.c:1 << b:W(x)@\xc3\xa9.c:2",
    };
    struct memo *memo = open_memo(path);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        store_one(memo, (struct memo_instance){.family = "idiom.1", .text = texts[i], .covered = i + 1});
        struct memo_instance found = find(memo, texts[i]);
        assert_non_null(found.text);
        assert_string_equal(found.text, texts[i]);
        assert_int_equal(found.covered, i + 1);
    }
    static const char *const bad[] = {"", "idiom.1 a:R(x) << b:W(x)", "a:R(x)@", "f a:R(x)@ << b:W(x)@b.c:1",
                                      "a:R(x)@a.c:1 < a:R(x)@a.c:1 < a:R(x)@a.c:1 < a:R(x)@a.c:1 < a:R(x)@a.c:1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct error error = {0};
        struct memo_instance list[2] = {{.family = "idiom.1", .text = texts[0], .covered = 100},
                                        {.family = "idiom.1", .text = bad[i]}};
        assert_false(memo_store(memo, list, 2, &error));
        assert_non_null(strstr(error.text, "no instance"));
        assert_int_equal(find(memo, texts[0]).covered, 1); /* nothing of it was stored */
    }
    memo_close(memo);
}

/* ---- sites, runs, failures ------------------------------------------------------------------------------------------- */

struct seen_sites {
    unsigned count;
    char first[8][16], last[8][16];
    uint64_t hint[8];
};

static bool see_site(const struct memo_site *site, void *context)
{
    struct seen_sites *seen = context;
    snprintf(seen->first[seen->count], sizeof seen->first[0], "%s", site->first_build);
    snprintf(seen->last[seen->count], sizeof seen->last[0], "%s", site->last_build);
    seen->hint[seen->count++] = site->hint;
    return true;
}

static void sites_know_their_builds(void **state)
{
    (void)state;
    struct error error;
    struct memo_site sites[] = {{.text = "bank!f@a.c:1#1", .hint = 0x100}, {.text = "bank!f@a.c:2#1", .hint = 0x200}};
    struct memo *memo = open_build(path, "b1");
    assert_true(memo_store_sites(memo, sites, 2, &error));
    memo_close(memo);
    execute(path, "UPDATE build SET first_seen = 1000, last_seen = 1000");
    memo = open_build(path, "b2");
    sites[0].hint = 0x180;
    sites[1] = (struct memo_site){.text = "bank!f@a.c:3#1"};
    assert_true(memo_store_sites(memo, sites, 2, &error));
    struct seen_sites seen = {0};
    assert_true(memo_each_site(memo, see_site, &seen, &error));
    assert_int_equal(seen.count, 3);
    assert_string_equal(seen.first[0], "b1");
    assert_string_equal(seen.last[0], "b2");
    assert_int_equal(seen.hint[0], 0x180);
    assert_string_equal(seen.last[1], "b1");
    assert_int_equal(seen.hint[1], 0x200);
    assert_string_equal(seen.first[2], "b2");
    memo_close(memo);
}

static bool see_run(const struct memo_run *run, void *context)
{
    assert_string_equal(run->input, "./bank 'two words'");
    assert_true(run->seed == UINT64_MAX && run->schedules == 100 && run->began > 0 && run->seconds == 1.5);
    assert_true(run->input_hash == hash_string("./bank 'two words'"));
    ++*(unsigned *)context;
    return true;
}

static bool see_failure(const struct memo_failure *failure, void *context)
{
    assert_string_equal(failure->key, "assert bank.c:42");
    assert_string_equal(failure->path, "raddle.out/bank/failure-1");
    assert_true(failure->times == 3 && failure->first_seen == 50 && failure->last_seen > 50);
    ++*(unsigned *)context;
    return true;
}

static void runs_and_failures(void **state)
{
    (void)state;
    struct error error;
    struct memo *memo = open_memo(path);
    struct memo_run run = {.input = "./bank 'two words'", .seed = UINT64_MAX, .schedules = 100, .seconds = 1.5};
    struct memo_failure failure = {.key = "assert bank.c:42", .kind = "assert", .site = "bank.c:42", .times = 1};
    unsigned runs = 0, failures = 0;
    assert_true(memo_add_run(memo, &run, &error) && memo_add_run(memo, &run, &error));
    failure.first_seen = failure.last_seen = 50;
    failure.path = "raddle.out/bank/failure-1";
    assert_true(memo_add_failure(memo, &failure, &error));
    failure.first_seen = failure.last_seen = 0;
    failure.path = NULL;
    failure.times = 2;
    assert_true(memo_add_failure(memo, &failure, &error));
    assert_true(memo_each_run(memo, see_run, &runs, &error) && memo_each_failure(memo, see_failure, &failures, &error));
    assert_int_equal(runs, 2);
    assert_int_equal(failures, 1);
    memo_close(memo);
}

/* ---- a memo with a bit of everything, from a seed ---------------------------------------------------------------------- */

static void fill(const char *where, uint64_t seed, unsigned stores)
{
    struct generator generator = {seed};
    struct error error = {0};
    for (unsigned i = 0; i < stores; i++) {
        char build[8];
        snprintf(build, sizeof build, "b%u", (unsigned)generator_below(&generator, 3));
        struct memo *memo = open_build(where, build);
        for (unsigned k = 0; k < 4; k++) {
            char *text = instance_text((unsigned)generator_below(&generator, 30));
            struct memo_instance instance = {.family = "idiom.1",
                                             .text = text,
                                             .covered = generator_below(&generator, 3),
                                             .attempts = generator_below(&generator, 9),
                                             .failed = generator_below(&generator, 5),
                                             .predicted = generator_below(&generator, 2) != 0,
                                             .verdict =
                                                 generator_below(&generator, 2) ? "not \"reached\"\n\xff" : NULL};
            store_one(memo, instance);
            free(text);
        }
        struct memo_site site = {.text = "bank!\"f g\"@src/x.c:1:2#1", .hint = generator_below(&generator, 1000)};
        struct memo_run run = {
            .input = "./bank", .seed = generator_next(&generator), .schedules = i, .seconds = 0.1 * i};
        struct memo_failure failure = {.key = i % 2 ? "k1" : "k2", .kind = "assert", .site = "bank.c:1", .times = 1};
        assert_true(memo_store_sites(memo, &site, 1, &error) && memo_add_run(memo, &run, &error) &&
                    memo_add_failure(memo, &failure, &error));
        memo_close(memo);
    }
}

static void export_and_import_are_inverse(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        unlink(path);
        unlink(other);
        fill(path, seed, 6);
        char *first = export_text(path);
        import_text(other, first, MEMO_ADD);
        char *second = export_text(other);
        assert_string_equal(first, second);
        /* Again: refused, since everything would be there twice; with the larger counts it changes nothing. */
        struct error error = {0};
        struct memo *memo = memo_open_all(other, MEMO_CHANGE, &error);
        assert_false(memo_import(memo, "test.json", first, strlen(first), MEMO_ADD, &error));
        assert_non_null(strstr(error.text, "counted twice"));
        memo_close(memo);
        import_text(other, first, MEMO_LARGEST);
        char *third = export_text(other);
        assert_string_equal(first, third);
        free(first);
        free(second);
        free(third);
    }
    unlink(path);
    memo_close(open_memo(path));
    execute(path, "DELETE FROM build; DELETE FROM program");
    unlink(other);
    char *empty = export_text(path);
    import_text(other, empty, MEMO_ADD);
    char *again = export_text(other);
    assert_string_equal(empty, again);
    free(empty);
    free(again);
}

static void merge_into(const char *into_path, const char *from_path, enum memo_sum sum, const char *words)
{
    struct error error = {0};
    struct memo *into = memo_open_all(into_path, MEMO_CREATE, &error);
    struct memo *from = memo_open_all(from_path, MEMO_READ, &error);
    assert_true(into != NULL && from != NULL);
    bool good = memo_merge(into, from, sum, &error);
    if (good != (words == NULL) || (words != NULL && strstr(error.text, words) == NULL))
        fail_msg("%s", error.text);
    memo_close(into);
    memo_close(from);
}

/* Without the lines that name the origins: which memo is one's own differs. */
static char *content(char *exported)
{
    char *programs = strstr(exported, "\"programs\"");
    assert_non_null(programs);
    return programs;
}

static void merging_adds_in_any_order(void **state)
{
    (void)state;
    char *ab = file_join(directory, "ab.db"), *ba = file_join(directory, "ba.db");
    for (uint64_t seed = 1; seed <= 4; seed++) {
        unlink(path), unlink(other), unlink(ab), unlink(ba);
        fill(path, seed, 5);
        fill(other, seed + 100, 5);
        merge_into(ab, path, MEMO_ADD, NULL);
        merge_into(ab, other, MEMO_ADD, NULL);
        merge_into(ba, other, MEMO_ADD, NULL);
        merge_into(ba, path, MEMO_ADD, NULL);
        char *left = export_text(ab), *right = export_text(ba);
        assert_string_equal(content(left), content(right));
        /* The sum of each. */
        struct error error;
        uint64_t sums[3] = {0};
        const char *const files[] = {path, other, ab};
        for (int i = 0; i < 3; i++) {
            struct memo *memo = open_memo(files[i]);
            assert_true(memo_each_instance(memo, add_covered, &sums[i], &error));
            memo_close(memo);
        }
        assert_int_equal(sums[0] + sums[1], sums[2]);
        merge_into(ab, path, MEMO_ADD, "counted twice");
        merge_into(path, ab, MEMO_ADD, "counted twice");
        merge_into(ab, ba, MEMO_ADD, "counted twice");
        merge_into(ab, ba, MEMO_LARGEST, NULL);
        char *same = export_text(ab);
        assert_non_null(strstr(same, "\"merged\""));
        free(left);
        free(right);
        free(same);
    }
    free(ab);
    free(ba);
}

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
        {HEAD BUILDS "\"sites\": [" SITE ", " SITE "], " EMPTY, "sites[1]: this is there twice"},
        {HEAD BUILDS "\"sites\": [{\"text\": \"p!f@a.c:1#1\", \"hint\": \"1\", \"first_build\": \"b1\", "
                     "\"last_build\": \"b1\"}], " EMPTY,
         "16 hexadecimal digits: hint"},
        {HEAD BUILDS "\"sites\": [{\"text\": \"a b\", \"hint\": \"0000000000000001\", \"first_build\": \"b1\", "
                     "\"last_build\": \"b1\"}], " EMPTY,
         "no site"},
        {HEAD BUILDS "\"sites\": [{\"text\": \"a.c:01\", \"hint\": \"0000000000000001\", \"first_build\": \"b1\", "
                     "\"last_build\": \"b1\"}], " EMPTY,
         "otherwise"},
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
         "otherwise"},
        {HEAD BUILDS "\"sites\": [], \"instances\": [{\"family\": \"idiom.1\", \"text\": \"idiom.1 a:R(x) << "
                     "b:W(x)@p!f@a.c:2#1\", " COUNTS "\"build\": \"b1\", \"seen\": 1}], " REST,
         "each step must have a site"},
        {HEAD BUILDS "\"sites\": [], \"instances\": [{\"family\": \"idiom.1\", \"text\": \"nonsense\", " COUNTS
                     "\"build\": \"b1\", \"seen\": 1}], " REST,
         "no pattern"},
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

/* ---- forgetting ------------------------------------------------------------------------------------------------------------ */

static void prune_forgets_what_it_is_told(void **state)
{
    (void)state;
    struct error error = {0};
    struct memo_pruned pruned;
    char *texts[3] = {instance_text(1), instance_text(2), instance_text(3)};
    struct memo *memo = open_build(path, "old");
    store_one(memo, (struct memo_instance){.family = "idiom.1", .text = texts[0], .covered = 1});
    assert_true(memo_add_run(memo, &(struct memo_run){.input = "./bank", .began = 1000}, &error));
    assert_true(memo_add_failure(
        memo, &(struct memo_failure){.key = "k", .kind = "assert", .site = "s", .last_seen = 1000}, &error));
    memo_close(memo);
    execute(path, "UPDATE instance SET seen = 1000; UPDATE build SET first_seen = 1000, last_seen = 1000");
    memo = open_build(path, "new");
    store_one(memo, (struct memo_instance){.family = "idiom.1", .text = texts[1], .covered = 1, .failed = 9});
    store_one(memo, (struct memo_instance){.family = "idiom.1", .text = texts[2], .failed = 6});
    char *all = export_text(path);

    struct memo *prune = memo_open_all(path, MEMO_CHANGE, &error);
    assert_true(
        memo_prune(prune, &(struct memo_forget){.older_than = 1000, .builds = 2, .give_up = 7}, &pruned, &error));
    assert_int_equal(pruned.instances + pruned.sites + pruned.runs + pruned.failures + pruned.builds, 0);
    assert_true(memo_prune(prune, &(struct memo_forget){.give_up = 6}, &pruned, &error));
    assert_int_equal(pruned.instances, 1);
    assert_null(find(memo, texts[2]).text);
    assert_non_null(find(memo, texts[1]).text);
    assert_true(memo_prune(prune, &(struct memo_forget){.older_than = 1001}, &pruned, &error));
    assert_true(pruned.instances == 1 && pruned.sites == 2 && pruned.runs == 1 && pruned.failures == 1 &&
                pruned.builds == 1);
    memo_close(prune);
    memo_close(memo);
    assert_int_equal(unlink(path), 0);

    import_text(path, all, MEMO_ADD);
    prune = memo_open_all(path, MEMO_CHANGE, &error);
    assert_true(memo_prune(prune, &(struct memo_forget){.builds = 1}, &pruned, &error));
    assert_true(pruned.instances == 1 && pruned.sites == 2 && pruned.runs == 1 && pruned.failures == 1 &&
                pruned.builds == 1);
    /* A campaign that is still going on when all is forgotten goes on. */
    memo = open_build(path, "new");
    assert_true(memo_prune(prune, &(struct memo_forget){.older_than = INT64_MAX}, &pruned, &error));
    store_one(memo, (struct memo_instance){.family = "idiom.1", .text = texts[1], .covered = 1});
    assert_int_equal(find(memo, texts[1]).covered, 1);
    assert_true(memo_check(memo, &error));
    memo_close(memo);
    memo_close(prune);
    free(all);
    for (int i = 0; i < 3; i++)
        free(texts[i]);
}

/* ---- files that are not right ------------------------------------------------------------------------------------------------ */

static void write_file(const char *where, const char *bytes, size_t size)
{
    struct error error;
    assert_true(file_write(where, bytes, size, &error));
}

static void foreign_files_are_left_alone(void **state)
{
    (void)state;
    write_file(path, "hello, this is a text\n", 22);
    refuses(path, "is not a memo of raddle (it is no SQLite database");
    char *long_text = memory_allocate(5000, 1);
    memset(long_text, 'x', 5000);
    write_file(path, long_text, 5000);
    refuses(path, "it is no SQLite database");
    free(long_text);
    unlink(path);
    execute(path, "PRAGMA application_id = 1234; CREATE TABLE t (a)");
    refuses(path, "database of another program");
    unlink(path);
    execute(path, "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)");
    refuses(path, "database of another program");
    unlink(path);
    write_file(path, "", 0); /* nothing in it that could be lost */
    memo_close(open_memo(path));
}

static void a_newer_version_is_left_alone(void **state)
{
    (void)state;
    memo_close(open_memo(path));
    execute(path, "PRAGMA user_version = 99; CREATE TABLE later (a)");
    refuses(path, "has version 99 of the memo");
}

static void truncate_to(const char *where, double share)
{
    struct stat status;
    assert_int_equal(stat(where, &status), 0);
    assert_int_equal(truncate(where, (off_t)((double)status.st_size * share)), 0);
}

static void damage_is_noticed(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        unlink(path);
        fill(path, 7, 3);
        truncate_to(path, i == 0 ? 0.5 : i == 1 ? 0.9 : 0.01);
        refuses(path, i == 2 ? "" : "is damaged");
    }
    /* A page in the middle overwritten: found by looking through all of it, and when it is read. */
    unlink(path);
    fill(path, 7, 3);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    int fd = open(path, O_WRONLY);
    char noise[4096];
    memset(noise, 0xa5, sizeof noise);
    for (off_t at = 3 * 4096; at + 4096 <= status.st_size; at += 4096)
        assert_int_equal(pwrite(fd, noise, sizeof noise, at), sizeof noise);
    close(fd);
    struct error error = {0};
    struct memo *memo = memo_open_all(path, MEMO_READ, &error);
    assert_true(memo == NULL || !memo_check(memo, &error));
    assert_non_null(strstr(error.text, "is damaged"));
    assert_int_equal(error.code, EXIT_USAGE);
    memo_close(memo);
}

static void a_directory_is_no_memo(void **state)
{
    (void)state;
    struct error error = {0};
    assert_null(memo_open(directory, "bank", "b1", &error));
    assert_non_null(strstr(error.text, "is a directory"));
    assert_null(memo_open_all(path, MEMO_READ, &error));
    assert_non_null(strstr(error.text, "No such file"));
    char *below = file_join(path, "memo.db");
    write_file(path, "x", 1);
    assert_null(memo_open(below, "bank", "b1", &error));
    assert_int_equal(error.code, EXIT_USAGE);
    free(below);
    char *deep = file_join(directory, "a/b/c/memo.db");
    memo_close(open_memo(deep));
    assert_true(file_exists(deep));
    free(deep);
}

/* In a process without root's rights: what does memo_open say?  0: nothing, else whether the words are in it. */
static int open_as_nobody(enum memo_access access, const char *words)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct error error = {0};
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(9);
        struct memo *memo = memo_open_all(path, access, &error);
        uint64_t sum = 0;
        if (memo != NULL && memo_choose(memo, "bank", NULL, &error) &&
            memo_each_instance(memo, add_covered, &sum, &error))
            _exit(sum > 0 ? 0 : 3);
        fprintf(stderr, "# %s\n", error.text);
        _exit(strstr(error.text, words) != NULL && error.code == EXIT_USAGE ? 1 : 2);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void places_that_cannot_be_written(void **state)
{
    (void)state;
    fill(path, 5, 2);
    assert_int_equal(chmod(path, 0444) | chmod(directory, 0555), 0);
    assert_int_equal(open_as_nobody(MEMO_CREATE, "cannot be written"), 1);
    assert_int_equal(open_as_nobody(MEMO_READ, ""), 0); /* reading needs nothing beside it */
    assert_int_equal(chmod(path, 0000), 0);
    assert_int_equal(open_as_nobody(MEMO_READ, "Permission denied"), 1);
    assert_int_equal(chmod(directory, 0000), 0);
    assert_int_equal(open_as_nobody(MEMO_CREATE, "Permission denied"), 1);
    assert_int_equal(chmod(directory, 0777) | unlink(path) | chmod(directory, 0555), 0);
    assert_int_equal(open_as_nobody(MEMO_CREATE, "cannot create"), 1);
}

/* The disk is "full" for a process whose files may not grow. */
static void a_full_disk_changes_nothing(void **state)
{
    (void)state;
    fill(path, 5, 2);
    uint64_t sum = 0, *stored = mmap(NULL, sizeof *stored, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct error error = {0};
    struct memo *memo = open_memo(path);
    assert_true(memo_each_instance(memo, add_covered, stored, &error));
    memo_close(memo);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGXFSZ, SIG_IGN);
        memo = open_memo(path);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){40000, 40000});
        bool good = true;
        for (unsigned i = 0; good && i < 100000; i++) {
            char *text = instance_text(1000 + i);
            struct memo_instance instance = {.family = "idiom.1", .text = text, .covered = 1};
            good = memo_store(memo, &instance, 1, &error);
            *stored += good;
            free(text);
        }
        fprintf(stderr, "# %s\n", error.text);
        _exit(!good && error.code == EXIT_USAGE && strstr(error.text, "no room") != NULL ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    memo = open_memo(path);
    assert_true(memo_check(memo, &error) && memo_each_instance(memo, add_covered, &sum, &error));
    assert_int_equal(sum, *stored); /* what was said to be stored is there, and nothing else */
    memo_close(memo);
    munmap(stored, sizeof *stored);
}

static void a_locked_file_is_waited_for(void **state)
{
    (void)state;
    struct error error = {0};
    char *text = instance_text(1);
    struct memo_instance instance = {.family = "idiom.1", .text = text, .covered = 1};
    memo_set_patience(200);
    struct memo *memo = open_memo(path);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    int64_t began = clock_now();
    assert_false(memo_store(memo, &instance, 1, &error));
    assert_true(clock_now() - began >= 150 * CLOCK_MILLISECOND);
    assert_non_null(strstr(error.text, "is locked by another process"));
    assert_int_equal(error.code, EXIT_USAGE);
    assert_null(find(memo, text).text); /* reading goes on */
    assert_null(memo_open(path, "bank", "b2", &error));
    assert_non_null(strstr(error.text, "is locked"));
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_close(db);
    store_one(memo, instance);
    memo_close(memo);
    free(text);
}

/* ---- versions ------------------------------------------------------------------------------------------------------------------ */

static int64_t version_of(const char *where)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(where, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t version = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return version;
}

static void older_files_are_brought_up_to_date(void **state)
{
    (void)state;
    const int now = memo_version;
    struct memo_migration migrations[8];
    struct error error = {0};
    assert_true(now + 3 <= 8);
    memcpy(migrations, memo_migrations, (size_t)now * sizeof *migrations);
    migrations[now].sql = "ALTER TABLE instance ADD COLUMN rank INTEGER NOT NULL DEFAULT 7";
    migrations[now + 1].sql = "UPDATE instance SET rank = rank + covered; CREATE TABLE extra (a)";
    migrations[now + 2].sql = "CREATE TABLE more (a); INSERT INTO nowhere VALUES (1)";

    fill(path, 3, 3);
    char *before = export_text(path);
    struct memo *memo = open_memo(path);
    assert_true(memo_migrate(memo, migrations, now + 2, &error));
    assert_int_equal(version_of(path), now + 2);
    assert_true(memo_execute(memo, "SELECT rank FROM instance; SELECT a FROM extra", &error));
    assert_true(memo_migrate(memo, migrations, now + 2, &error)); /* nothing left to do */
    /* One that fails leaves everything as it was. */
    assert_false(memo_migrate(memo, migrations, now + 3, &error));
    assert_int_equal(version_of(path), now + 2);
    assert_false(memo_execute(memo, "SELECT a FROM more", &error));
    memo_close(memo);
    refuses(path, "has version");
    char *set_back = memory_format("PRAGMA user_version = %d", now);
    execute(path, set_back);
    char *after = export_text(path);
    assert_string_equal(content(before), content(after));
    free(set_back);
    free(before);
    free(after);

    /* The oldest: ours, and nothing in it yet. */
    char *head = memory_format("PRAGMA application_id = %d", (int)MEMO_APPLICATION);
    unlink(path);
    execute(path, head);
    memo_close(open_memo(path));
    assert_int_equal(version_of(path), now);
    free(head);
}

/* ---- many writers ---------------------------------------------------------------------------------------------------------------- */

enum { INSTANCES = 25 };

/* Random stores, told to `expected` too. */
static void random_store(struct memo *memo, struct generator *generator, uint64_t expected[INSTANCES])
{
    struct memo_instance list[5];
    size_t count = 1 + generator_below(generator, 5);
    for (size_t i = 0; i < count; i++) {
        unsigned number = (unsigned)generator_below(generator, INSTANCES);
        list[i] = (struct memo_instance){
            .family = "idiom.1", .text = instance_text(number), .covered = generator_below(generator, 100)};
        expected[number] += list[i].covered;
    }
    struct error error = {0};
    if (!memo_store(memo, list, count, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < count; i++)
        free((char *)list[i].text);
}

static void check_sums(const char *where, const uint64_t expected[INSTANCES])
{
    struct memo *memo = open_memo(where);
    struct error error = {0};
    for (unsigned i = 0; i < INSTANCES; i++) {
        char *text = instance_text(i);
        assert_int_equal(find(memo, text).covered, expected[i]);
        free(text);
    }
    assert_true(memo_check(memo, &error));
    memo_close(memo);
}

static void two_connections_give_the_sum(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct generator generator = {seed};
        uint64_t expected[INSTANCES] = {0};
        unlink(path);
        struct memo *memos[2] = {open_build(path, "b1"), open_build(path, "b2")};
        for (int i = 0; i < 60; i++)
            random_store(memos[generator_below(&generator, 2)], &generator, expected);
        memo_close(memos[0]);
        memo_close(memos[1]);
        check_sums(path, expected);
    }
}

static void two_processes_give_the_sum(void **state)
{
    (void)state;
    enum { PROCESSES = 3, STORES = 60 };
    uint64_t expected[INSTANCES] = {0};
    pid_t pids[PROCESSES];
    for (uint64_t p = 0; p < PROCESSES; p++) {
        pids[p] = fork();
        struct generator generator = {100 + p};
        if (pids[p] == 0) { /* they make the file at once, too */
            uint64_t own[INSTANCES] = {0};
            struct error error = {0};
            struct memo *memo = memo_open(path, "bank", "b1", &error);
            if (memo == NULL) {
                fprintf(stderr, "# %s\n", error.text);
                _exit(1);
            }
            for (int i = 0; i < STORES; i++)
                random_store(memo, &generator, own);
            memo_close(memo);
            _exit(0);
        }
    }
    for (uint64_t p = 0; p < PROCESSES; p++) {
        int status;
        assert_int_equal(waitpid(pids[p], &status, 0), pids[p]);
        assert_int_equal(status, 0);
    }
    for (uint64_t p = 0; p < PROCESSES; p++) { /* what they stored, once more, on paper */
        struct generator generator = {100 + p};
        struct memo *paper = open_memo(other);
        for (int i = 0; i < STORES; i++)
            random_store(paper, &generator, expected);
        memo_close(paper);
    }
    check_sums(path, expected);
}

static void several_make_the_file_at_once(void **state)
{
    (void)state;
    enum { PROCESSES = 4, ROUNDS = 10 };
    for (int round = 0; round < ROUNDS; round++) {
        int gate[2];
        pid_t pids[PROCESSES];
        unlink(path);
        assert_int_equal(pipe(gate), 0);
        for (int p = 0; p < PROCESSES; p++) {
            pids[p] = fork();
            if (pids[p] == 0) {
                char go;
                struct error error = {0};
                close(gate[1]);
                if (read(gate[0], &go, 1) != 0) /* all begin when the gate is closed */
                    _exit(2);
                struct memo *memo = memo_open(path, "bank", "b1", &error);
                if (memo == NULL)
                    fprintf(stderr, "# %s\n", error.text);
                _exit(memo == NULL);
            }
        }
        close(gate[0]);
        close(gate[1]);
        for (int p = 0; p < PROCESSES; p++) {
            int status;
            assert_int_equal(waitpid(pids[p], &status, 0), pids[p]);
            assert_int_equal(status, 0);
        }
    }
}

/* Stores in a loop, the same count for all in one transaction, until it is killed. */
static void store_until_killed(void)
{
    struct error error = {0};
    struct memo_instance list[INSTANCES];
    struct memo *memo = memo_open(path, "bank", "b1", &error);
    for (unsigned i = 0; i < INSTANCES; i++)
        list[i] = (struct memo_instance){.family = "idiom.1", .text = instance_text(i), .covered = 1};
    while (memo != NULL && memo_store(memo, list, INSTANCES, &error))
        continue;
    fprintf(stderr, "# %s\n", error.text);
    _exit(1);
}

static void kill_leaves_whole_transactions(void **state)
{
    (void)state;
    struct generator generator = {4711};
    uint64_t last = 0;
    int rounds = getenv("SOAK") != NULL ? 300 : 25;
    for (int round = 0; round < rounds; round++) {
        pid_t pids[2] = {fork(), -1};
        if (pids[0] == 0)
            store_until_killed();
        pids[1] = round % 2 ? fork() : -1; /* alone, and two at once */
        if (pids[1] == 0)
            store_until_killed();
        usleep(3000 + (useconds_t)generator_below(&generator, 40000));
        for (int i = 0; i < 2; i++) {
            int status;
            if (pids[i] < 0)
                continue;
            kill(pids[i], SIGKILL);
            assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
            assert_true(WIFSIGNALED(status));
        }
        struct error error = {0};
        struct memo *memo = memo_open(path, "bank", "b1", &error);
        if (memo == NULL || !memo_check(memo, &error))
            fail_msg("round %d: %s", round, error.text);
        char *first = instance_text(0);
        uint64_t count = find(memo, first).covered;
        assert_true(count >= last);
        last = count;
        for (unsigned i = 1; i < INSTANCES; i++) {
            char *text = instance_text(i);
            assert_int_equal(find(memo, text).covered, count);
            free(text);
        }
        free(first);
        memo_close(memo);
    }
    assert_true(last > 0);
}

/* ---- builds ------------------------------------------------------------------------------------------------------------------------ */

static void builds_have_names(void **state)
{
    (void)state;
    char *own = memo_build_name("/proc/self/exe"), *again = memo_build_name("/proc/self/exe");
    assert_non_null(own);
    assert_string_equal(own, again);
    write_file(path, "#!/bin/sh\n", 10);
    write_file(other, "#!/bin/sh\n\n", 11);
    char *script = memo_build_name(path), *changed = memo_build_name(other);
    assert_memory_equal(script, "content-", 8);
    assert_string_not_equal(script, changed);
    assert_null(memo_build_name("/nonexistent"));
    free(own);
    free(again);
    free(script);
    free(changed);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(counts_are_added),
        TEST(programs_do_not_mix),
        TEST(the_largest_count_stays),
        TEST(odd_texts_come_back),
        TEST(sites_know_their_builds),
        TEST(runs_and_failures),
        TEST(export_and_import_are_inverse),
        TEST(merging_adds_in_any_order),
        TEST(import_refuses_every_defect),
        TEST(prune_forgets_what_it_is_told),
        TEST(foreign_files_are_left_alone),
        TEST(a_newer_version_is_left_alone),
        TEST(damage_is_noticed),
        TEST(a_directory_is_no_memo),
        TEST(places_that_cannot_be_written),
        TEST(a_full_disk_changes_nothing),
        TEST(a_locked_file_is_waited_for),
        TEST(older_files_are_brought_up_to_date),
        TEST(two_connections_give_the_sum),
        TEST(two_processes_give_the_sum),
        TEST(several_make_the_file_at_once),
        TEST(kill_leaves_whole_transactions),
        TEST(builds_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
