/* SPDX-License-Identifier: MIT
 *
 * asm_fuzz.c - the filter of assembler text takes anything, and keeps every byte of it in the order in which it came.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "asm/filter.h"

/* Whether the bytes of `part` occur in `whole` in this order. */
static bool contains_in_order(const char *whole, size_t size, const char *part, size_t part_size)
{
    size_t found = 0;
    for (size_t i = 0; i < size && found < part_size; i++)
        found += whole[i] == part[found];
    return found == part_size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char init[] = "\ncall __tsan_init\n";
    char *text = malloc(size + sizeof init);
    assert(text != NULL);
    memcpy(text, data, size);
    for (int compiled = 0; compiled < 2; compiled++) {
        size_t length = size;
        text[size] = '\0';
        if (compiled) {
            memcpy(text + size, init, sizeof init);
            length += sizeof init - 1;
        }
        struct buffer output = {0};
        if (asm_filter(text, length, true, &output))
            assert(contains_in_order(output.data, output.size, text, length));
        else
            assert(output.size == 0);
        buffer_free(&output);
    }
    free(text);
    return 0;
}
