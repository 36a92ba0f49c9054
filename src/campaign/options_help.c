/* SPDX-License-Identifier: MIT
 *
 * options_help.c - the option list of --help; the techniques that --strategy may name are in it.
 */
#include <stdlib.h>
#include <string.h>

#include "campaign/options.h"
#include "technique/techniques.h"
#include "util/memory.h"

/* ---- help --------------------------------------------------------------------------------------------------------------- */

static void print_wrapped(FILE *stream, const char *text, int indent, int width)
{
    int column = indent;
    while (*text != '\0') {
        int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > width) {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', stream);
            column++;
        }
        fprintf(stream, "%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', stream);
}

/* The words of --strategy. */
static void print_strategies(FILE *stream, int indent)
{
    for (const struct technique *const *technique = techniques; *technique != NULL; technique++)
        if (!((*technique)->flags & TECHNIQUE_HIDDEN))
            fprintf(stream, "%*s%c %-10s  %s\n", indent, "", (*technique)->flags & TECHNIQUE_IN_ALL ? '*' : ' ',
                    (*technique)->name, (*technique)->help);
}

void options_print_help(FILE *stream, int command)
{
    enum { INDENT = 28, WIDTH = 100 };
    for (size_t i = 0; i < options_count; i++) {
        const struct option_entry *entry = &options_table[i];
        if ((entry->commands & command) == 0)
            continue;
        char letter[8] = "    ", left[80];
        if (entry->letter != 0)
            snprintf(letter, sizeof letter, "-%c, ", entry->letter);
        snprintf(left, sizeof left, "  %s--%s%s%s", letter, entry->name, entry->argument ? " " : "",
                 entry->argument ? entry->argument : "");
        if (strlen(left) < INDENT)
            fprintf(stream, "%-*s", INDENT, left);
        else
            fprintf(stream, "%s\n%*s", left, INDENT, "");
        bool shown = entry->value != NULL && strcmp(entry->value, "0") != 0 && strcmp(entry->value, "0s") != 0;
        char *text =
            memory_format("%s%s%s%s", entry->help, shown ? " [" : "", shown ? entry->value : "", shown ? "]" : "");
        print_wrapped(stream, text, INDENT, WIDTH);
        free(text);
        if (entry->offset == offsetof(struct options, strategy))
            print_strategies(stream, INDENT);
    }
    fputs("  -h, --help                this text\n", stream);
}
