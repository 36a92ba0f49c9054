/* SPDX-License-Identifier: MIT
 *
 * emit.c - see emit.h.
 */
#include "generate/emit.h"

#include <inttypes.h>
#include <string.h>

#include "generate/code.h"
#include "generate/roles.h"
#include "util/file.h"

struct emitter {
    const struct emit *emit;
    const struct test *test;
    const struct api *api;
    struct buffer *text;
    VECTOR(struct gen_call) steps; /* different calls of the test */
    api_texts expressions;
    unsigned calls, all, slots; /* all: with observers */
    bool oracle;
};

/* ---- what is in the test ------------------------------------------------------------------------------------------------ */

static const struct api_function *function_of(const struct emitter *emitter, const struct gen_call *call)
{
    return &emitter->api->functions.data[call->function];
}

static void find_arguments(const struct emitter *emitter, const struct gen_call *call, const char **arguments)
{
    const struct api_function *function = function_of(emitter, call);
    for (size_t i = 0; i < function->params.count; i++)
        arguments[i] =
            code_choices(&function->params.data[i]) > 0 ? function->params.data[i].values.data[call->values[i]] : NULL;
}

static void note_expressions(struct emitter *emitter, const struct gen_call *call)
{
    const char *arguments[GEN_VALUES] = {0};
    find_arguments(emitter, call, arguments);
    for (size_t i = 0; i < GEN_VALUES; i++)
        if (arguments[i] != NULL)
            api_texts_add(&emitter->expressions, arguments[i]);
}

static size_t step_number(const struct emitter *emitter, const struct gen_call *call)
{
    size_t i = 0;
    while (i < emitter->steps.count && memcmp(&emitter->steps.data[i], call, sizeof *call) != 0)
        i++;
    return i;
}

static void note_step(struct emitter *emitter, const struct gen_call *call)
{
    if (step_number(emitter, call) < emitter->steps.count)
        return;
    unsigned slots = code_slot_count(emitter->api, function_of(emitter, call));
    emitter->slots = slots > emitter->slots ? slots : emitter->slots;
    vector_push(&emitter->steps, *call);
    note_expressions(emitter, call);
}

static void note_all(struct emitter *emitter)
{
    const struct test *test = emitter->test;
    emitter->calls = test_call_count(test);
    emitter->all = emitter->calls + test->observers;
    emitter->slots = 1;
    note_expressions(emitter, &test->construct);
    for (unsigned i = 0; i < test->prefix_count; i++)
        note_step(emitter, &test->prefix[i]);
    for (unsigned i = 0; i < emitter->all; i++) {
        note_step(emitter, &test->calls[i]);
        emitter->oracle = emitter->oracle || test->compared[i] != 0;
    }
    emitter->oracle = emitter->oracle && test->rows.count > 0;
}

/* ---- the parts of the file -------------------------------------------------------------------------------------------- */

static void add_head(const struct emitter *emitter)
{
    struct buffer *text = emitter->text;
    char *calls = test_text(emitter->test, emitter->api);
    buffer_printf(text, "/* %s - a concurrent test, written by raddle gen (seed %" PRIu64 ").\n *\n",
                  emitter->emit->name, emitter->emit->seed);
    buffer_printf(text, " *     %s\n *\n", calls);
    if (emitter->emit->what != NULL)
        buffer_printf(text, " * What fails: %s\n *\n", emitter->emit->what);
    const char *wrapper = emitter->api->plus ? "c++" : "cc";
    buffer_printf(text, " *     raddle %s %s MODULE -o test && raddle run -- ./test\n", wrapper, emitter->emit->name);
    buffer_printf(text, " *\n * Without raddle it is an ordinary program: exit status 0 is good.\n */\n");
    free(calls);
}

static void add_includes(const struct emitter *emitter)
{
    const api_texts *headers = &emitter->emit->library->input->headers;
    buffer_add_string(emitter->text, "#undef NDEBUG\n#include <assert.h>\n#include <pthread.h>\n#include <stdbool.h>\n"
                                     "#include <stddef.h>\n#include <stdio.h>\n#include <string.h>\n\n");
    for (size_t i = 0; i < headers->count; i++)
        buffer_printf(emitter->text, "#include \"%s\"\n", file_base_name(headers->data[i]));
    buffer_add_char(emitter->text, '\n');
}

/* A C expression as the content of a string. */
static void add_escaped(struct buffer *text, const char *expression)
{
    for (; *expression != '\0'; expression++) {
        if (*expression == '"' || *expression == '\\')
            buffer_add_char(text, '\\');
        buffer_add_char(text, *expression);
    }
}

static void add_call_row(const struct emitter *emitter, const struct gen_call *call)
{
    char *name = test_call_text(call, emitter->api);
    buffer_add_string(emitter->text, "    {\"");
    add_escaped(emitter->text, name);
    buffer_printf(emitter->text, "\", step_%zu, {0}, 0, 0},\n", step_number(emitter, call) + 1);
    free(name);
}

static void add_types(const struct emitter *emitter)
{
    char *type = code_object_type(emitter->api, emitter->emit->library->subject);
    buffer_printf(emitter->text, "enum { CALLS = %u, OBSERVERS = %u, RESULTS = %u };\n\n", emitter->calls,
                  emitter->test->observers, emitter->slots);
    buffer_add_string(emitter->text, "struct call {\n    const char *text;\n    void (*make)(struct call *call);\n"
                                     "    long long results[RESULTS]; /* result and out-parameters */\n"
                                     "    unsigned long began, ended;\n};\n\n");
    buffer_printf(emitter->text, "static %sshared;\n", type);
    free(type);
}

static const char identity_text[] = "/* What a pointer is, without its address. */\n"
                                    "static long long identity(const void *pointer)\n{\n%s"
                                    "    return pointer == NULL ? 0 : pointer == (const void *)shared ? 1 : 2;\n}\n\n";
static const char items_text[] = "    for (int i = 0; i < 8; i++)\n        if (pointer == &items[i])\n"
                                 "            return 1000 + i;\n";
static const char content_text[] = "static long long content(const void *bytes, size_t size)\n{\n"
                                   "    unsigned long long hash = 0x9e3779b97f4a7c15u + size;\n"
                                   "    for (size_t i = 0; i < size; i++)\n"
                                   "        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;\n"
                                   "    return (long long)(hash >> 1);\n}\n\n";
static const char bits_text[] = "static long long bits(double number)\n{\n    long long result;\n"
                                "    memcpy(&result, &number, sizeof result);\n    return result;\n}\n\n";

static void add_helpers(const struct emitter *emitter, const struct code *code, const struct buffer *steps)
{
    bool items = false;
    for (size_t i = 0; i < emitter->expressions.count; i++)
        items = items || strstr(emitter->expressions.data[i], "items[") != NULL;
    if (items)
        buffer_add_string(emitter->text, "static int items[8] = {0, 1, 2, 3, 4, 5, 6, 7};\n");
    buffer_add_char(emitter->text, '\n');
    if (strstr(buffer_text(steps), "identity(") != NULL) {
        char *body = memory_format("%s", items ? items_text : "");
        buffer_printf(emitter->text, identity_text, body); // NOLINT
        free(body);
    }
    if (strstr(buffer_text(steps), "content(") != NULL)
        buffer_add_string(emitter->text, content_text);
    if (strstr(buffer_text(steps), "bits(") != NULL)
        buffer_add_string(emitter->text, bits_text);
    code_helpers(code, emitter->text, &emitter->expressions);
}

static void add_steps(const struct emitter *emitter, const struct code *code, struct buffer *steps)
{
    for (size_t i = 0; i < emitter->steps.count; i++) {
        const char *arguments[GEN_VALUES] = {0};
        const struct gen_call *call = &emitter->steps.data[i];
        find_arguments(emitter, call, arguments);
        buffer_printf(steps, "static void step_%zu(struct call *call)\n{\n", i + 1);
        if (code_slot_count(emitter->api, function_of(emitter, call)) == 0)
            buffer_add_string(steps, "    (void)call;\n");
        code_call(code, steps, call->function, arguments);
        buffer_add_string(steps, "}\n\n");
    }
}

static void add_calls(const struct emitter *emitter)
{
    const struct test *test = emitter->test;
    if (test->prefix_count > 0) {
        buffer_add_string(emitter->text,
                          "/* What is done before, in one thread. */\nstatic struct call before[] = {\n");
        for (unsigned i = 0; i < test->prefix_count; i++)
            add_call_row(emitter, &test->prefix[i]);
        buffer_add_string(emitter->text, "};\n\n");
    }
    buffer_printf(emitter->text, "/* The calls of the threads%s. */\nstatic struct call calls[] = {\n",
                  test->observers > 0 ? ", then those that look at the object when the threads have ended" : "");
    for (unsigned i = 0; i < emitter->all; i++)
        add_call_row(emitter, &test->calls[i]);
    buffer_add_string(emitter->text, "};\n\n");
}

/* ---- the oracle --------------------------------------------------------------------------------------------------------- */

static void add_results(const struct emitter *emitter, const struct gen_row *row)
{
    buffer_add_char(emitter->text, '{');
    for (unsigned i = 0; i < emitter->all; i++) {
        buffer_add_string(emitter->text, i > 0 ? ", {" : "{");
        for (unsigned k = 0; k < emitter->slots; k++) {
            bool counts = (emitter->test->compared[i] >> k & 1) != 0;
            buffer_printf(emitter->text, "%s%" PRId64, k > 0 ? ", " : "", counts ? row->slots[i][k] : (int64_t)0);
        }
        buffer_add_char(emitter->text, '}');
    }
    buffer_add_char(emitter->text, '}');
}

static void add_orders(const struct emitter *emitter)
{
    struct buffer *text = emitter->text;
    buffer_add_string(text, "/* Which results say something: those that do not depend on addresses or time. */\n"
                            "static const bool compared[CALLS + OBSERVERS][RESULTS] = {");
    for (unsigned i = 0; i < emitter->all; i++) {
        buffer_add_string(text, i > 0 ? ", {" : "{");
        for (unsigned k = 0; k < emitter->slots; k++)
            buffer_printf(text, "%s%s", k > 0 ? ", " : "",
                          (emitter->test->compared[i] >> k & 1) != 0 ? "true" : "false");
        buffer_add_char(text, '}');
    }
    buffer_add_string(text,
                      "};\n\n/* Each order in which the calls can run one after another, and what they give then. */\n"
                      "static const struct order {\n    int calls[CALLS];\n"
                      "    long long results[CALLS + OBSERVERS][RESULTS];\n} orders[] = {\n");
    for (size_t r = 0; r < emitter->test->rows.count; r++) {
        buffer_add_string(text, "    {{");
        for (unsigned i = 0; i < emitter->calls; i++)
            buffer_printf(text, "%s%u", i > 0 ? ", " : "", emitter->test->rows.data[r].order[i]);
        buffer_add_string(text, "}, ");
        add_results(emitter, &emitter->test->rows.data[r]);
        buffer_add_string(text, "},\n");
    }
    buffer_add_string(text, "};\n\n");
}

static const char oracle_text[] = "static bool has_results(const struct order *order)\n{\n"
                                  "    for (int i = 0; i < CALLS + OBSERVERS; i++)\n"
                                  "        for (int k = 0; k < RESULTS; k++)\n"
                                  "            if (compared[i][k] && calls[i].results[k] != order->results[i][k])\n"
                                  "                return false;\n"
                                  "    return true;\n}\n\n"
                                  "/* A call that had ended before another one began comes before it. */\n"
                                  "static bool respects_time(const struct order *order)\n{\n"
                                  "    for (int i = 0; i < CALLS; i++)\n"
                                  "        for (int k = i + 1; k < CALLS; k++)\n"
                                  "            if (calls[order->calls[k]].ended < calls[order->calls[i]].began)\n"
                                  "                return false;\n"
                                  "    return true;\n}\n\n"
                                  "static bool an_order_explains_the_results(void)\n{\n"
                                  "    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)\n"
                                  "        if (has_results(&orders[i]) && respects_time(&orders[i]))\n"
                                  "            return true;\n"
                                  "    for (int i = 0; i < CALLS + OBSERVERS; i++) {\n"
                                  "        fprintf(stderr, \"%s gave\", calls[i].text);\n"
                                  "        for (int k = 0; k < RESULTS; k++)\n"
                                  "            if (compared[i][k])\n"
                                  "                fprintf(stderr, \" %lld\", calls[i].results[k]);\n"
                                  "        fputs(\"\\n\", stderr);\n"
                                  "    }\n"
                                  "    return false;\n}\n\n";

static const char make_text[] = "static unsigned long moment;\n\n"
                                "static unsigned long next_moment(void)\n{\n"
                                "    return __atomic_add_fetch(&moment, 1, __ATOMIC_RELAXED);\n}\n\n"
                                "static void make(struct call *call)\n{\n"
                                "    call->began = next_moment();\n"
                                "    call->make(call);\n"
                                "    call->ended = next_moment();\n}\n\n";

/* ---- threads and main ----------------------------------------------------------------------------------------------------- */

static void add_threads(const struct emitter *emitter)
{
    unsigned first = 0;
    for (unsigned t = 0; t < emitter->test->threads; t++) {
        buffer_printf(emitter->text, "static void *thread_%u(void *unused)\n{\n    (void)unused;\n", t + 1);
        for (unsigned i = 0; i < emitter->test->count[t]; i++)
            buffer_printf(emitter->text, "    make(&calls[%u]);\n", first + i);
        buffer_add_string(emitter->text, "    return NULL;\n}\n\n");
        first += emitter->test->count[t];
    }
}

static void add_invariant(const struct emitter *emitter, const struct code *code)
{
    const char *arguments[GEN_VALUES] = {0};
    for (uint32_t i = 0; i < emitter->api->functions.count; i++) {
        const struct api_function *function = &emitter->api->functions.data[i];
        if (function->role != ROLE_INVARIANT || function->record != code->subject)
            continue;
        struct gen_call call = {.function = (uint16_t)i};
        find_arguments(emitter, &call, arguments);
        buffer_add_string(emitter->text, "    long long sound[1];\n");
        struct code inner = *code;
        inner.slots = "sound";
        code_call(&inner, emitter->text, i, arguments);
        buffer_add_string(emitter->text, "    bool invariant_holds = sound[0] != 0;\n    assert(invariant_holds);\n");
        return;
    }
}

static void add_destroy(const struct emitter *emitter, const struct code *code)
{
    uint32_t number = roles_destructor(emitter->api, code->subject);
    const char *arguments[GEN_VALUES] = {0};
    if (number == API_NONE)
        return;
    struct gen_call call = {.function = (uint16_t)number};
    find_arguments(emitter, &call, arguments);
    struct code inner = *code;
    inner.slots = "unused";
    if (code_slot_count(emitter->api, &emitter->api->functions.data[number]) > 0)
        buffer_printf(emitter->text, "    volatile long long unused[%d];\n", GEN_SLOTS);
    code_call(&inner, emitter->text, number, arguments);
}

/* With -DONE_AFTER_ANOTHER the threads do not run at the same time. */
static void add_start(const struct emitter *emitter)
{
    unsigned threads = emitter->test->threads;
    for (unsigned t = 0; t < threads; t++) {
        buffer_printf(emitter->text, "    pthread_create(&threads[%u], NULL, thread_%u, NULL);\n", t, t + 1);
        if (t + 1 < threads)
            buffer_printf(emitter->text, "#ifdef ONE_AFTER_ANOTHER\n    pthread_join(threads[%u], NULL);\n#endif\n", t);
    }
    for (unsigned t = 0; t + 1 < threads; t++)
        buffer_printf(emitter->text, "#ifndef ONE_AFTER_ANOTHER\n    pthread_join(threads[%u], NULL);\n#endif\n", t);
    buffer_printf(emitter->text, "    pthread_join(threads[%u], NULL);\n", threads - 1);
}

static void add_main(const struct emitter *emitter, const struct code *code)
{
    const char *arguments[GEN_VALUES] = {0};
    const struct test *test = emitter->test;
    struct buffer *text = emitter->text;
    buffer_add_string(text, "int main(void)\n{\n");
    buffer_printf(text, "    pthread_t threads[%u];\n", test->threads);
    find_arguments(emitter, &test->construct, arguments);
    code_construct(code, text, test->construct.function, arguments, "shared");
    buffer_add_string(text, "    if (shared == NULL)\n        return 77;\n");
    for (unsigned i = 0; i < test->prefix_count; i++)
        buffer_printf(text, "    make(&before[%u]);\n", i);
    add_start(emitter);
    if (test->observers > 0)
        buffer_add_string(text, "    for (int i = CALLS; i < CALLS + OBSERVERS; i++)\n        make(&calls[i]);\n");
    add_invariant(emitter, code);
    if (emitter->oracle)
        buffer_add_string(text, "    assert(an_order_explains_the_results());\n");
    add_destroy(emitter, code);
    buffer_add_string(text, "    return 0;\n}\n");
}

void emit_test(const struct emit *emit, struct buffer *text)
{
    struct emitter emitter = {.emit = emit, .test = emit->test, .api = emit->library->api, .text = text};
    struct code code = {emitter.api, emit->library->subject, "call->results", "identity", "content", "bits", 4};
    struct buffer steps = {0};
    note_all(&emitter);
    add_steps(&emitter, &code, &steps);
    add_head(&emitter);
    add_includes(&emitter);
    add_types(&emitter);
    add_helpers(&emitter, &code, &steps);
    buffer_add(text, buffer_text(&steps), steps.size);
    add_calls(&emitter);
    if (emitter.oracle) {
        add_orders(&emitter);
        buffer_add_string(text, oracle_text);
    }
    buffer_add_string(text, make_text);
    add_threads(&emitter);
    add_main(&emitter, &code);
    buffer_free(&steps);
    vector_free(&emitter.steps);
    api_texts_free(&emitter.expressions);
}
