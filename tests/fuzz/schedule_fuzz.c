/* SPDX-License-Identifier: MIT
 *
 * schedule_fuzz.c - the reader of schedule files takes anything, and what it accepts is read back the same after writing.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "trace/schedule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct schedule first, second;
    struct error error;
    if (!schedule_parse(&first, "fuzz", (const char *)data, size, &error)) {
        assert(error.code != 0 && error.text[0] != '\0');
        return 0;
    }
    struct buffer text = {0};
    schedule_write(&first, NULL, &text);
    assert(schedule_parse(&second, "again", text.data, text.size, &error));
    assert(first.flags == second.flags && first.seed == second.seed && first.max_steps == second.max_steps);
    assert(first.steps.count == second.steps.count);
    assert(first.steps.count == 0 ||
           memcmp(first.steps.data, second.steps.data, first.steps.count * sizeof(struct wire_step)) == 0);
    schedule_free(&first);
    schedule_free(&second);
    buffer_free(&text);
    return 0;
}
