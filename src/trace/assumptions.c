/* SPDX-License-Identifier: MIT
 *
 * assumptions.c - what the user says about atomic sets and units of work; see atomic_sets.h.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/atomic_sets.h"
#include "util/buffer.h"
#include "util/file.h"
#include "util/memory.h"
#include "util/vector.h"

struct assumption_row {
    enum assumption what;
    char *name;
};

struct assumptions {
    VECTOR(struct assumption_row) rows;
    char *text;
};

static const char *const words[ASSUMPTIONS] = {"unit", "no-unit", "set", "no-set", "benign"};

static const char blanks[] = " \t\r";

/* A word and a name; false: the line is wrong.  An empty line says nothing. */
static bool read_line(struct assumptions *assumptions, char *line)
{
    line[strcspn(line, "#")] = '\0';
    char *word = line + strspn(line, blanks);
    if (*word == '\0')
        return true;
    char *name = word + strcspn(word, blanks);
    if (*name != '\0')
        *name++ = '\0';
    name += strspn(name, blanks);
    size_t length = strlen(name);
    while (length > 0 && strchr(blanks, name[length - 1]) != NULL)
        name[--length] = '\0';
    for (unsigned i = 0; i < ASSUMPTIONS && length > 0; i++)
        if (strcmp(word, words[i]) == 0) {
            vector_push(&assumptions->rows, (struct assumption_row){(enum assumption)i, memory_copy_string(name)});
            return true;
        }
    return false;
}

static bool read_lines(struct assumptions *assumptions, char *text, const char *path, struct error *error)
{
    unsigned number = 1;
    for (char *line = text; line != NULL; number++) {
        char *end = strchr(line, '\n');
        if (end != NULL)
            *end++ = '\0';
        if (!read_line(assumptions, line))
            return error_set(error, EXIT_USAGE,
                             "%s:%u: a line must be \"unit FUNCTION\", \"no-unit FUNCTION\", \"set TYPE\", "
                             "\"no-set TYPE\" or \"benign FUNCTION\"",
                             path, number);
        line = end;
    }
    return true;
}

struct assumptions *assumptions_parse(const char *name, const char *text, struct error *error)
{
    struct assumptions *assumptions = memory_allocate(1, sizeof *assumptions);
    assumptions->text = memory_copy_string(text);
    char *lines = memory_copy_string(text);
    if (!read_lines(assumptions, lines, name, error)) {
        assumptions_free(assumptions);
        assumptions = NULL;
    }
    free(lines);
    return assumptions;
}

struct assumptions *assumptions_read(const char *path, struct error *error)
{
    enum { LARGEST = 1 << 20 };
    struct buffer text = {0};
    if (!file_read(path, LARGEST, &text, error))
        return NULL;
    struct assumptions *assumptions = assumptions_parse(path, buffer_text(&text), error);
    buffer_free(&text);
    return assumptions;
}

const char *assumptions_text(const struct assumptions *assumptions)
{
    return assumptions->text;
}

bool assumptions_have(const struct assumptions *assumptions, enum assumption what, const char *name)
{
    for (size_t i = 0; assumptions != NULL && i < assumptions->rows.count; i++)
        if (assumptions->rows.data[i].what == what && strcmp(assumptions->rows.data[i].name, name) == 0)
            return true;
    return false;
}

void assumptions_free(struct assumptions *assumptions)
{
    if (assumptions == NULL)
        return;
    for (size_t i = 0; i < assumptions->rows.count; i++)
        free(assumptions->rows.data[i].name);
    vector_free(&assumptions->rows);
    free(assumptions->text);
    free(assumptions);
}
