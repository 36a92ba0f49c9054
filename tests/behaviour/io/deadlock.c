// SPDX-License-Identifier: MIT
// deadlock.c - two threads that each wait for the other's byte: nothing outside can help, so it is a deadlock at once.
#include "io.h"

static int left[2], right[2];

static void *pass_on(void *from_left)
{
    char byte;
    int in = from_left ? left[0] : right[0], out = from_left ? right[1] : left[1];
    assert(read(in, &byte, 1) == 1 && write(out, &byte, 1) == 1);
    return NULL;
}

int main(void)
{
    assert(pipe(left) == 0 && pipe(right) == 0);
    pthread_t a = start(pass_on, left), b = start(pass_on, NULL);
    finish(a);
    finish(b);
    return 0;
}
