/* SPDX-License-Identifier: MIT
 *
 * memo.c - `raddle memo`: shows, merges, prunes, exports and imports memos.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "campaign/home.h"
#include "cli/command.h"
#include "cli/memo_options.h"
#include "cli/memo_show.h"
#include "memo/memo.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/log.h"
#include "util/memory.h"

enum { IMPORT_LIMIT = 1 << 30 };

/* ---- which file ---------------------------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* An existing file that is a database or empty, so the word means the file itself. */
static bool is_database(const char *path)
{
    char head[16] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t size = read(fd, head, sizeof head);
    close(fd);
    return size == 0 || memcmp(head, "SQLite format 3", sizeof head) == 0;
}

/* The file of a memo that is named by file, directory or program; freed by the caller.  NULL and an error if it must
   exist and does not. Must not be called while a memo is open: closing a second descriptor of its file would drop its
   locks. */
static char *locate(const char *word, bool must_exist, struct error *error)
{
    if (file_is_directory(word)) {
        char *inside = file_join(word, "memo.db");
        if (!must_exist || file_exists(inside))
            return inside;
        free(inside);
        error_set(error, EXIT_USAGE, "there is no memo in the directory %s: no memo.db", word);
        return NULL;
    }
    bool exists = file_exists(word);
    if (ends_with(word, ".db") || (exists && is_database(word))) {
        if (exists || !must_exist)
            return memory_copy_string(word);
        error_set(error, EXIT_USAGE, "there is no memo %s", word);
        return NULL;
    }
    char *home = exists ? home_find(word, word) : memory_format("raddle.out/%s", file_base_name(word));
    char *path = file_join(home, "memo.db");
    free(home);
    if (!must_exist || file_exists(path))
        return path;
    error_set(error, EXIT_USAGE, "nothing is remembered about %s here: there is no %s%s", file_base_name(word), path,
              exists ? ", and it is not a memo itself" : "; 'raddle run --memo FILE' makes one");
    free(path);
    return NULL;
}

static struct memo *open_word(const char *word, enum memo_access access, struct error *error)
{
    char *path = locate(word, access != MEMO_CREATE, error);
    struct memo *memo = path != NULL ? memo_open_all(path, access, error) : NULL;
    free(path);
    return memo;
}

/* ---- actions --------------------------------------------------------------------------------------------------------------- */

static bool show(const struct memo_options *options, struct error *error)
{
    struct memo *memo = open_word(options->words.data[0], MEMO_READ, error);
    bool good = memo != NULL && (!options->check || memo_check(memo, error)) && memo_show(memo, options, error);
    memo_close(memo);
    return good;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat left, right;
    return stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

static bool merge_paths(const struct memo_options *options, char *const *paths, struct error *error)
{
    for (size_t i = 1; i < options->words.count; i++)
        if (is_same_file(paths[0], paths[i]))
            return error_set(error, EXIT_USAGE, "%s and %s are one file: it cannot be merged into itself", paths[0],
                             paths[i]);
    struct memo *into = memo_open_all(paths[0], MEMO_CREATE, error);
    bool good = into != NULL;
    for (size_t i = 1; good && i < options->words.count; i++) {
        struct memo *from = memo_open_all(paths[i], MEMO_READ, error);
        good = from != NULL && memo_merge(into, from, options->largest ? MEMO_LARGEST : MEMO_ADD, error);
        if (good)
            log_say("%s is now also in %s", paths[i], paths[0]);
        memo_close(from);
    }
    memo_close(into);
    return good;
}

static bool merge(const struct memo_options *options, struct error *error)
{
    size_t count = options->words.count;
    char **paths = memory_allocate(count, sizeof *paths);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        paths[i] = locate(options->words.data[i], i > 0, error);
        good = paths[i] != NULL;
    }
    good = good && merge_paths(options, paths, error);
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
    return good;
}

static bool prune(const struct memo_options *options, struct error *error)
{
    struct memo_forget what = {.builds = options->builds_but, .give_up = options->given_up ? options->give_up : 0};
    struct memo_pruned pruned;
    if (options->older_than >= 0)
        what.older_than = time(NULL) - options->older_than / CLOCK_SECOND;
    if (what.builds == 0 && what.give_up == 0 && what.older_than == 0)
        return error_set(
            error, EXIT_USAGE,
            "raddle memo prune needs to know what to forget: --older-than TIME, --builds-but N (from 1) or "
            "--given-up");
    if (options->older_than >= 0 && what.older_than <= 0)
        return error_set(error, EXIT_USAGE, "--older-than: nothing is that old");
    struct memo *memo = open_word(options->words.data[0], MEMO_CHANGE, error);
    bool good = memo != NULL && memo_prune(memo, &what, &pruned, error);
    if (good)
        log_say("forgotten: %" PRIu64 " instances, %" PRIu64 " sites, %" PRIu64 " campaigns, %" PRIu64
                " failures, %" PRIu64 " builds, %" PRIu64 " reasons",
                pruned.instances, pruned.sites, pruned.runs, pruned.failures, pruned.builds, pruned.cores);
    memo_close(memo);
    return good;
}

static bool write_output(const char *path, const struct buffer *text, struct error *error)
{
    if (path != NULL && strcmp(path, "-") != 0)
        return file_write(path, buffer_text(text), text->size, error);
    return file_write_all(STDOUT_FILENO, buffer_text(text), text->size) ||
           error_set(error, EXIT_USAGE, "cannot write to standard output: %s", strerror(errno));
}

static bool export_all(const struct memo_options *options, struct error *error)
{
    struct buffer text = {0};
    struct memo *memo = open_word(options->words.data[0], MEMO_READ, error);
    bool good = memo != NULL && memo_export(memo, &text, error) && write_output(options->output, &text, error);
    memo_close(memo);
    buffer_free(&text);
    return good;
}

static bool import(const struct memo_options *options, struct error *error)
{
    const char *name = options->words.data[1];
    bool standard = strcmp(name, "-") == 0;
    struct buffer text = {0};
    struct memo *memo = NULL;
    bool good = file_read(standard ? "/dev/stdin" : name, IMPORT_LIMIT, &text, error) &&
                (memo = open_word(options->words.data[0], MEMO_CREATE, error)) != NULL &&
                memo_import(memo, standard ? "standard input" : name, buffer_text(&text), text.size,
                            options->largest ? MEMO_LARGEST : MEMO_ADD, error);
    memo_close(memo);
    buffer_free(&text);
    return good;
}

/* ---- the command ------------------------------------------------------------------------------------------------------------ */

static bool (*const actions[MEMO_ACTION_COUNT])(const struct memo_options *, struct error *) = {
    [MEMO_SHOW] = show, [MEMO_MERGE] = merge, [MEMO_PRUNE] = prune, [MEMO_EXPORT] = export_all, [MEMO_IMPORT] = import,
};

static int unknown_action(const char *word)
{
    log_error("raddle memo cannot '%s': it can show, merge, prune, export and import", word);
    return EXIT_USAGE;
}

int command_memo(int argc, char **argv)
{
    struct memo_options options;
    struct error error = {0};
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        memo_options_print_help();
        return argc < 2 ? EXIT_USAGE : 0;
    }
    int action = 0;
    while (action < MEMO_ACTION_COUNT && strcmp(memo_actions[action].name, argv[1]) != 0)
        action++;
    if (action == MEMO_ACTION_COUNT)
        return unknown_action(argv[1]);
    bool good = memo_options_read(&options, (enum memo_action)action, argc - 1, argv + 1, &error);
    if (good && options.help) {
        memo_options_print_help();
    } else if (good) {
        int64_t wait = options.wait / CLOCK_MILLISECOND;
        memo_set_patience(wait < INT_MAX ? (int)wait : INT_MAX);
        good = actions[action](&options, &error);
    }
    memo_options_free(&options);
    if (good && (fflush(stdout) != 0 || ferror(stdout)))
        good = error_set(&error, EXIT_USAGE, "cannot write to standard output: %s", strerror(errno));
    return good ? 0 : error_report(&error);
}
