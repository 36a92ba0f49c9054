// SPDX-License-Identifier: MIT
// OpenMP: taskgroup waits for descendants, taskwait for children only.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>

int main(void)
{
    int outer = 0, inner = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp task
                inner = 1;
                outer = 1;
            }
        }
        assert(outer == 1 && inner == 1);
#pragma omp task final(1)
        {
#pragma omp task
            inner = 2;
            assert(inner == 2);
        }
#pragma omp taskyield
    }
    assert(inner == 2);
    return 0;
}
