/* SPDX-License-Identifier: MIT
 *
 * plan.c - see plan.h.
 */
#include "generate/plan.h"

#include <string.h>

#include "generate/roles.h"
#include "util/buffer.h"
#include "util/file.h"

static const char *const role_names[ROLE_COUNT] = {"", "create", "destroy", "call", "never", "invariant"};
static const char *const fails_names[FAILS_COUNT] = {"never", "null", "negative", "nonzero", "zero"};

/* ---- printing --------------------------------------------------------------------------------------------------------- */

static void print_value(const char *value, FILE *to)
{
    if (value[0] != '"' && strchr(value, ' ') != NULL)
        fprintf(to, " {%s}", value);
    else
        fprintf(to, " %s", value);
}

static void print_values(const struct api_function *function, FILE *to)
{
    for (size_t i = 0; i < function->params.count; i++) {
        const struct api_param *param = &function->params.data[i];
        if (param->values.count == 0 || (i == function->object_param && function->role != ROLE_CREATE))
            continue;
        fprintf(to, "    values %s", param->name);
        for (size_t k = 0; k < param->values.count; k++)
            print_value(param->values.data[k], to);
        fputc('\n', to);
    }
}

static void print_function(const struct api_function *function, FILE *to)
{
    fprintf(to, "%s %s(", role_names[function->role], function->name);
    for (size_t i = 0; i < function->params.count; i++)
        fprintf(to, "%s%s", i > 0 ? ", " : "", function->params.data[i].name);
    fputs(")", to);
    if (function->role == ROLE_NEVER && function->why != NULL)
        fprintf(to, "    # %s", function->why);
    fputc('\n', to);
    if (function->role == ROLE_NEVER)
        return;
    print_values(function, to);
    if (function->role == ROLE_CREATE)
        fprintf(to, "    fails %s\n", fails_names[function->fails]);
    if (function->once)
        fputs("    once\n", to);
    if (function->one_thread)
        fputs("    one-thread\n", to);
    if (function->after != NULL)
        fprintf(to, "    after %s\n", function->after);
    if (function->no_compare)
        fputs("    no-compare\n", to);
}

void plan_print(const struct api *api, const char *header, FILE *to)
{
    fprintf(to, "# What raddle gen understood of %s. Edit it, and give it back with --plan FILE.\n", header);
    for (uint32_t record = 0; record < api->records.count; record++) {
        bool any = false;
        for (int role = ROLE_CREATE; role < ROLE_COUNT; role++) {
            for (size_t i = 0; i < api->functions.count; i++) {
                const struct api_function *function = &api->functions.data[i];
                if (role == ROLE_NEVER || (int)function->role != role || function->record != record)
                    continue;
                if (!any)
                    fprintf(to, "\n# %s%s\n", api->records.data[record].spelling,
                            roles_is_subject(api, record) ? "" : ": not tested, there is no constructor or no call");
                any = true;
                print_function(function, to);
            }
        }
    }
    fputc('\n', to);
    for (size_t i = 0; i < api->functions.count; i++)
        if (api->functions.data[i].role == ROLE_NEVER)
            print_function(&api->functions.data[i], to);
}

/* ---- reading ---------------------------------------------------------------------------------------------------------- */

struct plan {
    const char *name;
    unsigned line;
    struct api *api;
    struct api_function *function; /* NULL: none was named yet */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The next word of a line: up to a blank, or in "quotes", or in {braces}, which are removed.  NULL: there is none. */
static char *next_word(char **at)
{
    char *word = *at;
    while (is_blank(*word))
        word++;
    if (*word == '\0' || *word == '#')
        return NULL;
    char *end = word;
    if (*word == '{') {
        end = ++word;
        while (*end != '\0' && !(*end == '}' && (is_blank(end[1]) || end[1] == '\0')))
            end++;
    } else if (*word == '"') {
        end++;
        while (*end != '\0' && *end != '"')
            end += *end == '\\' && end[1] != '\0' ? 2 : 1;
        end += *end != '\0';
    } else {
        while (*end != '\0' && !is_blank(*end))
            end++;
    }
    *at = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return word;
}

static bool wrong(const struct plan *plan, struct error *error, const char *what, const char *word)
{
    return error_set(error, EXIT_USAGE, "%s:%u: %s '%s'", plan->name, plan->line, what, word != NULL ? word : "");
}

static uint32_t find_name(const char *const *names, uint32_t count, const char *word)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], word) == 0)
            return i;
    return API_NONE;
}

/* A role that was given by hand needs to know the object. */
static bool set_role(struct plan *plan, enum api_role role, struct error *error)
{
    struct api_function *function = plan->function;
    for (size_t i = 0; i < function->params.count && function->record == API_NONE; i++) {
        if (function->params.data[i].type.kind != API_HANDLE)
            continue;
        function->record = function->params.data[i].type.record;
        function->object_param = (uint32_t)i;
    }
    if (role == ROLE_CREATE && function->record == API_NONE && function->result.kind == API_HANDLE)
        function->record = function->result.record;
    if (role != ROLE_NEVER && function->record == API_NONE)
        return wrong(plan, error, "there is no object in the parameters of", function->name);
    if (role == ROLE_CREATE && function->role != ROLE_CREATE && function->result.kind != API_HANDLE)
        function->in_place = true;
    function->role = role;
    return true;
}

static bool read_role(struct plan *plan, enum api_role role, char **at, struct error *error)
{
    char *word = next_word(at);
    if (word == NULL)
        return wrong(plan, error, "a function is missing after", role_names[role]);
    word[strcspn(word, "(")] = '\0';
    uint32_t number = api_find(plan->api, word);
    if (number == API_NONE)
        return wrong(plan, error, "the header has no function", word);
    plan->function = &plan->api->functions.data[number];
    return set_role(plan, role, error);
}

static bool read_values(const struct plan *plan, char **at, struct error *error)
{
    const char *name = next_word(at);
    struct api_param *param = NULL;
    for (size_t i = 0; i < plan->function->params.count && name != NULL; i++)
        if (strcmp(plan->function->params.data[i].name, name) == 0)
            param = &plan->function->params.data[i];
    if (param == NULL)
        return wrong(plan, error, "the function has no parameter", name);
    for (size_t i = 0; i < param->values.count; i++)
        free(param->values.data[i]);
    vector_clear(&param->values);
    for (const char *word; (word = next_word(at)) != NULL && param->values.count < UINT8_MAX;)
        api_texts_add(&param->values, word);
    return param->values.count > 0 || wrong(plan, error, "there are no values for", name);
}

static bool read_after(const struct plan *plan, char **at, struct error *error)
{
    const char *name = next_word(at);
    if (name == NULL || api_find(plan->api, name) == API_NONE)
        return wrong(plan, error, "the header has no function", name);
    free(plan->function->after);
    plan->function->after = memory_copy_string(name);
    return true;
}

static bool read_fails(const struct plan *plan, char **at, struct error *error)
{
    const char *word = next_word(at);
    uint32_t number = word != NULL ? find_name(fails_names, FAILS_COUNT, word) : API_NONE;
    if (number == API_NONE)
        return wrong(plan, error, "one of null, negative, nonzero, zero and never is wanted, not", word);
    plan->function->fails = (enum api_fails)number;
    return true;
}

static bool read_attribute(const struct plan *plan, const char *word, char **at, struct error *error)
{
    if (plan->function == NULL)
        return wrong(plan, error, "there is no function before", word);
    if (strcmp(word, "values") == 0)
        return read_values(plan, at, error);
    if (strcmp(word, "after") == 0)
        return read_after(plan, at, error);
    if (strcmp(word, "fails") == 0)
        return read_fails(plan, at, error);
    if (strcmp(word, "once") == 0)
        plan->function->once = true;
    else if (strcmp(word, "one-thread") == 0)
        plan->function->one_thread = true;
    else if (strcmp(word, "no-compare") == 0)
        plan->function->no_compare = true;
    else
        return wrong(plan, error, "a plan has no", word);
    return true;
}

static bool read_line(struct plan *plan, char *line, struct error *error)
{
    char *at = line;
    const char *word = next_word(&at);
    if (word == NULL)
        return true;
    uint32_t role = find_name(role_names, ROLE_COUNT, word);
    return role != API_NONE ? read_role(plan, (enum api_role)role, &at, error) : read_attribute(plan, word, &at, error);
}

bool plan_parse(const char *name, char *text, struct api *api, struct error *error)
{
    struct plan plan = {.name = name, .api = api};
    for (char *line = text; line != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL)
            *end = '\0';
        plan.line++;
        if (!read_line(&plan, line, error))
            return false;
        line = end != NULL ? end + 1 : NULL;
    }
    values_assign(api);
    return true;
}

bool plan_read(const char *path, struct api *api, struct error *error)
{
    struct buffer text = {0};
    bool good = file_read(path, 1 << 20, &text, error);
    if (good && text.size > 0)
        good = plan_parse(path, text.data, api, error);
    buffer_free(&text);
    return good;
}
