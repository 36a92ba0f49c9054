/* SPDX-License-Identifier: MIT
 *
 * values.c - values that parameters may have: C expressions, usual ones first, boundary values last.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "generate/roles.h"
#include "util/buffer.h"

enum { MOST_VALUES = 24, CONSTANTS = 12 };

static void add_list(api_texts *values, const char *const *list)
{
    for (; *list != NULL; list++)
        api_texts_add(values, *list);
}

static void add_limits(const struct api_type *type, api_texts *values)
{
    static const char *const signed_limits[] = {"127",
                                                "-127 - 1",
                                                "32767",
                                                "-32767 - 1",
                                                "2147483647",
                                                "-2147483647 - 1",
                                                "9223372036854775807",
                                                "-9223372036854775807 - 1"};
    static const char *const unsigned_limits[] = {"255", "65535", "4294967295u", "18446744073709551615u"};
    int step = type->bits <= 8 ? 0 : type->bits <= 16 ? 1 : type->bits <= 32 ? 2 : 3;
    if (type->is_signed) {
        api_texts_add(values, signed_limits[2 * step]);
        api_texts_add(values, signed_limits[2 * step + 1]);
    } else {
        api_texts_add(values, unsigned_limits[step]);
    }
}

static void add_integers(const struct api_param *param, bool constructor, api_texts *values)
{
    static const char *const lengths[] = {"3", "1", "0", "8", NULL};
    static const char *const capacities[] = {"2", "1", "4", "3", "8", "0", NULL};
    static const char *const usual[] = {"1", "2", "0", "3", "7", NULL};
    if (param->length_of != API_NONE) {
        add_list(values, lengths);
    } else if (constructor) {
        add_list(values, capacities);
    } else {
        add_list(values, usual);
        if (param->type.is_signed)
            api_texts_add(values, "-1");
        add_limits(&param->type, values);
    }
}

static void add_record(const struct api *api, const struct api_type *type, api_texts *values)
{
    const struct api_record *record = &api->records.data[type->record];
    static const char *const patterns[] = {"%zu", "0", "1", "3"};
    for (int k = 0; k < 4; k++) {
        struct buffer text = {0};
        buffer_printf(&text, api->plus ? "%s{" : "(%s){", record->spelling);
        for (size_t i = 0; i < record->fields.count; i++) {
            buffer_add_string(&text, i > 0 ? ", " : "");
            if (k == 0)
                buffer_printf(&text, "%zu", i + 1);
            else
                buffer_add_string(&text, patterns[k]);
        }
        buffer_add_string(&text, "}");
        vector_push(values, buffer_take(&text));
    }
}

/* Objects of another type: `k` of them. */
static void add_objects(const struct api *api, const struct api_function *function, const struct api_param *param,
                        api_texts *values)
{
    uint32_t record = param->type.record;
    bool own = record == function->record;
    if (own)
        api_texts_add(values, "shared");
    if (!own && roles_constructor(api, record) == API_NONE)
        for (int i = 1; i <= 3; i++)
            vector_push(values, memory_format("&objects_%u[%d]", record, i));
    if (roles_constructor(api, record) != API_NONE && function->role != ROLE_CREATE &&
        &function->params.data[function->object_param == API_NONE ? 0 : function->object_param] != param)
        vector_push(values, memory_format("another_%u()", record));
}

static void add_values(const struct api *api, const struct api_function *function, struct api_param *param,
                       size_t index)
{
    static const char *const truths[] = {"1", "0", NULL}, *const reals[] = {"1.0", "0.0", "-1.5", "2.5", "1e300", NULL};
    static const char *const texts[] = {"\"a\"", "\"b\"", "\"\"", "\"some text\"", "\"abcdefghijklmnopqrstuvwxyz\"",
                                        NULL};
    static const char *const items[] = {"&items[1]", "&items[2]", "&items[3]", "NULL", NULL};
    api_texts *values = &param->values;
    uint32_t function_number = (uint32_t)(function - api->functions.data);
    switch (param->type.kind) {
    case API_INTEGER:
        add_integers(param, function->role == ROLE_CREATE, values);
        break;
    case API_BOOL:
        add_list(values, truths);
        break;
    case API_ENUM:
        for (size_t i = 0; i < api->enums.data[param->type.enumeration].names.count && i < MOST_VALUES; i++)
            api_texts_add(values, api->enums.data[param->type.enumeration].names.data[i]);
        break;
    case API_REAL:
        add_list(values, reals);
        break;
    case API_TEXT:
        add_list(values, param->length != API_NONE ? (const char *const[]){"\"abcdefgh\"", NULL} : texts);
        break;
    case API_ITEM:
        if (param->length == API_NONE)
            add_list(values, items);
        break;
    case API_RECORD:
        add_record(api, &param->type, values);
        break;
    case API_HANDLE:
        if (!(function->in_place && index == function->object_param))
            add_objects(api, function, param, values);
        break;
    case API_CALLBACK:
        vector_push(values, memory_format("callback_%u_%zu", function_number, index + 1));
        api_texts_add(values, "NULL");
        break;
    default:
        break; /* pointers: what they point to is declared where it is used */
    }
}

void values_assign(struct api *api)
{
    for (size_t i = 0; i < api->functions.count; i++) {
        struct api_function *function = &api->functions.data[i];
        bool used = function->role != ROLE_NONE && function->role != ROLE_NEVER;
        for (size_t k = 0; k < function->params.count && used; k++)
            if (function->params.data[k].values.count == 0)
                add_values(api, function, &function->params.data[k], k);
    }
}

/* ---- numbers of the source -------------------------------------------------------------------------------------------- */

static bool has_value(const api_texts *values, const char *text)
{
    for (size_t i = 0; i < values->count; i++)
        if (strcmp(values->data[i], text) == 0)
            return true;
    return false;
}

static void add_constant(struct api *api, const char *text)
{
    for (size_t i = 0; i < api->functions.count; i++) {
        struct api_function *function = &api->functions.data[i];
        for (size_t k = 0; k < function->params.count && function->role == ROLE_CALL; k++) {
            struct api_param *param = &function->params.data[k];
            bool open = param->type.kind == API_INTEGER && param->length_of == API_NONE && !param->own_values;
            if (open && param->values.count < MOST_VALUES && !has_value(&param->values, text))
                api_texts_add(&param->values, text);
        }
    }
}

/* Past what stands there if it is no number: a word, a text, a comment. */
static const char *skip_other(const char *at)
{
    if (at[0] == '"' || at[0] == '\'') {
        char quote = *at++;
        while (*at != '\0' && *at != quote)
            at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
        return *at != '\0' ? at + 1 : at;
    }
    if (at[0] == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end != NULL ? end + 2 : at + strlen(at);
    }
    if (isalpha((unsigned char)*at) || *at == '_')
        while (isalnum((unsigned char)*at) || *at == '_')
            at++;
    else
        at++;
    return at;
}

void values_add_constants(struct api *api, const char *source)
{
    int added = 0;
    for (const char *at = source; *at != '\0' && added < CONSTANTS;) {
        if (!isdigit((unsigned char)*at)) {
            at = skip_other(at);
            continue;
        }
        size_t length = strspn(at, "0123456789");
        bool whole = !isalnum((unsigned char)at[length]) && at[length] != '.' && length <= 4;
        if (whole && length > 1) {
            char *text = memory_format("%.*s", (int)length, at);
            char *more = memory_format("%d", atoi(text) + 1);
            add_constant(api, text);
            add_constant(api, more);
            free(text);
            free(more);
            added++;
        }
        while (isalnum((unsigned char)*at) || *at == '.')
            at++;
    }
}
