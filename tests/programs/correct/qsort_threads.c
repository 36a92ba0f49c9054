// SPDX-License-Identifier: MIT
// qsort_threads.c - qsort, qsort_r and bsearch on parts of one array, each part by one thread.
//
// expect: none
#include "correct.h"

static int numbers[16];

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int compare_by(const void *a, const void *b, void *sign)
{
    return *(int *)sign * compare(a, b);
}

static void *work(void *part)
{
    int minus = -1, wanted = 3, *mine = part;
    qsort_r(mine, 8, sizeof *mine, compare_by, &minus);
    CHECK(mine[0] >= mine[7]);
    qsort(mine, 8, sizeof *mine, compare);
    int *found = bsearch(&wanted, mine, 8, sizeof *mine, compare);
    CHECK(found != NULL && *found == 3);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 16; i++)
        numbers[i] = (i * 5 + 3) % 8;
    pthread_t a = start(work, numbers), b = start(work, numbers + 8);
    join(a);
    join(b);
    for (int i = 0; i < 16; i++)
        CHECK(numbers[i] == i % 8);
    return 0;
}
