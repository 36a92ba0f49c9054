/* SPDX-License-Identifier: MIT
 *
 * follow_same.c - whether a failure of the current program is the old one.
 *
 * Keys are kind and places (story.h), and places move.  The same failure has the same kind, and its places have moved
 * like the lines around them; or its text is the same (assertion, objects, files) in the same function, at any line.
 * The same place with another text is another failure: another assertion may have moved to the old line.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/follow_private.h"

/* ---- words ------------------------------------------------------------------------------------------------------------ */

/* Appends the text without line numbers and numbers of threads and blocks, since these change. */
static void add_lasting(struct buffer *lasting, const char *text)
{
    for (const char *c = text; *c != '\0';) {
        bool number = isdigit((unsigned char)*c) && c > text &&
                      (c[-1] == ':' || c[-1] == '#' || (c[-1] == 'T' && (c - 1 == text || c[-2] == ' ')));
        if (!number)
            buffer_add_char(lasting, *c++);
        else
            c += strspn(c, "0123456789");
    }
}

static bool same_words(const char *a, const char *b)
{
    struct buffer left = {0}, right = {0};
    add_lasting(&left, a);
    add_lasting(&right, b);
    bool same = strcmp(buffer_text(&left), buffer_text(&right)) == 0;
    buffer_free(&left);
    buffer_free(&right);
    return same;
}

/* ---- places ----------------------------------------------------------------------------------------------------------- */

struct source_place {
    const char *file;
    size_t length;
    uint32_t line;
};

/* "bank.c:18"; false if the word is not a place. */
static bool read_place(const char *word, struct source_place *place)
{
    const char *colon = strrchr(word, ':');
    unsigned line;
    char rest;
    if (colon == NULL || colon == word || sscanf(colon + 1, "%u%c", &line, &rest) != 1)
        return false;
    *place = (struct source_place){word, (size_t)(colon - word), line};
    return true;
}

/* Whether the old word of a key corresponds to the new one. */
static bool word_became(const struct follow *follow, const char *old, const char *now)
{
    struct source_place then, here;
    if (!read_place(old, &then) || !read_place(now, &here))
        return strcmp(old, now) == 0;
    if (then.length != here.length || memcmp(then.file, here.file, then.length) != 0)
        return false;
    uint32_t line = follow_line(follow, then.file, then.length, then.line);
    return line == here.line;
}

enum { WORDS = WIRE_BLOCKED + 2 };

static size_t split(char *key, char *words[WORDS])
{
    size_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(key, " ", &rest); word != NULL && count < WORDS; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    return count;
}

/* Whether the words correspond in any order: places in a key are sorted. */
static bool places_became(const struct follow *follow, const char *old, const char *now)
{
    char *left = memory_copy_string(old), *right = memory_copy_string(now);
    char *a[WORDS], *b[WORDS];
    size_t count = split(left, a);
    bool same = split(right, b) == count;
    for (size_t i = 0; same && i < count; i++) {
        size_t j = 0;
        while (j < count && (b[j] == NULL || !word_became(follow, a[i], b[j])))
            j++;
        same = j < count;
        if (same)
            b[j] = NULL;
    }
    free(left);
    free(right);
    return same;
}

/* The function of the old failure's place; NULL if the log has no event there. */
static const char *old_function(const struct follow *follow)
{
    const char *site = follow->failure->site;
    for (uint32_t i = 0; site != NULL && i < follow->old.log.count; i++) {
        const struct event_line *line = &follow->old.log.lines[i];
        size_t length = follow_place_length(line->site);
        if (length == strlen(site) && memcmp(line->site, site, length) == 0 && strcmp(line->function, "-") != 0)
            return line->function;
    }
    return NULL;
}

bool follow_same(const struct follow *follow, const char *key, const char *headline, const char *function)
{
    const struct failure *failure = follow->failure;
    size_t kind = strcspn(key, " ");
    if (strlen(failure->kind) != kind || memcmp(failure->kind, key, kind) != 0)
        return false;
    bool words = failure->text != NULL && same_words(failure->text, headline);
    if (strcmp(key, failure->key) == 0 && (words || failure->text == NULL || !follow->has_old))
        return true;
    if (follow->has_old && places_became(follow, failure->key, key))
        return true;
    const char *then = follow->has_old ? old_function(follow) : NULL;
    return words && (then == NULL || function == NULL || strcmp(then, function) == 0);
}
