/* SPDX-License-Identifier: MIT
 *
 * database_test.c - what database.h promises, and that the statements of the memo keep to the SQL that it names.  What happens to
 * damaged, foreign and locked databases is in memo_file_test.c.
 */
#include "fixture/memo.h"

#include "memo/database_engine.h"

enum { MARK = 4711, PATIENCE = 1000 };
static const struct database_owner owner = {.mark = MARK, .name = "database of this test"};

static struct database *open_database(enum database_access access)
{
    struct error error = {0};
    struct database *database = database_open(path, &owner, access, PATIENCE, &error);
    if (database == NULL)
        fail_msg("%s", error.text);
    database_accept(database);
    return database;
}

static void execute_good(struct database *database, const char *sql)
{
    struct error error = {0};
    if (!database_execute(database, sql, &error))
        fail_msg("%s: %s", sql, error.text);
}

static struct database *open_filled(void)
{
    struct error error = {0};
    struct database *database = open_database(DATABASE_CREATE);
    execute_good(database, "CREATE TABLE t (id {id}, n INTEGER NOT NULL, r REAL, s TEXT) {table}");
    execute_good(database, "INSERT INTO t (n, r, s) VALUES (1, 0.5, 'one'), (2, NULL, NULL), (3, 1.5, 'three')");
    assert_true(database_set_version(database, 3, &error));
    return database;
}

static int64_t query(struct database *database, const char *sql)
{
    struct error error = {0};
    struct database_statement *statement = database_prepare(database, sql, &error);
    assert_non_null(statement);
    assert_int_equal(database_step(statement, &error), 1);
    int64_t value = database_number(statement, 0);
    database_release(statement);
    return value;
}

/* ---- statements ------------------------------------------------------------------------------------------------------ */

static void parameters_and_columns(void **state)
{
    (void)state;
    struct error error = {0};
    struct database *database = open_filled();
    struct database_statement *put = database_prepare(database, "INSERT INTO t (n, r, s) VALUES (?1, ?2, ?3)", &error);
    assert_true(database_bind_number(put, 1, INT64_MIN, &error) && database_bind_real(put, 2, -0.25, &error) &&
                database_bind_text(put, 3, "\"'{}\n", &error));
    assert_int_equal(database_step(put, &error), 0);
    assert_int_equal(database_changes(database), 1);
    assert_true(database_bind_text(put, 3, NULL, &error)); /* the others keep their values */
    assert_int_equal(database_step(put, &error), 0);
    assert_false(database_bind_number(put, 4, 1, &error)); /* there is none */
    database_release(put);

    struct database_statement *get =
        database_prepare(database, "SELECT n, r, s FROM t WHERE n < ?1 ORDER BY id", &error);
    assert_true(database_bind_number(get, 1, 0, &error));
    for (int round = 0; round < 2; round++) { /* after the last row it can be run again */
        assert_int_equal(database_step(get, &error), 1);
        assert_true(database_number(get, 0) == INT64_MIN && database_real(get, 1) == -0.25);
        assert_string_equal(database_text(get, 2), "\"'{}\n");
        assert_int_equal(database_step(get, &error), 1);
        assert_null(database_text(get, 2));
        assert_int_equal(database_step(get, &error), 0);
    }
    assert_int_equal(database_step(get, &error), 1); /* and after a reset, from the first */
    database_reset(get);
    assert_int_equal(database_step(get, &error), 1);
    assert_non_null(database_text(get, 2));
    database_release(get);
    database_close(database);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct error error = {0};
    struct database *database = open_filled();
    assert_null(database_prepare(database, "SELECT n FROM nowhere", &error));
    assert_int_equal(error.code, EXIT_INTERNAL);
    assert_non_null(strstr(error.text, "nowhere"));
    assert_false(database_execute(database, "INSERT INTO t (n) VALUES (NULL)", &error));
    assert_int_equal(error.code, EXIT_INTERNAL);
    struct database_statement *put = database_prepare(database, "INSERT INTO t (id, n) VALUES (1, 1)", &error);
    assert_int_equal(database_step(put, &error), -1);
    database_release(put);
    database_close(database);
}

static void words_are_translated(void **state)
{
    (void)state;
    static const struct database_word words[] = {{"id", "KEY"}, {"end", ""}, {0}};
    static const char *const cases[][2] = {
        {"", ""}, {"no word", "no word"}, {"{id}", "KEY"}, {"a {id}, b {id} {end};", "a KEY, b KEY ;"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = database_translate(cases[i][0], words);
        assert_string_equal(text, cases[i][1]);
        free(text);
    }
    struct database *database = open_filled();
    assert_int_equal(query(database, "SELECT length({random})"), 16);
    assert_int_equal(query(database, "SELECT {random} = {random}"), 0);
    execute_good(database, "CREATE TABLE keyed (k TEXT PRIMARY KEY) {keyed}");
    database_close(database);
}

static void parts_are_interleaved(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"interleave('a@ b@', '@', 'X', 'Y', NULL, NULL)", "a@X b@Y"},
        {"interleave('a@ b@', '@', 'X', NULL, 'Z', 'Z')", "a@X b@"}, /* a part for each mark, in order */
        {"interleave('none', '@', 'X', 'Y', 'Z', 'Z')", "none"},
        {"interleave('@@@@@', '@', '1', '2', '3', '4')", "@1@2@3@4@"},
        {"interleave('', '@', '1', '2', '3', '4')", ""},
    };
    struct database *database = open_filled();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error error = {0};
        char *sql = memory_format("SELECT %s", cases[i][0]);
        struct database_statement *get = database_prepare(database, sql, &error);
        assert_int_equal(database_step(get, &error), 1);
        assert_string_equal(database_text(get, 0), cases[i][1]);
        database_release(get);
        free(sql);
    }
    database_close(database);
}

/* ---- transactions ---------------------------------------------------------------------------------------------------- */

static void all_or_nothing(void **state)
{
    (void)state;
    struct error error = {0};
    struct database *database = open_filled(), *reader = open_database(DATABASE_READ);
    assert_true(database_begin(database, DATABASE_TO_WRITE, &error));
    execute_good(database, "DELETE FROM t");
    assert_int_equal(database_changes(database), 3);
    assert_int_equal(query(reader, "SELECT count(*) FROM t"), 3); /* readers go on, with what was there */
    database_roll_back(database);
    database_roll_back(database); /* there is none any more: nothing happens */
    assert_int_equal(query(database, "SELECT count(*) FROM t"), 3);

    assert_true(database_begin(reader, DATABASE_TO_READ, &error));
    assert_int_equal(query(reader, "SELECT count(*) FROM t"), 3);
    assert_true(database_begin(database, DATABASE_TO_WRITE, &error));
    execute_good(database, "DELETE FROM t WHERE n = 2");
    assert_true(database_commit(database, &error));
    assert_int_equal(query(database, "SELECT count(*) FROM t"), 2);
    assert_int_equal(query(reader, "SELECT count(*) FROM t"), 3); /* of the moment when it began */
    assert_true(database_commit(reader, &error));
    assert_int_equal(query(reader, "SELECT count(*) FROM t"), 2);
    database_close(reader);
    database_close(database);
}

static void one_writer_at_a_time(void **state)
{
    (void)state;
    struct error error = {0};
    struct database *first = open_filled();
    struct database *second = database_open(path, &owner, DATABASE_CHANGE, 1, &error);
    assert_true(database_begin(first, DATABASE_TO_WRITE, &error));
    assert_false(database_begin(second, DATABASE_TO_WRITE, &error));
    assert_int_equal(error.code, EXIT_USAGE);
    assert_non_null(strstr(error.text, "is locked"));
    assert_true(database_commit(first, &error) && database_begin(second, DATABASE_TO_WRITE, &error));
    database_roll_back(second);
    database_close(second);
    database_close(first);
}

/* ---- the whole ------------------------------------------------------------------------------------------------------- */

static void version_and_owner(void **state)
{
    (void)state;
    static const struct database_owner stranger = {.mark = MARK + 1, .name = "database of a stranger"};
    struct error error = {0};
    int64_t version = -1;
    struct database *database = open_database(DATABASE_CREATE);
    assert_true(database_get_version(database, &version, &error));
    assert_int_equal(version, 0);
    database_close(database);
    database_close(open_filled());
    database = open_database(DATABASE_CHANGE);
    assert_true(database_get_version(database, &version, &error));
    assert_int_equal(version, 3);
    assert_false(database_is_read_only(database));
    assert_true(database_check(database, &error));
    execute_good(database, "DELETE FROM t");
    database_compact(database);
    database_close(database);
    assert_null(database_open(path, &stranger, DATABASE_CREATE, PATIENCE, &error));
    assert_int_equal(error.code, EXIT_USAGE);
    assert_non_null(strstr(error.text, "is not a database of a stranger"));
}

static void each_problem_has_its_sentence(void **state)
{
    (void)state;
    char *sentences[DATABASE_PROBLEM_COUNT];
    for (enum database_problem i = 0; i < DATABASE_PROBLEM_COUNT; i++) {
        struct error error = {0};
        assert_false(database_say("the.db", i, "detail", "advice", &error));
        assert_non_null(strstr(error.text, "the.db"));
        assert_int_equal(error.code, i == DATABASE_INTERNAL ? EXIT_INTERNAL : EXIT_USAGE);
        sentences[i] = memory_copy_string(error.text);
        for (enum database_problem k = 0; k < i; k++)
            assert_string_not_equal(sentences[k], sentences[i]);
    }
    assert_string_equal(
        sentences[DATABASE_DAMAGED],
        "the.db is damaged (detail): raddle leaves it as it is; move it away to start with a new one (advice)");
    for (size_t i = 0; i < DATABASE_PROBLEM_COUNT; i++)
        free(sentences[i]);
}

/* What only one engine understands is not in the memo's statements and migrations. */
static void statements_are_portable(void **state)
{
    (void)state;
    static const char *const texts[] = {
#define X(name, text) text,
        STATEMENTS(X)
#undef X
    };
    static const char *const own_words[] = {"PRAGMA",    "ROWID", "STRICT", "ON CONFLICT DO", "OR REPLACE",
                                            "OR IGNORE", "min(",  "max(",   "ifnull",         "randomblob",
                                            "hex(",      "glob",  "sqlite", "AUTOINCREMENT",  "INTEGER PRIMARY KEY"};
    for (size_t w = 0; w < sizeof own_words / sizeof own_words[0]; w++) {
        for (size_t i = 0; i < STATEMENT_COUNT; i++)
            if (strcasestr(texts[i], own_words[w]) != NULL)
                fail_msg("%s: %s", own_words[w], texts[i]);
        for (int i = 0; i < memo_version; i++)
            if (strcasestr(memo_migrations[i].sql, own_words[w]) != NULL)
                fail_msg("%s: migration %d", own_words[w], i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parameters_and_columns),  TEST(mistakes_are_errors),
        TEST(words_are_translated),    TEST(parts_are_interleaved),
        TEST(all_or_nothing),          TEST(one_writer_at_a_time),
        TEST(version_and_owner),       TEST(each_problem_has_its_sentence),
        TEST(statements_are_portable),
    };
    return cmocka_run_group_tests_name("database", tests, NULL, NULL);
}
