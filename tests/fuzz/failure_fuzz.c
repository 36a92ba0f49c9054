/* SPDX-License-Identifier: MIT
 *
 * failure_fuzz.c - the reader of about.json takes anything.
 */
#include <assert.h>
#include <stdint.h>

#include "trace/failure.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct failure failure;
    struct error error;
    if (!failure_parse(&failure, "fuzz", (const char *)data, size, &error)) {
        assert(error.code != 0 && error.text[0] != '\0');
        return 0;
    }
    assert(failure.kind != NULL && failure.key != NULL && failure.command != NULL && failure.command[0] != NULL);
    failure_free(&failure);
    return 0;
}
