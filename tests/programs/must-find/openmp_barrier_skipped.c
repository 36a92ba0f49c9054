// SPDX-License-Identifier: MIT
// openmp_barrier_skipped.c - a thread reads its neighbour's cell, and the barrier before is missing.
//
// Shape: R(x) before W'(x), order violation.
// Why:   nothing makes the neighbour write first.
//
// expect: assert
// build: -fopenmp
// find: random within 50
// find: pct within 100
#include <assert.h>
#include <omp.h>

static int cells[2];

int main(void)
{
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        cells[me] = me + 1;
        assert(cells[1 - me] == 2 - me);
    }
    return 0;
}
