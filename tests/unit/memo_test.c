/* SPDX-License-Identifier: MIT
 *
 * memo_test.c - what is stored is found again, by addition; it comes back from export, and goes where it is merged.
 */
#include "fixture/memo.h"

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
        assert_non_null(strstr(error.text, "not an instance"));
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

/* A campaign has shown it to be impossible.  That holds for the build, and only as long as no run shows it. */
static void what_is_impossible(void **state)
{
    (void)state;
    struct memo *memo = open_build(path, "b1");
    char *text = instance_text(3);
    store_one(memo, (struct memo_instance){.family = "idiom.1", .text = text, .predicted = true, .impossible = true});
    store_one(memo, (struct memo_instance){.family = "idiom.1", .text = text, .attempts = 9, .failed = 9});
    struct memo_instance found = find(memo, text);
    assert_int_equal(memo_state_of(&found, 6), MEMO_IMPOSSIBLE);
    memo_close(memo);

    memo = open_build(path, "b2");
    store_one(memo, (struct memo_instance){.family = "idiom.1", .text = text, .predicted = true});
    found = find(memo, text);
    assert_int_equal(memo_state_of(&found, 6), MEMO_GIVEN_UP);
    store_one(memo, (struct memo_instance){.family = "idiom.1", .text = text, .impossible = true, .covered = 1});
    found = find(memo, text);
    assert_int_equal(memo_state_of(&found, 6), MEMO_COVERED);
    memo_close(memo);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(counts_are_added),
        TEST(programs_do_not_mix),
        TEST(the_largest_count_stays),
        TEST(odd_texts_come_back),
        TEST(sites_know_their_builds),
        TEST(runs_and_failures),
        TEST(export_and_import_are_inverse),
        TEST(merging_adds_in_any_order),
        TEST(prune_forgets_what_it_is_told),
        TEST(what_is_impossible),
        TEST(builds_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
