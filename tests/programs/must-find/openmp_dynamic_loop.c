// SPDX-License-Identifier: MIT
// openmp_dynamic_loop.c - iterations of a dynamic loop update a table of counters.
//
// Shape: R(x) W'(x) W(x), single-variable atomicity violation.
// Why:   two iterations have the same counter, and different threads may execute them.
//
// expect: assert
// build: -fopenmp
// find: random within 100
// find: pct within 500
#include <assert.h>

static int counters[2];

int main(void)
{
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int i = 0; i < 4; i++)
        counters[i % 2]++;
    assert(counters[0] == 2 && counters[1] == 2);
    return 0;
}
