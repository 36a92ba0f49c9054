/* SPDX-License-Identifier: MIT
 *
 * code.c - see code.h.
 */
#include "generate/code.h"

#include <assert.h>
#include <string.h>

#include "generate/roles.h"

enum { ARRAY = 8, BYTES = 64 };

unsigned code_choices(const struct api_param *param)
{
    return (unsigned)param->values.count;
}

char *code_object_type(const struct api *api, uint32_t record)
{
    return memory_format("%s *", api->records.data[record].spelling);
}

/* "int (*)(int)" and "compare" give "int (*compare)(int)". */
static void add_declaration(struct buffer *text, const char *type, const char *name)
{
    const char *star = strstr(type, "(*");
    size_t length = strlen(type);
    if (star != NULL)
        buffer_printf(text, "%.*s%s%s", (int)(star + 2 - type), type, name, star + 2);
    else
        buffer_printf(text, "%s%s%s", type, type[length - 1] == '*' ? "" : " ", name);
}

static bool is_address(const struct api_type *type)
{
    return type->kind == API_ITEM || type->kind == API_TEXT || type->kind == API_HANDLE || type->kind == API_POINTER;
}

static bool is_number(const struct api_type *type)
{
    return type->kind == API_INTEGER || type->kind == API_BOOL || type->kind == API_ENUM;
}

/* It is declared where the call is made. */
static bool is_local(const struct api_param *param)
{
    return param->type.kind == API_POINTER || (param->type.kind == API_ITEM && param->length != API_NONE);
}

static bool is_filled(const struct api_param *param)
{
    return is_local(param) && !param->type.is_const;
}

/* ---- slots ---------------------------------------------------------------------------------------------------------- */

static size_t result_slots(const struct api *api, const struct api_type *type)
{
    if (type->kind == API_VOID || type->kind == API_OTHER || type->kind == API_CALLBACK)
        return 0;
    if (type->kind != API_RECORD)
        return 1;
    const struct api_record *record = &api->records.data[type->record];
    return record->plain_fields ? record->fields.count : 0;
}

char *code_slot_name(const struct api *api, const struct api_function *function, unsigned slot)
{
    size_t results = result_slots(api, &function->result);
    if (slot < results && function->result.kind == API_RECORD)
        return memory_format("result.%s", api->records.data[function->result.record].fields.data[slot]);
    if (slot < results)
        return memory_copy_string("result");
    size_t at = results;
    for (size_t i = 0; i < function->params.count; i++)
        if (is_filled(&function->params.data[i]) && at++ == slot)
            return memory_format("*%s", function->params.data[i].name);
    return NULL;
}

unsigned code_slot_count(const struct api *api, const struct api_function *function)
{
    size_t count = result_slots(api, &function->result);
    for (size_t i = 0; i < function->params.count; i++)
        count += is_filled(&function->params.data[i]);
    return count < GEN_SLOTS ? (unsigned)count : GEN_SLOTS;
}

/* ---- one call ------------------------------------------------------------------------------------------------------- */

static void begin_line(const struct code *code, struct buffer *text)
{
    buffer_printf(text, "%*s", code->indent, "");
}

static void declare_several(const struct api_param *param, struct buffer *text)
{
    bool bytes = param->type.kind == API_ITEM || (param->type.to->kind == API_INTEGER && param->type.to->bits == 8);
    const char *type = param->type.kind == API_ITEM ? "char" : param->type.to->spelling;
    bool filled = is_filled(param);
    buffer_printf(text, "%s%s %s_%s[%d] = ", filled ? "" : "static const ", type, filled ? "out" : "in", param->name,
                  bytes ? BYTES : ARRAY);
    buffer_add_string(text, filled ? "{0};\n" : bytes ? "\"abcdefgh\";\n" : "{1, 2, 3, 4, 5, 6, 7, 8};\n");
}

static void declare_local(const struct code *code, const struct api_param *param, struct buffer *text)
{
    begin_line(code, text);
    if (param->length != API_NONE) {
        declare_several(param, text);
        return;
    }
    const struct api_type *to = param->type.to;
    char *name = memory_format("%s_%s", is_filled(param) ? "out" : "in", param->name);
    buffer_add_string(text, is_filled(param) ? "" : "const ");
    add_declaration(text, to->spelling, name);
    if (code->api->plus)
        buffer_add_string(text, " = {};\n");
    else
        buffer_add_string(text, is_address(to) ? " = NULL;\n" : is_filled(param) ? " = 0;\n" : " = 1;\n");
    free(name);
}

static bool is_own_place(const struct api_function *function, size_t index)
{
    return function->in_place && index == function->object_param;
}

static void add_argument(const struct code *code, const struct api_function *function, size_t index,
                         const char *expression, struct buffer *text)
{
    const struct api_param *param = &function->params.data[index];
    (void)code;
    if (is_own_place(function, index))
        buffer_add_string(text, "&place");
    else if (is_local(param))
        buffer_printf(text, "%s%s_%s", param->length == API_NONE ? "&" : "", is_filled(param) ? "out" : "in",
                      param->name);
    else
        buffer_add_string(text, expression != NULL ? expression : "0");
}

static void add_arguments(const struct code *code, const struct api_function *function, const char *const *arguments,
                          struct buffer *text)
{
    buffer_add_char(text, '(');
    for (size_t i = 0; i < function->params.count; i++) {
        buffer_add_string(text, i > 0 ? ", " : "");
        add_argument(code, function, i, arguments[i], text);
    }
    buffer_add_char(text, ')');
}

static void add_expression(const struct code *code, const struct api_function *function, const char *const *arguments,
                           struct buffer *text)
{
    const char *record = function->method ? code->api->records.data[function->record].spelling : "";
    if (function->constructor)
        buffer_printf(text, "new %s", record);
    else if (function->destructor) {
        buffer_add_string(text, "delete shared");
        return;
    } else
        buffer_printf(text, "%s%s", function->method ? "shared->" : "", function->name);
    add_arguments(code, function, arguments, text);
}

/* `value` as a number that can be compared. */
static void add_value(const struct code *code, const struct api_type *type, const char *value, struct buffer *text)
{
    if (is_address(type))
        buffer_printf(text, "%s(%s)", code->identity, value);
    else if (type->kind == API_REAL)
        buffer_printf(text, "%s(%s)", code->bits, value);
    else
        buffer_printf(text, "(long long)%s", value);
}

static void assign_slot(const struct code *code, unsigned *slot, struct buffer *text)
{
    begin_line(code, text);
    buffer_printf(text, "%s[%u] = ", code->slots, (*slot)++);
}

static void assign_record(const struct code *code, const struct api_type *type, unsigned *slot, struct buffer *text)
{
    const struct api_record *record = &code->api->records.data[type->record];
    for (size_t i = 0; i < record->fields.count && record->plain_fields && *slot < GEN_SLOTS; i++) {
        assign_slot(code, slot, text);
        buffer_printf(text, "(long long)result.%s;\n", record->fields.data[i]);
    }
}

static void assign_result(const struct code *code, const struct api_type *type, const char *expression, unsigned *slot,
                          struct buffer *text)
{
    if (is_number(type) || type->kind == API_REAL || is_address(type)) {
        assign_slot(code, slot, text);
        add_value(code, type, expression, text);
        buffer_add_string(text, ";\n");
        return;
    }
    begin_line(code, text);
    if (type->kind == API_RECORD && code->api->records.data[type->record].plain_fields) {
        buffer_printf(text, "%s result = %s;\n", type->spelling, expression);
        assign_record(code, type, slot, text);
    } else {
        buffer_printf(text, "%s%s;\n", type->kind == API_VOID ? "" : "(void)", expression);
    }
}

static void assign_out(const struct code *code, const struct api_param *param, unsigned *slot, struct buffer *text)
{
    if (*slot >= GEN_SLOTS)
        return;
    char *name = memory_format("out_%s", param->name);
    assign_slot(code, slot, text);
    if (param->length != API_NONE)
        buffer_printf(text, "%s(%s, sizeof %s)", code->content, name, name);
    else
        add_value(code, param->type.to, name, text);
    buffer_add_string(text, ";\n");
    free(name);
}

void code_call(const struct code *code, struct buffer *text, uint32_t number, const char *const *arguments)
{
    assert(number < code->api->functions.count);
    const struct api_function *function = &code->api->functions.data[number];
    struct buffer expression = {0};
    unsigned slot = 0;
    for (size_t i = 0; i < function->params.count; i++)
        if (is_local(&function->params.data[i]))
            declare_local(code, &function->params.data[i], text);
    add_expression(code, function, arguments, &expression);
    assign_result(code, &function->result, buffer_text(&expression), &slot, text);
    for (size_t i = 0; i < function->params.count; i++)
        if (is_filled(&function->params.data[i]))
            assign_out(code, &function->params.data[i], &slot, text);
    buffer_free(&expression);
}

/* ---- constructors --------------------------------------------------------------------------------------------------- */

static const char *failed(enum api_fails fails)
{
    return fails == FAILS_NONZERO ? " != 0" : fails == FAILS_NEGATIVE ? " < 0" : fails == FAILS_ZERO ? " == 0" : NULL;
}

static void construct_in_place(const struct code *code, const struct api_function *function,
                               const char *const *arguments, const char *object, struct buffer *text)
{
    const char *sign = failed(function->fails);
    begin_line(code, text);
    buffer_printf(text, "static %s place;\n", code->api->records.data[function->record].spelling);
    begin_line(code, text);
    if (sign != NULL)
        buffer_printf(text, "%s = ", object);
    add_expression(code, function, arguments, text);
    if (sign != NULL)
        buffer_printf(text, "%s ? NULL : &place;\n", sign);
    else {
        buffer_add_string(text, ";\n");
        begin_line(code, text);
        buffer_printf(text, "%s = &place;\n", object);
    }
}

/* The constructor's parameter for the new object; API_NONE. */
static uint32_t new_object_param(const struct api_function *function)
{
    for (size_t i = 0; i < function->params.count; i++) {
        const struct api_type *type = &function->params.data[i].type;
        if (type->kind == API_POINTER && type->to->kind == API_HANDLE && type->to->record == function->record)
            return (uint32_t)i;
    }
    return API_NONE;
}

void code_construct(const struct code *code, struct buffer *text, uint32_t number, const char *const *arguments,
                    const char *object)
{
    const struct api_function *function = &code->api->functions.data[number];
    if (function->in_place) {
        construct_in_place(code, function, arguments, object, text);
        return;
    }
    for (size_t i = 0; i < function->params.count; i++)
        if (is_local(&function->params.data[i]))
            declare_local(code, &function->params.data[i], text);
    begin_line(code, text);
    uint32_t made =
        function->result.kind == API_HANDLE || function->constructor ? API_NONE : new_object_param(function);
    if (made == API_NONE)
        buffer_printf(text, "%s = ", object);
    add_expression(code, function, arguments, text);
    buffer_add_string(text, ";\n");
    if (made != API_NONE) {
        begin_line(code, text);
        buffer_printf(text, "%s = out_%s;\n", object, function->params.data[made].name);
    }
}

/* ---- helpers -------------------------------------------------------------------------------------------------------- */

static bool compares_items(const struct api_type *type)
{
    return type->to->kind == API_INTEGER && type->argument_count == 2 && type->arguments[0].kind == API_ITEM &&
           type->arguments[1].kind == API_ITEM && type->arguments[0].is_const && type->arguments[1].is_const;
}

static void callback_body(const struct api_type *type, struct buffer *text)
{
    if (compares_items(type)) {
        buffer_add_string(text, "    return a1 == NULL || a2 == NULL ? 0 : *(const int *)a1 - *(const int *)a2;\n");
        return;
    }
    for (size_t i = 0; i < type->argument_count; i++)
        buffer_printf(text, "    (void)a%zu;\n", i + 1);
    if (type->to->kind == API_VOID)
        return;
    if (is_address(type->to))
        buffer_add_string(text, "    return NULL;\n");
    else
        buffer_printf(text, "    return (%s)0;\n", type->to->spelling);
}

static void add_callback(struct buffer *text, const struct api_type *type, const char *name)
{
    buffer_printf(text, "static %s %s(", type->to->spelling, name);
    for (size_t i = 0; i < type->argument_count; i++) {
        char *argument = memory_format("a%zu", i + 1);
        buffer_add_string(text, i > 0 ? ", " : "");
        add_declaration(text, type->arguments[i].spelling, argument);
        free(argument);
    }
    buffer_printf(text, "%s)\n{\n", type->argument_count == 0 ? "void" : "");
    callback_body(type, text);
    buffer_add_string(text, "}\n\n");
}

static bool uses_text(const api_texts *expressions, const char *text)
{
    for (size_t i = 0; i < expressions->count; i++)
        if (strstr(expressions->data[i], text) != NULL)
            return true;
    return false;
}

static void add_callbacks(const struct code *code, struct buffer *text, const api_texts *expressions)
{
    for (uint32_t f = 0; f < code->api->functions.count; f++) {
        const struct api_function *function = &code->api->functions.data[f];
        for (size_t i = 0; i < function->params.count; i++) {
            char *name = memory_format("callback_%u_%zu", f, i + 1);
            if (function->params.data[i].type.kind == API_CALLBACK && uses_text(expressions, name))
                add_callback(text, &function->params.data[i].type, name);
            free(name);
        }
    }
}

static void first_arguments(const struct api_function *function, const char **arguments)
{
    for (size_t i = 0; i < function->params.count; i++)
        arguments[i] = function->params.data[i].values.count > 0 ? function->params.data[i].values.data[0] : NULL;
}

static void add_another(const struct code *code, struct buffer *text, uint32_t record)
{
    const char *arguments[GEN_VALUES] = {0}, *type = code->api->records.data[record].spelling;
    uint32_t number = roles_constructor(code->api, record);
    struct code inner = *code;
    inner.indent = 4;
    first_arguments(&code->api->functions.data[number], arguments);
    buffer_printf(text, "static %s *another_%u(void)\n{\n    %s *another = NULL;\n", type, record, type);
    code_construct(&inner, text, number, arguments, "another");
    buffer_add_string(text, "    return another;\n}\n\n");
}

/* The arguments of the constructors of further objects are expressions too. */
static void add_inner(const struct code *code, const api_texts *expressions, api_texts *all)
{
    for (size_t i = 0; i < expressions->count; i++)
        api_texts_add(all, expressions->data[i]);
    for (uint32_t i = 0; i < code->api->records.count; i++) {
        char *another = memory_format("another_%u(", i);
        const char *arguments[GEN_VALUES] = {0};
        if (uses_text(expressions, another)) {
            const struct api_function *function = &code->api->functions.data[roles_constructor(code->api, i)];
            first_arguments(function, arguments);
            for (size_t k = 0; k < function->params.count; k++)
                if (arguments[k] != NULL)
                    api_texts_add(all, arguments[k]);
        }
        free(another);
    }
}

void code_helpers(const struct code *code, struct buffer *text, const api_texts *expressions)
{
    api_texts all = {0};
    add_inner(code, expressions, &all);
    for (uint32_t i = 0; i < code->api->records.count; i++) {
        char *objects = memory_format("objects_%u[", i);
        if (uses_text(&all, objects))
            buffer_printf(text, "static %s objects_%u[4];\n\n", code->api->records.data[i].spelling, i);
        free(objects);
    }
    add_callbacks(code, text, &all);
    for (uint32_t i = 0; i < code->api->records.count; i++) {
        char *another = memory_format("another_%u(", i);
        if (uses_text(&all, another))
            add_another(code, text, i);
        free(another);
    }
    api_texts_free(&all);
}

/* ---- the module ----------------------------------------------------------------------------------------------------- */

static bool is_used(const struct api *api, uint32_t subject, uint32_t number)
{
    const struct api_function *function = &api->functions.data[number];
    return function->role != ROLE_NONE && function->role != ROLE_NEVER && function->record == subject;
}

static void add_expressions(const struct api_function *function, api_texts *expressions)
{
    for (size_t i = 0; i < function->params.count; i++)
        for (size_t k = 0; k < function->params.data[i].values.count; k++)
            api_texts_add(expressions, function->params.data[i].values.data[k]);
}

/* "values[2] == 0 ? 1 : values[2] == 1 ? 2 : 3" */
static char *choice(const struct api_param *param, size_t index)
{
    struct buffer text = {0};
    buffer_add_char(&text, '(');
    for (size_t i = 0; i + 1 < param->values.count; i++)
        buffer_printf(&text, "values[%zu] == %zu ? %s : ", index, i, param->values.data[i]);
    buffer_printf(&text, "%s)", param->values.data[param->values.count - 1]);
    return buffer_take(&text);
}

static void add_case(const struct code *code, struct buffer *text, uint32_t number)
{
    const struct api_function *function = &code->api->functions.data[number];
    char *arguments[GEN_VALUES] = {0};
    for (size_t i = 0; i < function->params.count; i++)
        if (function->params.data[i].values.count > 0)
            arguments[i] = choice(&function->params.data[i], i);
    buffer_printf(text, "    case %u: {\n", number);
    if (function->role == ROLE_CREATE) {
        buffer_printf(text, "        %s *object = NULL;\n", code->api->records.data[code->subject].spelling);
        code_construct(code, text, number, (const char *const *)arguments, "object");
        buffer_add_string(text, "        gen_object = (void *)object;\n");
    } else {
        code_call(code, text, number, (const char *const *)arguments);
    }
    buffer_add_string(text, "        break;\n    }\n");
    for (size_t i = 0; i < function->params.count; i++)
        free(arguments[i]);
}

static void add_declarations(const struct api *api, struct buffer *text)
{
    const char *begin = api->plus ? "extern \"C\" " : "extern ";
    buffer_printf(text, "%slong long gen_token(const void *pointer);\n", begin);
    buffer_printf(text, "%slong long gen_hash(const void *bytes, unsigned long size);\n", begin);
    buffer_printf(text, "%slong long gen_real(double number);\n", begin);
    buffer_printf(text, "%svoid gen_module_call(unsigned function, const unsigned char *values, long long *slots);\n",
                  begin);
    buffer_add_string(text, api->plus ? "extern \"C\" {\n" : "");
    buffer_add_string(text, "extern int gen_items[8];\nextern void *gen_object;\nvoid *gen_object;\n");
    buffer_add_string(text, api->plus ? "}\n" : "");
    buffer_add_string(text, "static int *const items = gen_items;\n\n");
}

void code_module(const struct api *api, uint32_t subject, const char *const *headers, size_t header_count,
                 struct buffer *text)
{
    struct code code = {api, subject, "slots", "gen_token", "gen_hash", "gen_real", 8};
    api_texts expressions = {0};
    buffer_add_string(text, "#include <stdbool.h>\n#include <stddef.h>\n#include <stdio.h>\n");
    for (size_t i = 0; i < header_count; i++)
        buffer_printf(text, "#include \"%s\"\n", headers[i]);
    add_declarations(api, text);
    for (uint32_t i = 0; i < api->functions.count; i++)
        if (is_used(api, subject, i))
            add_expressions(&api->functions.data[i], &expressions);
    code_helpers(&code, text, &expressions);
    buffer_add_string(text,
                      "void gen_module_call(unsigned function, const unsigned char *values, long long *slots)\n{\n"
                      "    (void)values;\n    (void)slots;\n    (void)items;\n");
    buffer_printf(text, "    %s *shared = (%s *)gen_object;\n    (void)shared;\n    switch (function) {\n",
                  api->records.data[subject].spelling, api->records.data[subject].spelling);
    for (uint32_t i = 0; i < api->functions.count; i++)
        if (is_used(api, subject, i))
            add_case(&code, text, i);
    buffer_add_string(text, "    default:\n        break;\n    }\n}\n");
    api_texts_free(&expressions);
}
