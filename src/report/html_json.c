/* SPDX-License-Identifier: MIT
 *
 * html_json.c - JSON inside HTML.
 */
#include <stdlib.h>
#include <string.h>

#include "report/html_private.h"

/* These characters occur only inside JSON strings, so each may be replaced by its escape. */
static int add_escaped(const char *bytes, size_t size, void *context)
{
    struct buffer *page = context;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '<' || bytes[i] == '>' || bytes[i] == '&')
            buffer_printf(page, "\\u%04x", (unsigned)bytes[i]);
        else
            buffer_add_char(page, bytes[i]);
    }
    return 0;
}

void html_add_json(struct buffer *page, json_t *json)
{
    json_dump_callback(json, add_escaped, page,
                       JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    json_decref(json);
}

void html_begin_data(struct buffer *page, const char *name, size_t program, size_t failure)
{
    buffer_printf(page, "<script type=\"application/json\" id=\"%s-%zu-%zu\">", name, program, failure);
}

void html_end_data(struct buffer *page)
{
    buffer_add_string(page, "</script>\n");
}
