// SPDX-License-Identifier: MIT
// memstream.c - open_memstream and fmemopen, one per thread.
//
// expect: none
#include "correct.h"

static int finished;

static void *work(void *number)
{
    char *text = NULL;
    size_t size = 0;
    int n = (int)(intptr_t)number, back = -1;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "value %d", n);
    fputs(" end", out);
    CHECK(fclose(out) == 0 && size == strlen(text));
    FILE *in = fmemopen(text, size, "r");
    CHECK(fscanf(in, "value %d end", &back) == 1 && back == n);
    fclose(in);
    free(text);
    __atomic_fetch_add(&finished, 1, __ATOMIC_RELAXED);
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, (void *)10), b = start(work, (void *)200);
    join(a);
    join(b);
    CHECK(finished == 2);
    return 0;
}
