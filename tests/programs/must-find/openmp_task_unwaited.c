// SPDX-License-Identifier: MIT
// openmp_task_unwaited.c - the result of a task is used without waiting for it.
//
// Shape: R(x) before W'(x), order violation.
// Why:   a task may be executed at any time until the next taskwait or barrier.
//
// expect: assert
// build: -fopenmp
// find: random within 50
// find: pct within 100
#include <assert.h>

static int result;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        result = 42;
        assert(result == 42);
    }
    return 0;
}
