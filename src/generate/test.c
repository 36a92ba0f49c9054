/* SPDX-License-Identifier: MIT
 *
 * test.c - see test.h.
 */
#include "generate/test.h"

#include <assert.h>
#include <string.h>

#include "generate/code.h"
#include "generate/roles.h"
#include "util/file.h"

unsigned test_call_count(const struct test *test)
{
    unsigned count = 0;
    for (unsigned t = 0; t < test->threads; t++)
        count += test->count[t];
    assert(count + test->observers <= GEN_TEST_CALLS);
    return count;
}

void test_free(struct test *test)
{
    vector_free(&test->rows);
}

void test_copy(struct test *to, const struct test *from)
{
    *to = *from;
    memset(&to->rows, 0, sizeof to->rows);
    vector_append(&to->rows, from->rows.data, from->rows.count);
}

/* ---- orders --------------------------------------------------------------------------------------------------------- */

static uint32_t destructor_of(const struct library *library)
{
    uint32_t number = roles_destructor(library->api, library->subject);
    return number == API_NONE ? 0 : number + 1;
}

static const struct gen_answer *ask_orders(const struct test *test, struct library *library, unsigned twin,
                                           struct error *error)
{
    struct gen_request *request = library_request(library, twin, error);
    if (request == NULL)
        return NULL;
    request->question = GEN_ORDERS;
    request->construct = test->construct;
    request->prefix_count = test->prefix_count;
    memcpy(request->prefix, test->prefix, test->prefix_count * sizeof test->prefix[0]);
    for (unsigned t = 0; t < test->threads; t++)
        request->count[t] = test->count[t];
    request->observer_count = test->observers;
    memcpy(request->calls, test->calls, (test_call_count(test) + test->observers) * sizeof test->calls[0]);
    request->destroy = destructor_of(library);
    return library_ask(library, twin);
}

static bool is_same_order(const struct test *test, const struct gen_row *a, const struct gen_row *b)
{
    return memcmp(a->order, b->order, test_call_count(test)) == 0;
}

/* What differs between the twins depends on addresses, time, or memory that was not set. */
static uint8_t find_compared(const struct test *test, const struct api *api, unsigned call,
                             const struct gen_answer *twin)
{
    const struct api_function *function = &api->functions.data[test->calls[call].function];
    unsigned slots = code_slot_count(api, function);
    uint8_t mask = function->no_compare ? 0 : (uint8_t)((1u << slots) - 1);
    for (size_t r = 0; r < test->rows.count; r++)
        for (unsigned k = 0; k < slots; k++)
            if (test->rows.data[r].slots[call][k] != twin->row[r].slots[call][k])
                mask &= (uint8_t) ~(1u << k);
    return mask;
}

static void compare_twins(struct test *test, const struct api *api, const struct gen_answer *twin)
{
    bool same = twin->status == GEN_DONE && twin->rows == test->rows.count && !twin->tries;
    for (size_t r = 0; r < test->rows.count && same; r++)
        same = is_same_order(test, &test->rows.data[r], &twin->row[r]);
    for (unsigned i = 0; i < test_call_count(test) + test->observers; i++)
        test->compared[i] = same ? find_compared(test, api, i, twin) : 0;
}

static enum test_alone judge_answer(const struct gen_answer *answer, struct gen_report *failed)
{
    uint32_t status = answer->status != GEN_DONE ? answer->status : answer->failed;
    if (failed != NULL)
        failed->status = status;
    if (answer->status != GEN_DONE || answer->failed != 0)
        return TEST_FAILS;
    return answer->stuck == 1 ? TEST_STUCK : answer->stuck == 2 ? TEST_MANY : TEST_GOOD;
}

enum test_alone test_find_orders(struct test *test, struct library *library, struct gen_report *failed,
                                 struct error *error)
{
    const struct gen_answer *answer = ask_orders(test, library, 0, error);
    vector_clear(&test->rows);
    memset(test->compared, 0, sizeof test->compared);
    if (answer == NULL)
        return TEST_STOPPED;
    enum test_alone result = judge_answer(answer, failed);
    if (result != TEST_GOOD)
        return result;
    vector_append(&test->rows, answer->row, answer->rows);
    const struct gen_answer *twin = ask_orders(test, library, 1, error);
    if (twin == NULL)
        return TEST_STOPPED;
    compare_twins(test, library->api, twin);
    return TEST_GOOD;
}

/* ---- files and texts ------------------------------------------------------------------------------------------------ */

static void add_call(struct buffer *text, const struct gen_call *call)
{
    buffer_printf(text, "%u", call->function);
    for (int i = 0; i < GEN_VALUES; i++)
        buffer_printf(text, " %u", call->values[i]);
}

static void add_row(struct buffer *text, const struct test *test, const struct gen_row *row)
{
    for (unsigned i = 0; i < test_call_count(test); i++)
        buffer_printf(text, "%u ", row->order[i]);
    for (unsigned i = 0; i < test_call_count(test) + test->observers; i++)
        for (int k = 0; k < GEN_SLOTS; k++)
            buffer_printf(text, "%lld ", (long long)row->slots[i][k]);
    buffer_add_char(text, '\n');
}

static unsigned find_invariant(const struct api *api, uint32_t subject)
{
    for (size_t i = 0; i < api->functions.count; i++)
        if (api->functions.data[i].role == ROLE_INVARIANT && api->functions.data[i].record == subject)
            return (unsigned)i + 1;
    return 0;
}

bool test_write_file(const struct test *test, const struct api *api, uint32_t subject, const char *path,
                     struct error *error)
{
    struct buffer text = {0};
    uint32_t destroy = roles_destructor(api, subject);
    buffer_printf(&text, "%u %u\n", destroy == API_NONE ? 0 : destroy + 1, find_invariant(api, subject));
    add_call(&text, &test->construct);
    buffer_printf(&text, "\n%u\n", test->prefix_count);
    for (unsigned i = 0; i < test->prefix_count; i++) {
        add_call(&text, &test->prefix[i]);
        buffer_add_char(&text, '\n');
    }
    buffer_printf(&text, "%u", test->threads);
    for (unsigned t = 0; t < test->threads; t++)
        buffer_printf(&text, " %u", test->count[t]);
    buffer_printf(&text, " %u\n", test->observers);
    for (unsigned i = 0; i < test_call_count(test) + test->observers; i++) {
        add_call(&text, &test->calls[i]);
        buffer_printf(&text, " %u\n", test->compared[i]);
    }
    buffer_printf(&text, "%zu\n", test->rows.count);
    for (size_t i = 0; i < test->rows.count; i++)
        add_row(&text, test, &test->rows.data[i]);
    bool good = file_write(path, text.data, text.size, error);
    buffer_free(&text);
    return good;
}

char *test_call_text(const struct gen_call *call, const struct api *api)
{
    const struct api_function *function = &api->functions.data[call->function];
    struct buffer text = {0};
    bool first = true;
    buffer_printf(&text, "%s(", function->name);
    for (size_t i = 0; i < function->params.count; i++) {
        const struct api_param *param = &function->params.data[i];
        bool in_place = function->in_place && i == function->object_param;
        const char *value = code_choices(param) > 0 ? param->values.data[call->values[i]] : param->name;
        if (in_place || strcmp(value, "shared") == 0)
            continue;
        buffer_printf(&text, "%s%s", first ? "" : ", ", value);
        first = false;
    }
    buffer_add_char(&text, ')');
    return buffer_take(&text);
}

char *test_text(const struct test *test, const struct api *api)
{
    struct buffer text = {0};
    unsigned at = 0;
    for (unsigned i = 0; i < test->prefix_count; i++) {
        char *call = test_call_text(&test->prefix[i], api);
        buffer_printf(&text, "%s%s", call, i + 1 < test->prefix_count ? "; " : ", then ");
        free(call);
    }
    for (unsigned t = 0; t < test->threads; t++) {
        buffer_add_string(&text, t > 0 ? " || " : "");
        for (unsigned i = 0; i < test->count[t]; i++) {
            char *call = test_call_text(&test->calls[at++], api);
            buffer_printf(&text, "%s%s", i > 0 ? "; " : "", call);
            free(call);
        }
    }
    return buffer_take(&text);
}
