/* SPDX-License-Identifier: MIT
 *
 * model.c - reads everything that a report shows from the directory that `raddle run` left.
 */
#include "report/model.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/campaign_files.h"
#include "util/file.h"
#include "util/names.h"
#include "util/utf8.h"

#define DEFAULT_OUT "raddle.out"

static void add_problem(struct report *report, const struct error *error)
{
    vector_push(&report->problems, utf8_clean(error->text, strlen(error->text)));
}

/* ---- campaigns ------------------------------------------------------------------------------------------------------------ */

static void read_campaign(struct report *report, struct report_program *program)
{
    char *path = file_join(program->path, CAMPAIGN_FILE_CAMPAIGN);
    struct buffer text = {0};
    struct error error;
    if (file_exists(path)) {
        program->has_campaign = file_read(path, REPORT_LIMIT, &text, &error) &&
                                report_parse_campaign(&program->campaign, path, buffer_text(&text), text.size, &error);
        if (!program->has_campaign)
            add_problem(report, &error);
    }
    buffer_free(&text);
    free(path);
}

/* Lines that cannot be read are skipped; one problem is added for all of them. */
static void read_lines(struct report *report, struct report_program *program, const char *path, const char *text)
{
    size_t number = 0, bad = 0;
    struct error error, first = {0};
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        char *name = memory_format("%s:%zu", path, ++number);
        struct report_past past;
        if (report_parse_past(&past, name, text, length, &error))
            vector_push(&program->history, past);
        else if (bad++ == 0)
            first = error;
        free(name);
        text += length + (text[length] == '\n');
    }
    if (bad > 0)
        add_problem(report, &first);
}

static void read_history(struct report *report, struct report_program *program)
{
    char *path = file_join(program->path, CAMPAIGN_FILE_HISTORY);
    struct buffer text = {0};
    struct error error;
    if (file_exists(path)) {
        if (file_read(path, REPORT_LIMIT, &text, &error))
            read_lines(report, program, path, buffer_text(&text));
        else
            add_problem(report, &error);
    }
    buffer_free(&text);
    free(path);
}

/* ---- failures ------------------------------------------------------------------------------------------------------------- */

/* The end of a file as UTF-8; never NULL.  `cut`: the file has more than that. */
static char *read_end(const char *directory, const char *name, bool *cut)
{
    char *path = file_join(directory, name);
    FILE *file = fopen(path, "re");
    char *bytes = memory_allocate(REPORT_OUTPUT, 1), *text;
    size_t size = 0;
    if (file != NULL) {
        long whole = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
        *cut = whole > REPORT_OUTPUT;
        if (fseek(file, *cut ? whole - REPORT_OUTPUT : 0, SEEK_SET) == 0)
            size = fread(bytes, 1, REPORT_OUTPUT, file);
        fclose(file);
    }
    text = utf8_clean(bytes, size);
    free(bytes);
    free(path);
    return text;
}

static uint64_t count_of(const struct report_program *program, const char *key)
{
    for (size_t i = 0; program->has_campaign && i < program->campaign.seen.count; i++)
        if (strcmp(program->campaign.seen.data[i].key, key) == 0)
            return program->campaign.seen.data[i].count;
    return 0;
}

static void read_tale(struct report *report, struct report_failure *failure)
{
    char *path = file_join(failure->about.path, "tale.json");
    struct error error;
    if (file_exists(path)) {
        failure->has_tale = tale_read(&failure->tale, failure->about.path, &error);
        if (!failure->has_tale)
            add_problem(report, &error);
    }
    free(path);
}

static void read_failure(struct report *report, struct report_program *program, unsigned number)
{
    struct report_failure failure = {.name = memory_format("failure-%u", number)};
    struct error error;
    char *path = file_join(program->path, failure.name);
    if (failure_read(&failure.about, path, &error)) {
        failure.count = count_of(program, failure.about.key);
        read_tale(report, &failure);
        failure.output = read_end(path, "stdout", &failure.output_cut);
        failure.errors = read_end(path, "stderr", &failure.errors_cut);
        vector_push(&program->failures, failure);
    } else {
        add_problem(report, &error);
        free(failure.name);
    }
    free(path);
}

/* ---- programs ------------------------------------------------------------------------------------------------------------- */

/* Whether the directory has a campaign or a failure of raddle. */
static bool is_program(const char *directory)
{
    struct failure_numbers numbers = {0};
    char *campaign = file_join(directory, CAMPAIGN_FILE_CAMPAIGN);
    bool is = file_exists(campaign);
    if (!is) {
        failure_list(directory, &numbers);
        is = numbers.list.count > 0;
        vector_free(&numbers.list);
    }
    free(campaign);
    return is;
}

static void read_program(struct report *report, const char *name, const char *directory)
{
    struct report_program program = {.name = utf8_clean(name, strlen(name)), .path = memory_copy_string(directory)};
    struct failure_numbers numbers = {0};
    read_campaign(report, &program);
    read_history(report, &program);
    failure_list(directory, &numbers);
    for (size_t i = 0; i < numbers.list.count; i++)
        read_failure(report, &program, numbers.list.data[i]);
    vector_free(&numbers.list);
    vector_push(&report->programs, program);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The directories of programs in a directory, sorted by name. */
static void list_programs(const char *directory, struct names *names)
{
    DIR *stream = opendir(directory);
    struct dirent *entry;
    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        char *path = file_join(directory, entry->d_name);
        if (entry->d_name[0] != '.' && is_program(path))
            names_add(names, entry->d_name);
        free(path);
    }
    if (stream != NULL)
        closedir(stream);
    if (names->list.count > 1)
        qsort(names->list.data, names->list.count, sizeof names->list.data[0], compare_texts);
}

/* The name of a directory: its last part; "." and ".." are resolved. */
static char *directory_name(const char *directory)
{
    char *real = realpath(directory, NULL);
    char *name = memory_copy_string(file_base_name(real != NULL ? real : directory));
    free(real);
    return name;
}

/* Without the slashes at its end. */
static char *trim_slashes(const char *directory)
{
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    return memory_format("%.*s", (int)length, directory);
}

bool report_read(struct report *report, const char *directory, struct error *error)
{
    *report = (struct report){0};
    if (!file_exists(directory))
        return error_set(error, EXIT_USAGE, "there is no %s; 'raddle run' makes raddle.out/PROGRAM", directory);
    if (!file_is_directory(directory))
        return error_set(error, EXIT_USAGE,
                         "%s is not a directory; give the one that 'raddle run' made, such as "
                         "raddle.out/PROGRAM",
                         directory);
    char *trimmed = trim_slashes(directory);
    struct names names = {0};
    if (is_program(trimmed)) {
        char *name = directory_name(trimmed);
        read_program(report, name, trimmed);
        free(name);
    } else {
        list_programs(trimmed, &names);
        for (size_t i = 0; i < names.list.count; i++) {
            char *path = file_join(trimmed, names.list.data[i]);
            read_program(report, names.list.data[i], path);
            free(path);
        }
        names_free(&names);
    }
    bool found = report->programs.count > 0;
    char *about = file_join(trimmed, "about.json");
    if (!found && file_exists(about))
        error_set(error, EXIT_USAGE,
                  "%s is one failure: 'raddle explain %s' shows it; reports are about the directory that "
                  "it is in",
                  trimmed, trimmed);
    else if (!found)
        error_set(error, EXIT_USAGE,
                  "there is nothing to report on in %s: no campaign.json and no failure-N; 'raddle run' "
                  "leaves them",
                  trimmed);
    free(about);
    free(trimmed);
    return found;
}

char *report_default_directory(struct error *error)
{
    struct names names = {0};
    char *only = NULL;
    if (is_program(DEFAULT_OUT))
        return memory_copy_string(DEFAULT_OUT);
    list_programs(DEFAULT_OUT, &names);
    if (names.list.count == 1) {
        only = file_join(DEFAULT_OUT, names.list.data[0]);
    } else if (names.list.count == 0) {
        error_set(error, EXIT_USAGE,
                  "there is nothing to report on in " DEFAULT_OUT " here; 'raddle run' makes it, or name "
                  "the directory that was given to --out");
    } else {
        struct buffer list = {0};
        for (size_t i = 0; i < names.list.count; i++)
            buffer_printf(&list, "%s%s", i > 0 ? ", " : "", names.list.data[i]);
        error_set(error, EXIT_USAGE,
                  "there are %zu programs in " DEFAULT_OUT "; name one, or give " DEFAULT_OUT " for all: "
                  "%s",
                  names.list.count, buffer_text(&list));
        buffer_free(&list);
    }
    names_free(&names);
    return only;
}

/* ---- the end -------------------------------------------------------------------------------------------------------------- */

static void free_program(struct report_program *program)
{
    for (size_t i = 0; i < program->failures.count; i++) {
        struct report_failure *failure = &program->failures.data[i];
        free(failure->name);
        failure_free(&failure->about);
        if (failure->has_tale)
            tale_free(&failure->tale);
        free(failure->output);
        free(failure->errors);
    }
    vector_free(&program->failures);
    for (size_t i = 0; i < program->history.count; i++)
        report_free_past(&program->history.data[i]);
    vector_free(&program->history);
    if (program->has_campaign)
        report_free_campaign(&program->campaign);
    free(program->name);
    free(program->path);
}

void report_free(struct report *report)
{
    for (size_t i = 0; i < report->programs.count; i++)
        free_program(&report->programs.data[i]);
    vector_free(&report->programs);
    for (size_t i = 0; i < report->problems.count; i++)
        free(report->problems.data[i]);
    vector_free(&report->problems);
}

/* ---- questions ------------------------------------------------------------------------------------------------------------ */

size_t report_count_open(const struct report_program *program)
{
    size_t count = 0;
    for (size_t i = 0; i < program->failures.count; i++)
        count += !program->failures.data[i].about.fixed;
    return count;
}

const char *report_headline(const struct report_failure *failure)
{
    const struct failure *about = &failure->about;
    return about->text != NULL && about->text[0] != '\0' ? about->text
           : about->kind[0] != '\0'                      ? about->kind
                                                         : "failure";
}

uint64_t report_covered(const struct report_coverage *coverage)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < coverage->families.count; i++)
        sum += coverage->families.data[i].count.covered;
    return sum;
}

uint64_t report_open(const struct report_coverage *coverage)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < coverage->families.count; i++)
        sum += coverage->families.data[i].count.open;
    return sum;
}

double report_share(const struct report_count *count)
{
    uint64_t known = count->covered + count->open;
    return known > 0 ? (double)count->covered / (double)known : 1;
}

char *report_command(char *const *command)
{
    struct buffer text = {0};
    for (char *const *word = command; *word != NULL; word++) {
        if (word != command)
            buffer_add_char(&text, ' ');
        buffer_add_quoted(&text, *word);
    }
    return buffer_take(&text);
}
