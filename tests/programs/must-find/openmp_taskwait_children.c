// SPDX-License-Identifier: MIT
// openmp_taskwait_children.c - taskwait is taken to wait for tasks of tasks.
//
// Shape: R(x) before W'(x), order violation.
// Why:   it waits for the children of the current task only; a taskgroup waits for all descendants.
//
// expect: assert
// build: -fopenmp
// find: random within 100
// find: pct within 300
#include <assert.h>

static int inner;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task
            inner = 1;
        }
#pragma omp taskwait
        assert(inner == 1);
    }
    return 0;
}
