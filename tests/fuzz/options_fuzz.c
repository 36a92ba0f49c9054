/* SPDX-License-Identifier: MIT
 *
 * options_fuzz.c - the reader of configuration files takes anything.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "campaign/options.h"
#include "util/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct options options;
    struct error error = {0};
    char *text = memory_allocate(size + 1, 1);
    memcpy(text, data, size);
    options_set_defaults(&options);
    bool good = options_read_config(&options, FOR_RUN, "fuzz", text, &error);
    assert(good || error.text[0] != '\0');
    free(text);
    options_free(&options);
    return 0;
}
