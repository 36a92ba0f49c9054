/* SPDX-License-Identifier: MIT
 *
 * tale_fuzz.c - the reader of tales takes anything; what it accepts can be told, gets a cause, and is read back the same after
 * writing.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tale/tale.h"

/* Told in all ways; nothing that steers a terminal may come out. */
static void tell(const struct tale *tale)
{
    char *told = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&told, &size);
    assert(out != NULL);
    tale_print_headline(tale, out, 60);
    tale_print(tale, out, 0, false);
    tale_print(tale, out, 40, true);
    fclose(out);
    for (size_t i = 0; i < size; i++)
        assert((unsigned char)told[i] >= ' ' || told[i] == '\n');
    free(told);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tale first, second;
    struct error error;
    if (!tale_parse(&first, "fuzz", (const char *)data, size, &error)) {
        assert(error.code != 0 && error.text[0] != '\0');
        return 0;
    }
    tell(&first);
    struct buffer text = {0}, again = {0};
    tale_write(&first, &text);
    assert(tale_parse(&second, "again", text.data, text.size, &error));
    tale_write(&second, &again);
    assert(text.size == again.size && memcmp(text.data, again.data, text.size) == 0);

    struct tale_cause cause = {.sentence = strdup("found")};
    vector_push(&cause.events, (uint32_t)(size & 7));
    tale_set_cause(&second, &cause);
    tell(&second);
    tale_free(&first);
    tale_free(&second);
    buffer_free(&text);
    buffer_free(&again);
    return 0;
}
