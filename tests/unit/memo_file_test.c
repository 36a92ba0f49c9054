/* SPDX-License-Identifier: MIT
 *
 * memo_file_test.c - whatever happens to the file and its writers: a file that is not right is refused with its sentence and left
 * as it is, and the others are whole.
 */
#include "fixture/memo.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "util/clock.h"

/* ---- files that are not right ------------------------------------------------------------------------------------------------ */

static void foreign_files_are_left_alone(void **state)
{
    (void)state;
    write_file(path, "hello, this is a text\n", 22);
    refuses(path, "is not a memo of raddle (it is not an SQLite database");
    char *long_text = memory_allocate(5000, 1);
    memset(long_text, 'x', 5000);
    write_file(path, long_text, 5000);
    refuses(path, "it is not an SQLite database");
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
        _exit(!good && error.code == EXIT_USAGE && strstr(error.text, "no space") != NULL ? 0 : 1);
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
    struct memo *memo = memo_open_all(path, MEMO_CHANGE, &error); /* to be opened for a build is noted in it */
    assert_non_null(memo);
    assert_true(memo_migrate(memo, migrations, now + 2, &error));
    assert_int_equal(version_of(path), now + 2);
    assert_true(database_execute(memo->database, "SELECT rank FROM instance; SELECT a FROM extra", &error));
    assert_true(memo_migrate(memo, migrations, now + 2, &error)); /* nothing left to do */
    /* One that fails leaves everything as it was. */
    assert_false(memo_migrate(memo, migrations, now + 3, &error));
    assert_int_equal(version_of(path), now + 2);
    assert_false(database_execute(memo->database, "SELECT a FROM more", &error));
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
    char *head = memory_format("PRAGMA application_id = %d", (int)MEMO_MARK);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
