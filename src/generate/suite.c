/* SPDX-License-Identifier: MIT
 *
 * suite.c - see suite.h.
 */
#include "generate/suite.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "generate/emit.h"
#include "util/file.h"

/* "struct queue" gives "queue". */
static char *short_name(const char *spelling)
{
    const char *last = strrchr(spelling, ' '), *colon = strrchr(spelling, ':');
    const char *start = last != NULL ? last + 1 : colon != NULL ? colon + 1 : spelling;
    char *name = memory_copy_string(start);
    for (char *at = name; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    return name;
}

static bool write_test(const struct session *session, const struct test *test, unsigned number, struct error *error)
{
    char *name = short_name(session->api->records.data[session->library.subject].spelling);
    char *file = memory_format("%s_%02u.%s", name, number, session->options->input.plus ? "cc" : "c");
    char *path = file_join(session->options->suite, file);
    struct buffer text = {0};
    struct emit emit = {test, &session->library, file, NULL, session->options->seed};
    emit_test(&emit, &text);
    bool good = file_write(path, text.data, text.size, error);
    buffer_free(&text);
    free(name);
    free(file);
    free(path);
    return good;
}

static int compare_scores(const void *a, const void *b)
{
    const struct candidate *const *first = a, *const *second = b;
    if ((*first)->score != (*second)->score)
        return (*first)->score > (*second)->score ? -1 : 1;
    return *first < *second ? -1 : *first > *second;
}

bool suite_add(struct session *session, struct error *error)
{
    VECTOR(struct candidate *) chosen = {0};
    bool good = file_make_directories(session->options->suite, error);
    for (size_t i = 0; i < session->candidates.all.count; i++)
        if (session->candidates.all.data[i].schedules > 0)
            vector_push(&chosen, &session->candidates.all.data[i]);
    if (chosen.count > 0)
        qsort(chosen.data, chosen.count, sizeof(struct candidate *), compare_scores);
    for (size_t i = 0; i < chosen.count && i < SUITE_TESTS && good; i++)
        good = write_test(session, &chosen.data[i]->test, (unsigned)i + 1, error);
    vector_free(&chosen);
    return good;
}

/* ---- building ----------------------------------------------------------------------------------------------------------- */

static void add_words(struct buffer *text, const api_texts *words, const char *before)
{
    for (size_t i = 0; i < words->count; i++) {
        buffer_add_string(text, before);
        buffer_add_quoted(text, words->data[i]);
    }
}

static void add_include_flags(const struct library_input *input, struct buffer *text)
{
    for (size_t i = 0; i < input->headers.count; i++) {
        char *flag = library_include_flag(input->headers.data[i]);
        buffer_add_char(text, ' ');
        buffer_add_quoted(text, flag);
        free(flag);
    }
    for (int i = 0; i < input->flag_count; i++) {
        buffer_add_char(text, ' ');
        buffer_add_quoted(text, input->flags[i]);
    }
}

static bool write_makefile(const struct generate_options *options, struct error *error)
{
    bool plus = options->input.plus;
    const char *variable = plus ? "CXX" : "CC", *ending = plus ? "cc" : "c";
    struct buffer text = {0};
    buffer_printf(
        &text,
        "# make check runs all tests: under raddle if it is there, else as they are.\n"
        "RADDLE ?= $(shell command -v raddle)\n"
        "ifneq ($(RADDLE),)\n%s := $(RADDLE) %s\nRUN = $(RADDLE) run --quiet --runs 200 --seed 1 --\nendif\n\nMODULE =",
        variable, plus ? "c++" : "cc");
    add_words(&text, &options->input.sources, " ");
    buffer_add_string(&text, "\nFLAGS =");
    add_include_flags(&options->input, &text);
    buffer_printf(&text, "\nTESTS := $(patsubst %%.%s,%%,$(wildcard *.%s))\n\nall: $(TESTS)\n\n", ending, ending);
    buffer_printf(&text, "$(TESTS): %%: %%.%s\n\t$(%s) -g $< $(MODULE) $(FLAGS) -pthread -o $@\n\n", ending, variable);
    buffer_add_string(&text, "check: all\n\t@status=0; for test in $(TESTS); do $(RUN) ./$$test || "
                             "{ echo \"$$test failed\"; status=1; }; done; exit $$status\n\n"
                             "clean:\n\trm -f $(TESTS)\n\n.PHONY: all check clean\n");
    char *path = file_join(options->suite, "Makefile");
    bool good = file_write(path, text.data, text.size, error);
    buffer_free(&text);
    free(path);
    return good;
}

static bool write_cmake(const struct generate_options *options, struct error *error)
{
    bool plus = options->input.plus;
    struct buffer text = {0};
    buffer_printf(&text,
                  "cmake_minimum_required(VERSION 3.10)\nproject(generated_tests %s)\nenable_testing()\n"
                  "find_package(Threads REQUIRED)\nfind_package(Raddle QUIET)\n"
                  "file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.%s)\nset(module",
                  plus ? "C CXX" : "C", plus ? "cc" : "c");
    add_words(&text, &options->input.sources, " ");
    buffer_add_string(&text, ")\nset(flags");
    add_include_flags(&options->input, &text);
    buffer_add_string(&text,
                      ")\nforeach(source ${tests})\n  get_filename_component(name ${source} NAME_WE)\n"
                      "  add_executable(${name} ${source} ${module})\n"
                      "  target_compile_options(${name} PRIVATE ${flags})\n"
                      "  target_link_libraries(${name} PRIVATE Threads::Threads)\n"
                      "  add_test(NAME ${name} COMMAND ${name})\n"
                      "  if(Raddle_FOUND)\n    raddle_add_test(NAME ${name}_interleavings COMMAND ${name} TIME 5s)\n"
                      "  endif()\nendforeach()\n");
    char *path = file_join(options->suite, "CMakeLists.txt");
    bool good = file_write(path, text.data, text.size, error);
    buffer_free(&text);
    free(path);
    return good;
}

bool suite_finish(const struct generate_options *options, struct error *error)
{
    return file_make_directories(options->suite, error) && write_makefile(options, error) &&
           write_cmake(options, error);
}
