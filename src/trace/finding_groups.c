/* SPDX-License-Identifier: MIT
 *
 * finding_groups.c - see finding_groups.h.
 */
#include "trace/finding_groups.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"
#include "util/vector.h"

struct group {
    const struct warning_item *first;
    size_t items;
    bool last; /* behind all others */
};

typedef VECTOR(struct group) groups;

/* ---- what belongs together -------------------------------------------------------------------------------------------- */

/* After the number of a block or element. */
static const char *pass_number(const char *text)
{
    while (isdigit((unsigned char)*text))
        text++;
    return text;
}

/* Whether two names are the same but for the numbers in heap#7 and table[3], up to `end`. */
static bool same_but_numbers(const char *a, const char *b, const char *end)
{
    for (;;) {
        bool over_a = *a == '\0' || strncmp(a, end, strlen(end)) == 0;
        bool over_b = *b == '\0' || strncmp(b, end, strlen(end)) == 0;
        if (over_a || over_b || *a != *b)
            return over_a && over_b;
        bool number = *a == '#' || *a == '[';
        a = number ? pass_number(a + 1) : a + 1;
        b = number ? pass_number(b + 1) : b + 1;
    }
}

static bool same_variable(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return same_but_numbers(a, b, "\n");
}

static bool belong_together(const struct warning_item *a, const struct warning_item *b)
{
    return strcmp(a->kind, b->kind) == 0 && same_variable(a->variable, b->variable) &&
           same_but_numbers(a->text, b->text, ": ");
}

static void find_groups(const struct warning_item *items, size_t count, groups *found)
{
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < found->count && !belong_together(found->data[k].first, &items[i]))
            k++;
        if (k == found->count)
            vector_push(found, (struct group){&items[i], 0, strcmp(items[i].kind, "volatile-race") == 0});
        found->data[k].items++;
    }
}

const char *finding_groups_variables(const struct warning_item *items, size_t count, char *text, size_t size)
{
    size_t variables = 0;
    for (size_t i = 0; i < count; i++) {
        bool known = items[i].variable == NULL;
        for (size_t k = 0; k < i && !known; k++)
            known = same_variable(items[k].variable, items[i].variable);
        variables += !known;
    }
    text[0] = '\0';
    if (variables > 0)
        snprintf(text, size, " on %zu variable%s", variables, text_plural(variables));
    return text;
}

/* ---- lines -------------------------------------------------------------------------------------------------------------- */

/* "data race on balance at 3 pairs of places, the first one: write by T1 at ..." */
static void print_group(const struct group *group, struct buffer *text)
{
    const struct warning_item *first = group->first;
    const char *where = strstr(first->text, ": ");
    if (group->items == 1 || where == NULL)
        buffer_printf(text, "%s   (in %" PRIu64 " schedule%s, first in %" PRIu64 ")\n", first->text, first->count,
                      text_plural(first->count), first->schedule);
    else
        buffer_printf(text, "%.*s at %zu %s, the first one%s   (first in schedule %" PRIu64 ")\n",
                      (int)(where - first->text), first->text, group->items,
                      strcmp(first->kind, "leak") == 0 ? "places" : "pairs of places", where, first->schedule);
}

void finding_groups_print(const struct warning_item *items, size_t count, size_t most, const char *more,
                          struct buffer *text)
{
    groups found = {0};
    size_t shown = 0;
    find_groups(items, count, &found);
    size_t room = found.count <= most ? most : most - 1;
    for (int last = 0; last <= 1; last++)
        for (size_t i = 0; i < found.count && shown < room; i++)
            if (found.data[i].last == last) {
                print_group(&found.data[i], text);
                shown++;
            }
    if (shown < found.count)
        buffer_printf(text, "and %zu more%s\n", found.count - shown, more);
    vector_free(&found);
}
