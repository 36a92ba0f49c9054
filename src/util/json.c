/* SPDX-License-Identifier: MIT
 *
 * json.c - see json.h.
 */
#include "util/json.h"

#include "util/buffer.h"

json_t *json_from_text(const char *text)
{
    if (text == NULL)
        return json_null();
    json_t *string = json_string(text);
    if (string != NULL)
        return string;
    struct buffer utf8 = {0};
    for (const unsigned char *byte = (const unsigned char *)text; *byte != '\0'; byte++) {
        if (*byte >= 0x80)
            buffer_add_char(&utf8, (char)(0xc0 | *byte >> 6));
        buffer_add_char(&utf8, (char)(*byte >= 0x80 ? 0x80 | (*byte & 0x3f) : *byte));
    }
    string = json_string(buffer_text(&utf8));
    buffer_free(&utf8);
    return string != NULL ? string : json_null();
}

json_t *json_from_number(uint64_t number)
{
    return json_integer(number <= INT64_MAX ? (json_int_t)number : INT64_MAX);
}
