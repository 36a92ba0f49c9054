/* SPDX-License-Identifier: MIT
 *
 * read.c - reads a header with libclang: the one function of the library that `raddle gen` loads.
 *
 * DESIGN
 *   Only what stands in the file itself is offered to users, not what it includes.  Types are read as they are written, and
 *   understood by their canonical form: a typedef of a pointer to a structure is a pointer to a structure.
 */
#include <clang-c/Index.h>
#include <stdio.h>
#include <string.h>

#include "generate/api.h"

__attribute__((visibility("default"))) api_reader raddle_read_header;

struct header {
    struct api *api;
    VECTOR(CXType) records, enums; /* canonical types, as in the api */
    uint32_t class;                /* that is being read; API_NONE */
};

static char *take(CXString string)
{
    char *copy = memory_copy_string(clang_getCString(string) != NULL ? clang_getCString(string) : "");
    clang_disposeString(string);
    return copy;
}

/* ---- records and enums ------------------------------------------------------------------------------------------------ */

struct fields {
    struct api_record *record;
    const char *prefix;
};

static bool is_number(CXType type)
{
    return (type.kind >= CXType_Bool && type.kind <= CXType_LongDouble) || type.kind == CXType_Enum;
}

static enum CXVisitorResult add_field(CXCursor cursor, CXClientData data)
{
    struct fields *fields = data;
    CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    char *name = take(clang_getCursorSpelling(cursor));
    char *whole = memory_format("%s%s", fields->prefix, name);
    if (type.kind == CXType_Record) {
        char *prefix = memory_format("%s.", whole);
        struct fields inner = {fields->record, prefix};
        clang_Type_visitFields(type, add_field, &inner);
        free(prefix);
    } else {
        fields->record->plain_fields = fields->record->plain_fields && is_number(type) && name[0] != '\0';
        api_texts_add(&fields->record->fields, whole);
    }
    free(whole);
    free(name);
    return CXVisit_Continue;
}

static uint32_t find_record(struct header *header, CXType type)
{
    for (size_t i = 0; i < header->records.count; i++)
        if (clang_equalTypes(header->records.data[i], type))
            return (uint32_t)i;
    struct api_record record = {.complete = clang_Type_getSizeOf(type) > 0, .plain_fields = true};
    CXCursor declaration = clang_getTypeDeclaration(type);
    record.spelling = take(clang_getTypeSpelling(type));
    record.is_class = header->api->plus;
    record.abstract = header->api->plus && clang_CXXRecord_isAbstract(declaration);
    struct fields fields = {&record, ""};
    if (record.complete)
        clang_Type_visitFields(type, add_field, &fields);
    record.plain_fields = record.plain_fields && record.fields.count > 0;
    vector_push(&header->records, type);
    vector_push(&header->api->records, record);
    return (uint32_t)header->records.count - 1;
}

static enum CXChildVisitResult add_enumerator(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct api_enum *enumeration = data;
    if (clang_getCursorKind(cursor) == CXCursor_EnumConstantDecl)
        vector_push(&enumeration->names, take(clang_getCursorSpelling(cursor)));
    return CXChildVisit_Continue;
}

static uint32_t find_enum(struct header *header, CXType type)
{
    for (size_t i = 0; i < header->enums.count; i++)
        if (clang_equalTypes(header->enums.data[i], type))
            return (uint32_t)i;
    struct api_enum enumeration = {.spelling = take(clang_getTypeSpelling(type))};
    clang_visitChildren(clang_getTypeDeclaration(type), add_enumerator, &enumeration);
    vector_push(&header->enums, type);
    vector_push(&header->api->enums, enumeration);
    return (uint32_t)header->enums.count - 1;
}

/* ---- types -------------------------------------------------------------------------------------------------------------- */

static struct api_type read_type(struct header *header, CXType type);

static struct api_type *read_type_apart(struct header *header, CXType type)
{
    struct api_type *copy = memory_allocate(1, sizeof *copy);
    *copy = read_type(header, type);
    return copy;
}

static void read_callback(struct header *header, CXType function, struct api_type *type)
{
    int count = clang_getNumArgTypes(function);
    type->kind = clang_isFunctionTypeVariadic(function) ? API_OTHER : API_CALLBACK;
    type->to = read_type_apart(header, clang_getResultType(function));
    if (count <= 0)
        return;
    type->argument_count = (size_t)count;
    type->arguments = memory_allocate((size_t)count, sizeof *type->arguments);
    for (int i = 0; i < count; i++)
        type->arguments[i] = read_type(header, clang_getArgType(function, (unsigned)i));
}

/* Records and enums without const; of other types the kind is all that matters. */
static CXType unqualified(CXType type)
{
    CXType plain = clang_getCanonicalType(type);
    if (plain.kind == CXType_Record || plain.kind == CXType_Enum)
        plain = clang_getCanonicalType(clang_getCursorType(clang_getTypeDeclaration(plain)));
    return plain;
}

/* How it is written, without const. */
static char *take_spelling(CXType type)
{
    char *text = take(clang_getTypeSpelling(type));
    if (clang_isConstQualifiedType(type) && strncmp(text, "const ", 6) == 0)
        memmove(text, text + 6, strlen(text + 6) + 1);
    return text;
}

static bool is_character(CXType type)
{
    return type.kind == CXType_Char_S || type.kind == CXType_Char_U;
}

/* `written` is what it points to. */
static void read_pointer(struct header *header, CXType written, struct api_type *type)
{
    CXType to = clang_getCanonicalType(written);
    type->is_const = clang_isConstQualifiedType(to);
    CXType plain = unqualified(to);
    if (plain.kind == CXType_Void)
        type->kind = API_ITEM;
    else if (plain.kind == CXType_Record) {
        type->kind = API_HANDLE;
        type->record = find_record(header, plain);
    } else if (plain.kind == CXType_FunctionProto || plain.kind == CXType_FunctionNoProto)
        read_callback(header, plain, type);
    else if (is_character(plain) && type->is_const)
        type->kind = API_TEXT;
    else
        type->kind = API_POINTER;
    if (type->kind == API_POINTER || type->kind == API_TEXT || type->kind == API_ITEM)
        type->to = read_type_apart(header, plain);
}

static void read_plain(struct header *header, CXType type, struct api_type *to)
{
    long long size = clang_Type_getSizeOf(type);
    to->bits = size > 0 ? (unsigned)size * 8 : 0;
    to->is_signed = type.kind >= CXType_Char_S && type.kind <= CXType_Int128;
    if (type.kind == CXType_Void)
        to->kind = API_VOID;
    else if (type.kind == CXType_Bool)
        to->kind = API_BOOL;
    else if (type.kind == CXType_Float || type.kind == CXType_Double || type.kind == CXType_LongDouble)
        to->kind = API_REAL;
    else if (is_number(type) && type.kind != CXType_Enum && to->bits <= 64)
        to->kind = API_INTEGER;
    else if (type.kind == CXType_Enum) {
        to->kind = API_ENUM;
        to->enumeration = find_enum(header, type);
    } else if (type.kind == CXType_Record) {
        to->kind = API_RECORD;
        to->record = find_record(header, type);
    }
}

static struct api_type read_type(struct header *header, CXType type)
{
    struct api_type result = {.kind = API_OTHER, .record = API_NONE, .enumeration = API_NONE};
    CXType plain = unqualified(type);
    result.spelling = take_spelling(type);
    if (plain.kind == CXType_Pointer)
        read_pointer(header, clang_getPointeeType(plain), &result);
    else if (plain.kind == CXType_ConstantArray || plain.kind == CXType_IncompleteArray)
        read_pointer(header, clang_getArrayElementType(plain), &result);
    else if (plain.kind == CXType_LValueReference && clang_isConstQualifiedType(clang_getPointeeType(plain)))
        read_plain(header, unqualified(clang_getPointeeType(plain)), &result);
    else
        read_plain(header, plain, &result);
    return result;
}

/* ---- functions ---------------------------------------------------------------------------------------------------------- */

static void read_params(struct header *header, CXCursor cursor, struct api_function *function)
{
    int count = clang_Cursor_getNumArguments(cursor);
    for (int i = 0; i < count; i++) {
        CXCursor argument = clang_Cursor_getArgument(cursor, (unsigned)i);
        struct api_param param = {.length = API_NONE, .length_of = API_NONE};
        param.name = take(clang_getCursorSpelling(argument));
        if (param.name[0] == '\0') {
            free(param.name);
            param.name = memory_format("arg%d", i + 1);
        }
        param.type = read_type(header, clang_getCursorType(argument));
        vector_push(&function->params, param);
    }
}

static void add_function(struct header *header, CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    struct api_function function = {.record = header->class, .object_param = API_NONE};
    function.name = take(clang_getCursorSpelling(cursor));
    for (size_t i = 0; i < header->api->functions.count; i++) {
        if (header->class == API_NONE && strcmp(header->api->functions.data[i].name, function.name) == 0) {
            free(function.name); /* declared twice */
            return;
        }
    }
    function.method = header->class != API_NONE;
    function.constructor = kind == CXCursor_Constructor;
    function.destructor = kind == CXCursor_Destructor;
    function.variadic = clang_Cursor_isVariadic(cursor);
    function.result = read_type(header, clang_getCursorResultType(cursor));
    clang_getSpellingLocation(clang_getCursorLocation(cursor), NULL, &function.line, NULL, NULL);
    read_params(header, cursor, &function);
    vector_push(&header->api->functions, function);
}

static bool is_offered_method(CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    bool method = kind == CXCursor_CXXMethod || kind == CXCursor_Constructor || kind == CXCursor_Destructor;
    if (!method || clang_getCXXAccessSpecifier(cursor) != CX_CXXPublic || clang_CXXMethod_isStatic(cursor))
        return false;
    if (clang_getCursorAvailability(cursor) == CXAvailability_NotAvailable)
        return false; /* deleted */
    char *name = take(clang_getCursorSpelling(cursor));
    bool is_operator = strncmp(name, "operator", 8) == 0 && strchr("=<>+-*/[(!%&|^~,", name[8]) != NULL;
    free(name);
    return !is_operator && !clang_CXXConstructor_isCopyConstructor(cursor) &&
           !clang_CXXConstructor_isMoveConstructor(cursor);
}

static enum CXChildVisitResult visit_member(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (is_offered_method(cursor))
        add_function(data, cursor);
    return CXChildVisit_Continue;
}

static void read_class(struct header *header, CXCursor cursor)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    if (!clang_isCursorDefinition(cursor) || clang_Type_getSizeOf(type) <= 0)
        return;
    header->class = find_record(header, type);
    clang_visitChildren(cursor, visit_member, header);
    header->class = API_NONE;
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct header *header = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (!clang_Location_isFromMainFile(clang_getCursorLocation(cursor)))
        return CXChildVisit_Continue;
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl)
        return CXChildVisit_Recurse;
    if (kind == CXCursor_FunctionDecl && clang_getCursorLinkage(cursor) == CXLinkage_External)
        add_function(header, cursor);
    else if (kind == CXCursor_ClassDecl || (kind == CXCursor_StructDecl && header->api->plus))
        read_class(header, cursor);
    return CXChildVisit_Continue;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------- */

/* The first error of the compiler. */
static bool has_error(CXTranslationUnit unit, char *error, size_t room)
{
    bool found = false;
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit) && !found; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            char *text = take(clang_formatDiagnostic(diagnostic, CXDiagnostic_DisplaySourceLocation));
            snprintf(error, room, "%s", text);
            free(text);
            found = true;
        }
        clang_disposeDiagnostic(diagnostic);
    }
    return found;
}

bool raddle_read_header(const char *path, bool plus, char *const *flags, int flag_count, struct api *api, char *error,
                        size_t room)
{
    VECTOR(const char *) arguments = {0};
    vector_push(&arguments, "-x");
    vector_push(&arguments, plus ? "c++" : "c");
    vector_push(&arguments, "-Wno-pragma-once-outside-header");
    for (int i = 0; i < flag_count; i++)
        vector_push(&arguments, flags[i]);
    struct header header = {.api = api, .class = API_NONE};
    api->plus = plus;
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit =
        clang_parseTranslationUnit(index, path, arguments.data, (int)arguments.count, NULL, 0, CXTranslationUnit_None);
    bool good = unit != NULL && !has_error(unit, error, room);
    if (unit == NULL)
        snprintf(error, room, "%s cannot be read by clang", path);
    if (good)
        clang_visitChildren(clang_getTranslationUnitCursor(unit), visit, &header);
    if (unit != NULL)
        clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    vector_free(&header.records);
    vector_free(&header.enums);
    vector_free(&arguments);
    return good;
}
