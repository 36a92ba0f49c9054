// SPDX-License-Identifier: MIT
// openmp_nowait.c - a loop with nowait is followed by one that needs its results.
//
// Shape: R(x) before W'(x), order violation.
// Why:   without the barrier a thread goes on to the second loop while others are still in the first.
//
// expect: assert
// build: -fopenmp
// find: random within 100
// find: pct within 200
#include <assert.h>

static int squares[4], sums[4];

int main(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp for nowait
        for (int i = 0; i < 4; i++)
            squares[i] = i * i + 1;
#pragma omp for
        for (int i = 0; i < 4; i++)
            sums[i] = squares[3 - i];
    }
    for (int i = 0; i < 4; i++)
        assert(sums[i] == (3 - i) * (3 - i) + 1);
    return 0;
}
