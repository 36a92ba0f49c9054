// SPDX-License-Identifier: MIT
// OpenMP: tasks in the order that their depend clauses ask for.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>

int main(void)
{
    int x = 0, y = 0, z = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
#pragma omp task depend(in : x) depend(out : y)
        y = x + 1;
#pragma omp task depend(in : x) depend(out : z)
        z = x + 2;
#pragma omp task depend(inout : x) depend(in : y, z)
        x = y + z;
#pragma omp taskwait depend(in : y)
        assert(y == 2);
#pragma omp task depend(in : x) if (0)
        assert(x == 5);
    }
    assert(x == 5);
    return 0;
}
