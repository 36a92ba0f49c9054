// SPDX-License-Identifier: MIT
// openmp_sum.c - an OpenMP loop adds to a shared variable without a reduction.
//
// Shape: R(x) W'(x) W(x), single-variable atomicity violation.
// Why:   `sum += i` is a read and a write, and the iterations are shared among threads.
//
// expect: assert
// build: -fopenmp
// find: random within 50
// find: pct within 200
#include <assert.h>

static int sum;

int main(void)
{
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < 6; i++)
        sum += i;
    assert(sum == 15);
    return 0;
}
