/* SPDX-License-Identifier: MIT
 *
 * memo_fuzz.c - the reader of exported memos takes anything, and what it accepts comes back the same after another export.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memo/memo.h"
#include "util/buffer.h"
#include "util/file.h"

static char path[64];
static struct memo *memo; /* always empty between two inputs */

static void discard(void)
{
    memo_close(memo);
    memo = NULL;
    unlink(path);
}

static void begin_anew(void)
{
    struct error error = {0};
    if (path[0] == '\0') {
        snprintf(path, sizeof path, "%s/raddle-fuzz-%d.db", file_is_directory("/dev/shm") ? "/dev/shm" : "/tmp",
                 (int)getpid());
        atexit(discard);
    }
    discard();
    memo = memo_open_all(path, MEMO_CREATE, &error);
    assert(memo != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct buffer first = {0}, second = {0};
    if (memo == NULL)
        begin_anew();
    if (!memo_import(memo, "fuzz", (const char *)data, size, MEMO_ADD, &error)) {
        assert(error.code == EXIT_USAGE && error.text[0] != '\0');
        return 0;
    }
    assert(memo_export(memo, &first, &error));
    begin_anew();
    assert(memo_import(memo, "again", first.data, first.size, MEMO_ADD, &error));
    assert(memo_export(memo, &second, &error));
    assert(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
    begin_anew();
    buffer_free(&first);
    buffer_free(&second);
    return 0;
}
