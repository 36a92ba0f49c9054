/* SPDX-License-Identifier: MIT
 *
 * analyze_static.c - see analyze_static.h.
 */
#include "cli/analyze_static.h"

#include <string.h>

#include "analyze/analysis.h"
#include "analyze/section.h"
#include "cli/cc_arguments.h"
#include "cli/ir.h"
#include "util/file.h"
#include "util/paths.h"

static bool is_source(const char *path)
{
    enum cc_word kind;
    char *words[] = {(char *)path}, language[8] = "";
    cc_arguments_word(words, 0, 1, language, sizeof language, &kind);
    return kind == CC_WORD_SOURCE;
}

static bool is_plus(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && dot[1] != 'c' ? true : dot != NULL && strcmp(dot, ".c") != 0;
}

/* The IR of source files: what the sections of their objects would be. */
static bool compile_sources(const struct analyze_static *options, struct section_records *records, struct error *error)
{
    struct paths paths;
    char *clang = ir_find_clang(error);
    if (clang == NULL || !paths_find(&paths, error)) {
        free(clang);
        return false;
    }
    struct ir_command command;
    struct buffer section = {0};
    ir_command_read(&command, paths.include, options->flag_count, options->flags);
    bool good = true;
    for (size_t i = 0; i < options->inputs.list.count && good; i++) {
        struct ir_source source = {options->inputs.list.data[i], NULL};
        if (!file_exists(source.path))
            good = error_set(error, EXIT_USAGE, "%s does not exist", source.path);
        else
            ir_add_source(clang, &command, &source, is_plus(source.path), &section);
    }
    good = good && section_parse("the source files", buffer_text(&section), section.size, records, error);
    ir_command_free(&command);
    buffer_free(&section);
    paths_free(&paths);
    free(clang);
    return good;
}

static bool read_inputs(const struct analyze_static *options, struct section_records *records, struct error *error)
{
    size_t sources = 0;
    for (size_t i = 0; i < options->inputs.list.count; i++)
        sources += is_source(options->inputs.list.data[i]);
    if (sources > 0 && sources < options->inputs.list.count)
        return error_set(error, EXIT_USAGE, "analyze takes programs or source files, not both at once");
    if (sources > 0 && !compile_sources(options, records, error))
        return false;
    for (size_t i = 0; sources == 0 && i < options->inputs.list.count; i++)
        if (!section_read(options->inputs.list.data[i], records, error))
            return false;
    if (records->all.count > 0)
        return true;
    const char *first = records->without.list.count > 0 ? records->without.list.data[0] : "there is no source in it";
    return error_set(error, EXIT_USAGE, "there is no IR to analyze: %s", first);
}

static bool write_json(const struct analysis *analysis, const char *path, struct error *error)
{
    struct buffer text = {0};
    struct json_writer json = {.to = &text, .indent = 1, .flat = 3};
    analysis_json(analysis, &json);
    buffer_add_char(&text, '\n');
    bool good = strcmp(path, "-") == 0 ? fwrite(text.data, 1, text.size, stdout) == text.size
                                       : file_write(path, text.data, text.size, error);
    buffer_free(&text);
    return good;
}

static bool answer(const struct analyze_static *options, struct section_records *records, struct error *error)
{
    struct analysis analysis;
    VECTOR(struct reader_input) inputs = {0};
    for (size_t i = 0; i < records->all.count; i++) {
        const struct section_record *record = &records->all.data[i];
        struct reader_input input = {record->name, record->bytes, record->size};
        vector_push(&inputs, input);
    }
    bool good = analysis_make(&analysis, inputs.data, inputs.count, &records->without, error);
    analysis.name = memory_copy_string(file_base_name(options->inputs.list.data[0]));
    if (good && !options->quiet && (options->json == NULL || strcmp(options->json, "-") != 0))
        analysis_print(&analysis, options->full ? 0 : ANALYSIS_SHORT, stdout);
    if (good && options->json != NULL)
        good = write_json(&analysis, options->json, error);
    analysis_free(&analysis);
    vector_free(&inputs);
    return good;
}

bool analyze_static(const struct analyze_static *options, struct error *error)
{
    struct section_records records = {0};
    bool good = read_inputs(options, &records, error) && answer(options, &records, error);
    section_records_free(&records);
    return good;
}
