/* SPDX-License-Identifier: MIT
 *
 * api.c - see api.h.
 */
#include "generate/api.h"

#include <string.h>

void api_texts_add(api_texts *texts, const char *text)
{
    vector_push(texts, memory_copy_string(text));
}

void api_texts_free(api_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->data[i]);
    vector_free(texts);
}

void api_type_free(struct api_type *type)
{
    free(type->spelling);
    if (type->to != NULL)
        api_type_free(type->to);
    free(type->to);
    for (size_t i = 0; i < type->argument_count; i++)
        api_type_free(&type->arguments[i]);
    free(type->arguments);
}

static void free_function(struct api_function *function)
{
    for (size_t i = 0; i < function->params.count; i++) {
        free(function->params.data[i].name);
        api_type_free(&function->params.data[i].type);
        api_texts_free(&function->params.data[i].values);
    }
    vector_free(&function->params);
    api_type_free(&function->result);
    free(function->name);
    free(function->why);
    free(function->after);
}

void api_free(struct api *api)
{
    for (size_t i = 0; i < api->functions.count; i++)
        free_function(&api->functions.data[i]);
    for (size_t i = 0; i < api->records.count; i++) {
        free(api->records.data[i].spelling);
        api_texts_free(&api->records.data[i].fields);
    }
    for (size_t i = 0; i < api->enums.count; i++) {
        free(api->enums.data[i].spelling);
        api_texts_free(&api->enums.data[i].names);
    }
    vector_free(&api->functions);
    vector_free(&api->records);
    vector_free(&api->enums);
}

uint32_t api_find(const struct api *api, const char *name)
{
    for (size_t i = 0; i < api->functions.count; i++)
        if (strcmp(api->functions.data[i].name, name) == 0)
            return (uint32_t)i;
    return API_NONE;
}
