/* SPDX-License-Identifier: MIT
 *
 * roles.c - see roles.h.
 *
 * DESIGN
 *   Types decide first, names second.  A function that gives a pointer to a record and takes none is a constructor; one that takes only the
 *   pointer and is named so is a destructor; every other that takes it is a call.  A function that no values can be made for is left out, with
 *   the reason.
 */
#include "generate/roles.h"

#include <ctype.h>
#include <string.h>

#include "wire/wire_generate.h"

static const char init_words[] = "init initialize initialise new create open setup construct make alloc start";
static const char destroy_words[] = "destroy free delete fini finish cleanup deinit dispose term terminate uninit "
                                    "destruct drop release close shutdown";
static const char sure_destroy_words[] =
    "destroy free delete fini cleanup deinit dispose term terminate uninit destruct";
static const char length_words[] = "len length size n num count max cap capacity bytes sz nbytes nmemb limit";

/* ---- names ---------------------------------------------------------------------------------------------------------- */

static bool list_has(const char *list, const char *word, size_t length)
{
    for (const char *at = list; *at != '\0';) {
        size_t size = strcspn(at, " ");
        if (size == length && strncasecmp(at, word, length) == 0)
            return true;
        at += size + strspn(at + size, " ");
    }
    return false;
}

bool roles_has_word(const char *name, const char *list)
{
    for (name += strspn(name, "_"); *name != '\0'; name += strspn(name, "_")) {
        size_t length = 1;
        while (name[length] != '\0' && name[length] != '_' &&
               !(isupper((unsigned char)name[length]) && islower((unsigned char)name[length - 1])))
            length++;
        if (list_has(list, name, length))
            return true;
        name += length;
    }
    return false;
}

/* ---- parameters ----------------------------------------------------------------------------------------------------- */

bool roles_is_out(const struct api_param *param)
{
    return param->type.kind == API_POINTER && !param->type.is_const;
}

static bool is_handle_of(const struct api_type *type, uint32_t record)
{
    return type->kind == API_HANDLE && type->record == record;
}

static bool makes_through_param(const struct api_function *function, uint32_t *record)
{
    for (size_t i = 0; i < function->params.count; i++) {
        const struct api_type *type = &function->params.data[i].type;
        if (type->kind == API_POINTER && type->to->kind == API_HANDLE && !type->is_const) {
            *record = type->to->record;
            return true;
        }
    }
    return false;
}

static uint32_t find_handle(const struct api_function *function, uint32_t record)
{
    for (size_t i = 0; i < function->params.count; i++)
        if (is_handle_of(&function->params.data[i].type, record))
            return (uint32_t)i;
    return API_NONE;
}

static bool is_simple(const struct api_type *type)
{
    return type->kind == API_INTEGER || type->kind == API_BOOL || type->kind == API_ENUM || type->kind == API_REAL;
}

/* Which pointers have their length in the next parameter. */
static void find_lengths(struct api_function *function)
{
    for (size_t i = 0; i + 1 < function->params.count; i++) {
        struct api_param *pointer = &function->params.data[i], *length = pointer + 1;
        bool several = pointer->type.kind == API_TEXT || pointer->type.kind == API_ITEM ||
                       (pointer->type.kind == API_POINTER && is_simple(pointer->type.to));
        if (!several || length->type.kind != API_INTEGER || !roles_has_word(length->name, length_words))
            continue;
        pointer->length = (uint32_t)i + 1;
        length->length_of = (uint32_t)i;
    }
}

static bool is_address(const struct api_type *type)
{
    return type->kind == API_ITEM || type->kind == API_TEXT || type->kind == API_HANDLE;
}

static bool is_character_pointer(const struct api_type *type)
{
    return type->kind == API_POINTER && type->to->kind == API_INTEGER && type->to->bits == 8;
}

static bool is_generated_callback(const struct api_type *type)
{
    bool good = type->to->kind == API_VOID || is_simple(type->to) || is_address(type->to);
    return good && type->argument_count <= GEN_VALUES;
}

static bool has_values(const struct api *api, const struct api_param *param)
{
    const struct api_type *type = &param->type;
    switch (type->kind) {
    case API_RECORD:
        return api->records.data[type->record].plain_fields;
    case API_CALLBACK:
        return is_generated_callback(type);
    case API_HANDLE:
        return roles_constructor(api, type->record) != API_NONE || api->records.data[type->record].complete;
    case API_POINTER:
        if (is_character_pointer(type) && param->length == API_NONE && roles_is_out(param))
            return false;
        return is_simple(type->to) || (is_address(type->to) && roles_is_out(param) && param->length == API_NONE);
    case API_VOID:
    case API_OTHER:
        return false;
    default:
        return true;
    }
}

static void leave_out(struct api_function *function, const char *why)
{
    function->role = ROLE_NEVER;
    free(function->why);
    function->why = memory_copy_string(why);
}

static void leave_out_what_has_no_values(const struct api *api, struct api_function *function)
{
    if (function->params.count > GEN_VALUES)
        leave_out(function, "it has too many parameters");
    for (size_t i = 0; i < function->params.count && function->role != ROLE_NEVER; i++) {
        const struct api_param *param = &function->params.data[i];
        if (i == function->object_param || has_values(api, param))
            continue;
        char *why = memory_format("no values are known for its parameter %s (%s)", param->name, param->type.spelling);
        leave_out(function, why);
        free(why);
    }
}

/* ---- functions ------------------------------------------------------------------------------------------------------ */

static bool may_fail(const struct api_type *result)
{
    return result->kind == API_VOID || is_simple(result);
}

static bool is_in_place_constructor(const struct api *api, const struct api_function *function)
{
    if (function->params.count == 0 || function->params.data[0].type.kind != API_HANDLE)
        return false;
    const struct api_type *first = &function->params.data[0].type;
    const struct api_record *record = &api->records.data[first->record];
    return record->complete && !first->is_const && may_fail(&function->result) &&
           roles_has_word(function->name, init_words);
}

static enum api_fails fails_by_type(const struct api_type *result)
{
    return result->kind == API_HANDLE                                ? FAILS_NULL
           : result->kind == API_BOOL                                ? FAILS_ZERO
           : result->kind == API_INTEGER || result->kind == API_ENUM ? FAILS_NONZERO
                                                                     : FAILS_NEVER;
}

static void set_constructor(struct api_function *function, uint32_t record, bool in_place)
{
    function->role = ROLE_CREATE;
    function->record = record;
    function->in_place = in_place;
    function->object_param = in_place ? 0 : API_NONE;
    function->fails = fails_by_type(&function->result);
}

static void assign_method(struct api_function *function)
{
    function->role = function->constructor ? ROLE_CREATE : function->destructor ? ROLE_DESTROY : ROLE_CALL;
}

static void assign_constructor(struct api *api, struct api_function *function)
{
    uint32_t record = API_NONE;
    if (function->method)
        assign_method(function);
    else if (function->variadic)
        leave_out(function, "it has a variable number of arguments");
    else if (function->result.kind == API_HANDLE && !function->result.is_const &&
             find_handle(function, function->result.record) == API_NONE)
        set_constructor(function, function->result.record, false);
    else if (makes_through_param(function, &record) && find_handle(function, record) == API_NONE)
        set_constructor(function, record, false);
    else if (is_in_place_constructor(api, function))
        set_constructor(function, function->params.data[0].type.record, true);
}

/* The first object that it takes; one that has a constructor before one that has none. */
static uint32_t find_object(const struct api *api, const struct api_function *function)
{
    uint32_t any = API_NONE;
    for (size_t i = 0; i < function->params.count; i++) {
        const struct api_type *type = &function->params.data[i].type;
        if (type->kind != API_HANDLE)
            continue;
        if (roles_constructor(api, type->record) != API_NONE)
            return (uint32_t)i;
        any = any == API_NONE ? (uint32_t)i : any;
    }
    return any;
}

static void assign_call(struct api *api, struct api_function *function)
{
    if (function->role != ROLE_NONE)
        return;
    uint32_t object = find_object(api, function);
    if (object == API_NONE)
        return;
    const struct api_type *type = &function->params.data[object].type;
    bool last = function->params.count == 1 && !type->is_const && roles_has_word(function->name, destroy_words);
    function->object_param = object;
    function->record = type->record;
    function->role = last ? ROLE_DESTROY : ROLE_CALL;
}

/* There is one destructor: where several could be it, the name that means nothing else. */
static void choose_destructor(struct api *api, uint32_t record)
{
    uint32_t chosen = API_NONE;
    for (size_t i = 0; i < api->functions.count; i++) {
        const struct api_function *function = &api->functions.data[i];
        if (function->role != ROLE_DESTROY || function->record != record)
            continue;
        bool sure = roles_has_word(function->name, sure_destroy_words);
        if (chosen == API_NONE || (sure && !roles_has_word(api->functions.data[chosen].name, sure_destroy_words)))
            chosen = (uint32_t)i;
    }
    for (size_t i = 0; i < api->functions.count; i++)
        if (i != chosen && api->functions.data[i].role == ROLE_DESTROY && api->functions.data[i].record == record)
            api->functions.data[i].role = ROLE_CALL;
}

/* A class without a constructor of its own has the one without arguments. */
static void add_default_constructor(struct api *api, uint32_t record)
{
    bool any = false, used = false;
    for (size_t i = 0; i < api->functions.count; i++) {
        const struct api_function *function = &api->functions.data[i];
        used = used || (function->method && function->record == record);
        any = any || (function->constructor && function->record == record);
    }
    if (!used || any || api->records.data[record].abstract)
        return;
    struct api_function made = {.name = memory_copy_string(api->records.data[record].spelling),
                                .method = true,
                                .constructor = true,
                                .record = record,
                                .role = ROLE_CREATE,
                                .object_param = API_NONE};
    made.result.spelling = memory_copy_string("void");
    vector_push(&api->functions, made);
}

void roles_assign(struct api *api)
{
    for (size_t i = 0; i < api->records.count && api->plus; i++)
        add_default_constructor(api, (uint32_t)i);
    for (size_t i = 0; i < api->functions.count; i++) {
        find_lengths(&api->functions.data[i]);
        assign_constructor(api, &api->functions.data[i]);
    }
    for (size_t i = 0; i < api->functions.count; i++)
        assign_call(api, &api->functions.data[i]);
    for (size_t i = 0; i < api->records.count; i++)
        choose_destructor(api, (uint32_t)i);
    for (size_t i = 0; i < api->functions.count; i++)
        if (api->functions.data[i].role != ROLE_NONE && api->functions.data[i].role != ROLE_NEVER)
            leave_out_what_has_no_values(api, &api->functions.data[i]);
    values_assign(api);
}

/* ---- questions ------------------------------------------------------------------------------------------------------ */

static bool needs_object(const struct api *api, const struct api_function *function)
{
    for (size_t i = 0; i < function->params.count; i++) {
        const struct api_type *type = &function->params.data[i].type;
        bool own = function->in_place && i == function->object_param;
        if (type->kind == API_HANDLE && !own && !api->records.data[type->record].complete)
            return true;
    }
    return false;
}

uint32_t roles_constructor(const struct api *api, uint32_t record)
{
    for (size_t i = 0; i < api->functions.count; i++) {
        const struct api_function *function = &api->functions.data[i];
        if (function->role == ROLE_CREATE && function->record == record && !needs_object(api, function))
            return (uint32_t)i;
    }
    return API_NONE;
}

uint32_t roles_destructor(const struct api *api, uint32_t record)
{
    for (size_t i = 0; i < api->functions.count; i++)
        if (api->functions.data[i].role == ROLE_DESTROY && api->functions.data[i].record == record)
            return (uint32_t)i;
    return API_NONE;
}

bool roles_is_subject(const struct api *api, uint32_t record)
{
    bool call = false;
    for (size_t i = 0; i < api->functions.count && !call; i++)
        call = api->functions.data[i].role == ROLE_CALL && api->functions.data[i].record == record;
    return call && roles_constructor(api, record) != API_NONE;
}
