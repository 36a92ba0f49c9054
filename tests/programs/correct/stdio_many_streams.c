// SPDX-License-Identifier: MIT
// stdio_many_streams.c - several threads write to one stream by fprintf and putc_unlocked under flockfile; the file has all of it.
//
// expect: none
// tsan: no (it does not know flockfile)
#include "correct.h"

static FILE *file;

static void *work(void *letter)
{
    for (int i = 0; i < 2; i++) {
        fprintf(file, "%c%c%c\n", *(char *)letter, *(char *)letter, *(char *)letter);
        flockfile(file);
        for (int k = 0; k < 3; k++)
            putc_unlocked(*(char *)letter, file);
        putc_unlocked('\n', file);
        funlockfile(file);
    }
    return NULL;
}

int main(void)
{
    file = tmpfile();
    CHECK(file != NULL);
    char letters[2] = {'a', 'b'};
    pthread_t a = start(work, &letters[0]), b = start(work, &letters[1]);
    join(a);
    join(b);
    rewind(file);
    char line[16];
    int lines = 0;
    for (; fgets(line, sizeof line, file) != NULL; lines++)
        CHECK(strcmp(line, "aaa\n") == 0 || strcmp(line, "bbb\n") == 0);
    CHECK(lines == 8 && fclose(file) == 0);
    return 0;
}
