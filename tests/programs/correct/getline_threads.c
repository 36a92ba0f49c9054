// SPDX-License-Identifier: MIT
// getline_threads.c - two threads read one stream by getline: each line goes to one of them, whole.
//
// expect: none
#include "correct.h"

static FILE *file;
static int total;

static void *work(void *unused)
{
    (void)unused;
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    while ((length = getline(&line, &size, file)) > 0) {
        CHECK(line[length - 1] == '\n' && (size_t)length == strlen(line));
        __atomic_fetch_add(&total, atoi(line), __ATOMIC_RELAXED);
    }
    free(line);
    return NULL;
}

int main(void)
{
    file = tmpfile();
    for (int i = 1; i <= 6; i++)
        fprintf(file, "%d is a number\n", i);
    rewind(file);
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    CHECK(total == 21);
    fclose(file);
    return 0;
}
