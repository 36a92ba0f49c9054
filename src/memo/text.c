/* SPDX-License-Identifier: MIT
 *
 * text.c - splits the text of an instance into its shape and its sites.
 *
 * A site comes after ")@" and ends at a blank, a ~ or a * outside quotes (pattern/pattern.h).  The shape contains the
 * ")@", and only there; so inserting a site after each gives the same text, byte for byte (interleave() in
 * statements.h).
 */
#include <assert.h>
#include <string.h>

#include "memo/memo_private.h"

static size_t site_length(const char *text)
{
    size_t length = 0;
    bool quoted = false;
    for (; text[length] != '\0'; length++) {
        char c = text[length];
        if (quoted && c == '\\' && text[length + 1] != '\0')
            length++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == ' ' || c == '~' || c == '*'))
            break;
    }
    return length;
}

bool memo_split(const char *text, struct memo_parts *parts)
{
    assert(text != NULL);
    *parts = (struct memo_parts){0};
    while (*text != '\0') {
        bool site = text[0] == ')' && text[1] == '@';
        buffer_add(&parts->shape, text, site ? 2 : 1);
        text += site ? 2 : 1;
        if (!site)
            continue;
        size_t length = site_length(text);
        if (parts->count == MEMO_STEPS || length == 0)
            return false;
        buffer_add(&parts->sites[parts->count++], text, length);
        text += length;
    }
    return parts->count > 0;
}

void memo_parts_free(struct memo_parts *parts)
{
    buffer_free(&parts->shape);
    for (unsigned i = 0; i < MEMO_STEPS; i++)
        buffer_free(&parts->sites[i]);
}
