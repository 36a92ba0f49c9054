/* SPDX-License-Identifier: MIT
 *
 * failure.c - failures on disk.
 */
#include "trace/failure.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/json.h"

enum { ABOUT_VERSION = 1, ABOUT_LIMIT = 16 << 20 };

#ifndef RADDLE_VERSION
#define RADDLE_VERSION "unknown"
#endif

char **failure_copy_command(char *const *command)
{
    assert(command != NULL);
    size_t count = 0;
    while (command[count] != NULL)
        count++;
    char **copy = memory_allocate(count + 1, sizeof *copy);
    for (size_t i = 0; i < count; i++)
        copy[i] = memory_copy_string(command[i]);
    return copy;
}

bool failure_has_key(const struct failure *failure, const char *key)
{
    bool has = strcmp(failure->key, key) == 0;
    for (char **also = failure->also; also != NULL && *also != NULL && !has; also++)
        has = strcmp(*also, key) == 0;
    return has;
}

void failure_add_key(struct failure *failure, const char *key)
{
    size_t count = 0;
    if (failure_has_key(failure, key))
        return;
    while (failure->also != NULL && failure->also[count] != NULL)
        count++;
    failure->also = memory_resize(failure->also, count + 2, sizeof *failure->also);
    failure->also[count] = memory_copy_string(key);
    failure->also[count + 1] = NULL;
}

void failure_free(struct failure *failure)
{
    char *texts[] = {failure->path,         failure->kind,          failure->site,      failure->text,
                     failure->key,          failure->strategy,      failure->directory, failure->check,
                     failure->fail_on,      failure->expect_output, failure->assume,    failure->oracle,
                     failure->cause,        failure->build,         failure->program,   failure->early,
                     failure->suppressions, failure->left_out,      failure->pattern};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        free(texts[i]);
    for (char **word = failure->command; word != NULL && *word != NULL; word++)
        free(*word);
    free(failure->command);
    for (char **key = failure->also; key != NULL && *key != NULL; key++)
        free(*key);
    free(failure->also);
    schedule_free(&failure->schedule);
    *failure = (struct failure){0};
}

void failure_files_free(struct failure_files *files)
{
    buffer_free(&files->events);
    buffer_free(&files->output);
    buffer_free(&files->errors);
    buffer_free(&files->input);
    buffer_free(&files->tale);
}

/* ---- about.json: writing -------------------------------------------------------------------------------------------- */

static json_t *shrink_build(const struct failure *failure)
{
    json_t *shrink = json_object();
    json_object_set_new(shrink, "runs", json_integer((json_int_t)failure->shrink_runs));
    json_object_set_new(shrink, "complete", json_boolean(failure->shrink_complete));
    return shrink;
}

static json_t *events_build(const struct failure *failure)
{
    json_t *events = json_object();
    json_object_set_new(events, "count", json_integer((json_int_t)failure->events));
    json_object_set_new(events, "left_out", json_integer((json_int_t)failure->events_left_out));
    json_object_set_new(events, "full", json_boolean(failure->full_events));
    return events;
}

static json_t *words_build(char *const *words)
{
    json_t *list = json_array();
    for (char *const *word = words; word != NULL && *word != NULL; word++)
        json_array_append_new(list, json_from_text(*word));
    return list;
}

static json_t *about_build(const struct failure *failure)
{
    json_t *about = json_object();
    json_object_set_new(about, "format", json_integer(ABOUT_VERSION));
    json_object_set_new(about, "version", json_string(RADDLE_VERSION));
    json_object_set_new(about, "kind", json_from_text(failure->kind));
    json_object_set_new(about, "site", json_from_text(failure->site));
    json_object_set_new(about, "text", json_from_text(failure->text));
    json_object_set_new(about, "key", json_from_text(failure->key));
    json_object_set_new(about, "confirmed", json_boolean(failure->confirmed));
    json_object_set_new(about, "status", json_string(failure->fixed ? "fixed" : "open"));
    json_object_set_new(about, "strategy", json_from_text(failure->strategy));
    json_object_set_new(about, "seed", json_integer((json_int_t)failure->campaign_seed));
    json_object_set_new(about, "schedule", json_integer((json_int_t)failure->schedule_number));
    json_object_set_new(about, "preemptions", json_integer(failure->preemptions));
    json_object_set_new(about, "preemptions_found", json_integer(failure->preemptions_found));
    json_object_set_new(about, "threads", json_integer(failure->threads));
    if (failure->shrunk)
        json_object_set_new(about, "shrink", shrink_build(failure));
    if (failure->events_left_out > 0 || failure->full_events)
        json_object_set_new(about, "events", events_build(failure));
    if (failure->size_limit > 0)
        json_object_set_new(about, "size_limit", json_integer((json_int_t)failure->size_limit));
    if (failure->left_out != NULL)
        json_object_set_new(about, "left_out", json_from_text(failure->left_out));
    json_object_set_new(about, "cause", json_from_text(failure->cause));
    json_object_set_new(about, "pattern", json_from_text(failure->pattern));
    if (failure->also != NULL)
        json_object_set_new(about, "also", words_build(failure->also));
    json_object_set_new(about, "program", json_from_text(failure->program));
    json_object_set_new(about, "early_end", json_from_text(failure->early));
    json_object_set_new(about, "build", json_from_text(failure->build));
    json_object_set_new(about, "command", words_build(failure->command));
    json_object_set_new(about, "directory", json_from_text(failure->directory));
    json_object_set_new(about, "preload", json_boolean(failure->preload));
    json_object_set_new(about, "check", json_from_text(failure->check));
    json_object_set_new(about, "fail_on", json_from_text(failure->fail_on));
    json_object_set_new(about, "expect_exit", json_integer((json_int_t)failure->expect_exit));
    json_object_set_new(about, "expect_output", json_from_text(failure->expect_output));
    json_object_set_new(about, "assume", json_from_text(failure->assume));
    json_object_set_new(about, "oracle", json_from_text(failure->oracle));
    if (failure->suppressions != NULL)
        json_object_set_new(about, "suppressions", json_from_text(failure->suppressions));
    return about;
}

static bool about_write(const struct failure *failure, const char *directory, struct error *error)
{
    json_t *about = about_build(failure);
    char *text = json_dumps(about, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    json_decref(about);
    if (text == NULL)
        return error_set(error, EXIT_INTERNAL, "the description of the failure could not be written as JSON");
    char *line = memory_format("%s\n", text);
    char *path = file_join(directory, "about.json");
    bool good = file_write(path, line, strlen(line), error);
    free(text);
    free(line);
    free(path);
    return good;
}

bool failure_update(const struct failure *failure, struct error *error)
{
    return about_write(failure, failure->path, error);
}

/* ---- about.json: reading -------------------------------------------------------------------------------------------- */

static char *copy_member(const json_t *about, const char *name)
{
    const char *text = json_string_value(json_object_get(about, name));
    return text != NULL ? memory_copy_string(text) : NULL;
}

static uint64_t number_member(const json_t *about, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(about, name));
}

static bool read_command(struct failure *failure, const char *name, const json_t *about, struct error *error)
{
    const json_t *words = json_object_get(about, "command");
    size_t count = json_array_size(words);
    if (count == 0)
        return error_set(error, EXIT_USAGE, "%s does not say which program failed: 'command' is missing", name);
    failure->command = memory_allocate(count + 1, sizeof *failure->command);
    for (size_t i = 0; i < count; i++) {
        const char *word = json_string_value(json_array_get(words, i));
        if (word == NULL)
            return error_set(error, EXIT_USAGE, "%s: 'command' must be a list of texts", name);
        failure->command[i] = memory_copy_string(word);
    }
    return true;
}

static void read_keys(struct failure *failure, const json_t *keys)
{
    for (size_t i = 0; i < json_array_size(keys); i++)
        if (json_is_string(json_array_get(keys, i)))
            failure_add_key(failure, json_string_value(json_array_get(keys, i)));
}

static void read_events(struct failure *failure, const json_t *events)
{
    failure->events = number_member(events, "count");
    failure->events_left_out = number_member(events, "left_out");
    failure->full_events = json_is_true(json_object_get(events, "full"));
    if (failure->events_left_out > failure->events)
        failure->events = failure->events_left_out = 0;
}

/* Members that failures of older versions do not have. */
static void read_shrink(struct failure *failure, const json_t *about)
{
    const json_t *shrink = json_object_get(about, "shrink");
    failure->preemptions_found = json_is_integer(json_object_get(about, "preemptions_found"))
                                     ? (uint32_t)number_member(about, "preemptions_found")
                                     : failure->preemptions;
    failure->shrunk = json_is_object(shrink);
    failure->shrink_runs = number_member(shrink, "runs");
    failure->shrink_complete = json_is_true(json_object_get(shrink, "complete"));
    read_events(failure, json_object_get(about, "events"));
    failure->size_limit = number_member(about, "size_limit");
    failure->left_out = copy_member(about, "left_out");
    failure->cause = copy_member(about, "cause");
    failure->pattern = copy_member(about, "pattern");
    failure->program = copy_member(about, "program");
    failure->early = copy_member(about, "early_end");
    failure->build = copy_member(about, "build");
}

static bool read_about(struct failure *failure, const char *name, const json_t *about, struct error *error)
{
    if (!json_is_object(about) || !json_is_integer(json_object_get(about, "format")))
        return error_set(error, EXIT_USAGE, "%s does not describe a failure of raddle", name);
    if (number_member(about, "format") != ABOUT_VERSION)
        return error_set(
            error, EXIT_USAGE,
            "%s has version %lld of its format, this raddle reads version %d; use the raddle that wrote it", name,
            json_integer_value(json_object_get(about, "format")), ABOUT_VERSION);
    failure->kind = copy_member(about, "kind");
    failure->site = copy_member(about, "site");
    failure->text = copy_member(about, "text");
    failure->key = copy_member(about, "key");
    if (failure->kind == NULL || failure->key == NULL)
        return error_set(error, EXIT_USAGE, "%s does not say what failed: 'kind' or 'key' is missing", name);
    read_keys(failure, json_object_get(about, "also"));
    failure->confirmed = json_is_true(json_object_get(about, "confirmed"));
    const char *status = json_string_value(json_object_get(about, "status"));
    failure->fixed = status != NULL && strcmp(status, "fixed") == 0;
    failure->strategy = copy_member(about, "strategy");
    failure->campaign_seed = number_member(about, "seed");
    failure->schedule_number = number_member(about, "schedule");
    failure->preemptions = (uint32_t)number_member(about, "preemptions");
    failure->threads = (uint32_t)number_member(about, "threads");
    read_shrink(failure, about);
    failure->directory = copy_member(about, "directory");
    failure->preload = json_is_true(json_object_get(about, "preload"));
    failure->check = copy_member(about, "check");
    failure->fail_on = copy_member(about, "fail_on");
    failure->expect_exit = number_member(about, "expect_exit");
    failure->expect_output = copy_member(about, "expect_output");
    failure->assume = copy_member(about, "assume");
    failure->oracle = copy_member(about, "oracle");
    failure->suppressions = copy_member(about, "suppressions");
    return read_command(failure, name, about, error);
}

bool failure_parse(struct failure *failure, const char *name, const char *text, size_t size, struct error *error)
{
    json_error_t problem;
    *failure = (struct failure){0};
    json_t *about = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
    if (about == NULL)
        return error_set(error, EXIT_USAGE, "%s:%d: not JSON: %s", name, problem.line, problem.text);
    bool good = read_about(failure, name, about, error);
    json_decref(about);
    if (!good)
        failure_free(failure);
    return good;
}

/* The schedule is read last: whether there is one, and why not, is said before. */
static bool read_parts(struct failure *failure, const char *path, struct error *error)
{
    char *about = file_join(path, "about.json"), *schedule = file_join(path, "schedule");
    struct buffer text = {0};
    bool good = (file_exists(about) ||
                 error_set(error, EXIT_USAGE, "%s is not a failure that raddle saved: it has no about.json", path)) &&
                file_read(about, ABOUT_LIMIT, &text, error) &&
                failure_parse(failure, about, buffer_text(&text), text.size, error);
    if (good && failure->left_out != NULL && !file_exists(schedule))
        good = error_set(error, EXIT_USAGE, "%s cannot be run again: it was too large to be kept (%s)", path,
                         failure->left_out);
    else
        good = good && schedule_read(&failure->schedule, schedule, error);
    buffer_free(&text);
    free(about);
    free(schedule);
    return good;
}

bool failure_read(struct failure *failure, const char *path, struct error *error)
{
    *failure = (struct failure){0};
    if (!file_exists(path))
        return error_set(error, EXIT_USAGE, "there is no failure %s; 'raddle run' says where it puts them", path);
    if (!file_is_directory(path))
        return error_set(error, EXIT_USAGE,
                         "%s is not a directory; give the failure's directory, such as raddle.out/PROGRAM/failure-1",
                         path);
    bool good = read_parts(failure, path, error);
    if (good)
        failure->path = memory_copy_string(path);
    else
        failure_free(failure);
    return good;
}

/* ---- the directory ---------------------------------------------------------------------------------------------------- */

struct parts { /* that are being written */
    const char *directory;
    uint64_t room;          /* for the next ones */
    struct buffer left_out; /* as failure.left_out */
    struct error *error;
};

static bool write_always(struct parts *parts, const char *name, const struct buffer *content)
{
    char *path = file_join(parts->directory, name);
    bool good = file_write(path, buffer_text(content), content->size, parts->error);
    free(path);
    parts->room -= content->size < parts->room ? content->size : parts->room;
    return good;
}

static void leave_out(struct parts *parts, const char *name, size_t size)
{
    enum { MB = 1 << 20 };
    buffer_printf(&parts->left_out, "%s%s (%zu MB)", parts->left_out.size > 0 ? ", " : "", name, (size + MB / 2) / MB);
}

static bool write_part(struct parts *parts, const char *name, const struct buffer *content)
{
    if (content->size <= parts->room)
        return write_always(parts, name, content);
    leave_out(parts, name, content->size);
    return true;
}

static void schedule_text(const struct failure *failure, const struct schedule *schedule, struct buffer *text)
{
    char *comment =
        memory_format("%s (%s, schedule %llu, seed %llu)", failure->text ? failure->text : failure->kind,
                      failure->strategy ? failure->strategy : "?", (unsigned long long)failure->schedule_number,
                      (unsigned long long)failure->campaign_seed);
    for (char *c = comment; *c != '\0'; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    schedule_write(schedule, comment, text);
    free(comment);
}

/* Nothing can be run again without it. */
static bool write_schedule(struct parts *parts, const struct failure *failure)
{
    struct buffer text = {0};
    bool good = true;
    schedule_text(failure, &failure->schedule, &text);
    if (text.size <= SCHEDULE_LIMIT)
        good = write_always(parts, "schedule", &text);
    else
        leave_out(parts, "schedule", text.size);
    buffer_free(&text);
    return good;
}

static bool write_found(struct parts *parts, const struct failure *failure, const struct schedule *found)
{
    struct buffer text = {0};
    if (found == NULL)
        return true;
    schedule_text(failure, found, &text);
    bool good = write_part(parts, "schedule.found", &text);
    buffer_free(&text);
    return good;
}

static bool write_command(struct parts *parts, const struct failure *failure)
{
    struct buffer text = {0};
    for (char **word = failure->command; *word != NULL; word++) {
        if (word != failure->command)
            buffer_add_char(&text, ' ');
        buffer_add_quoted(&text, *word);
    }
    buffer_add_char(&text, '\n');
    bool good = write_always(parts, "command", &text);
    buffer_free(&text);
    return good;
}

static bool write_about(struct parts *parts, struct failure *failure)
{
    free(failure->left_out);
    failure->left_out = parts->left_out.size > 0 ? buffer_take(&parts->left_out) : NULL;
    return about_write(failure, parts->directory, parts->error);
}

/* All files, what is needed most first.  `rest`: also those that do not change when the failure is shrunk. */
static bool write_parts(struct failure *failure, const char *directory, const struct failure_files *files, bool rest,
                        struct error *error)
{
    struct parts parts = {
        .directory = directory, .room = failure->size_limit > 0 ? failure->size_limit : UINT64_MAX, .error = error};
    bool good = write_schedule(&parts, failure) && (!rest || write_command(&parts, failure)) &&
                (files->tale.size == 0 || write_part(&parts, "tale.json", &files->tale)) &&
                write_part(&parts, "stdout", &files->output) && write_part(&parts, "stderr", &files->errors) &&
                (!rest || !files->has_input || write_part(&parts, "stdin", &files->input)) &&
                write_found(&parts, failure, files->found) &&
                (files->events.size == 0 || write_part(&parts, "events", &files->events)) &&
                write_about(&parts, failure);
    buffer_free(&parts.left_out);
    return good;
}

/* Renames to the first free number; another raddle may do the same at the same time. */
static char *move_into_place(const char *temporary, const char *out, bool confirmed)
{
    struct failure_numbers numbers = {0};
    if (confirmed)
        failure_list(out, &numbers);
    unsigned number = numbers.list.count > 0 ? numbers.list.data[numbers.list.count - 1] + 1 : 1;
    vector_free(&numbers.list);
    for (unsigned attempt = 0; attempt < 1000; attempt++, number++) {
        char *path = memory_format("%s/%s-%u", out, confirmed ? "failure" : "unconfirmed", number);
        /* rename() replaces an empty directory only; ours are never empty. */
        if (rename(temporary, path) == 0)
            return path;
        int saved = errno;
        free(path);
        errno = saved;
        if (saved != EEXIST && saved != ENOTEMPTY && saved != ENOTDIR)
            return NULL;
    }
    return NULL;
}

bool failure_write(struct failure *failure, const char *out, const struct failure_files *files, struct error *error)
{
    if (!file_make_directories(out, error))
        return false;
    char *temporary = memory_format("%s/.failure.tmp%d", out, (int)getpid());
    file_remove_tree(temporary);
    bool good = true;
    if (mkdir(temporary, 0777) != 0)
        good = error_set(error, EXIT_USAGE, "cannot create %s: %s; choose another place with --out", temporary,
                         strerror(errno));
    good = good && write_parts(failure, temporary, files, true, error);
    if (good) {
        free(failure->path);
        failure->path = move_into_place(temporary, out, failure->confirmed);
        if (failure->path == NULL)
            good = error_set(error, EXIT_USAGE, "cannot create a failure directory in %s: %s", out, strerror(errno));
        else
            file_flush_directory(out);
    }
    if (!good)
        file_remove_tree(temporary);
    free(temporary);
    return good;
}

/* Moves the files of `from` that `to` does not have to `to`. */
static bool keep_others(const char *from, const char *to, struct error *error)
{
    DIR *directory = opendir(from);
    if (directory == NULL)
        return error_set(error, EXIT_USAGE, "cannot read %s: %s", from, strerror(errno));
    bool good = true;
    struct dirent *entry;
    while (good && (entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char *old = file_join(from, entry->d_name), *new = file_join(to, entry->d_name);
        struct buffer content = {0};
        bool of_the_run = strcmp(entry->d_name, "tale.json") == 0 || strcmp(entry->d_name, "events") == 0 ||
                          strcmp(entry->d_name, "schedule") == 0;
        if (!of_the_run && !file_is_directory(old) && !file_exists(new) && link(old, new) != 0)
            good = file_read(old, SIZE_MAX / 2, &content, error) &&
                   file_write(new, buffer_text(&content), content.size, error);
        buffer_free(&content);
        free(old);
        free(new);
    }
    closedir(directory);
    return good;
}

/* Exchanges the two directories; with two renames if the file system has no exchange. */
static bool exchange(const char *temporary, const char *path)
{
    if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_EXCHANGE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    char *old = memory_format("%s.old", temporary);
    bool good = rename(path, old) == 0;
    if (good && rename(temporary, path) != 0) {
        int saved = errno;
        rename(old, path);
        errno = saved;
        good = false;
    } else if (good) {
        file_remove_tree(old);
    }
    free(old);
    return good;
}

bool failure_replace(struct failure *failure, const struct failure_files *files, struct error *error)
{
    char *path = realpath(failure->path, NULL);
    if (path == NULL)
        return error_set(error, EXIT_USAGE, "cannot find %s any more: %s", failure->path, strerror(errno));
    char *temporary = memory_format("%s.tmp%d", path, (int)getpid()), *found = file_join(path, "schedule.found");
    struct failure_files parts = *files;
    if (file_exists(found))
        parts.found = NULL; /* the first saved schedule stays */
    file_remove_tree(temporary);
    bool good = true;
    if (mkdir(temporary, 0777) != 0)
        good = error_set(error, EXIT_USAGE, "cannot create %s: %s", temporary, strerror(errno));
    good = good && write_parts(failure, temporary, &parts, false, error) && keep_others(path, temporary, error);
    if (good && !exchange(temporary, path))
        good = error_set(error, EXIT_USAGE, "cannot replace %s: %s", path, strerror(errno));
    file_remove_tree(temporary);
    free(path);
    free(temporary);
    free(found);
    return good;
}

static int compare_numbers(const void *a, const void *b)
{
    unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;
    return left < right ? -1 : left > right;
}

void failure_list(const char *out, struct failure_numbers *numbers)
{
    DIR *directory = opendir(out);
    if (directory == NULL)
        return;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        unsigned number;
        char rest;
        if (sscanf(entry->d_name, "failure-%u%c", &number, &rest) == 1 && number > 0 && number < 1000000000)
            vector_push(&numbers->list, number);
    }
    closedir(directory);
    if (numbers->list.count > 0)
        qsort(numbers->list.data, numbers->list.count, sizeof *numbers->list.data, compare_numbers);
}
