// SPDX-License-Identifier: MIT
// OpenMP: sections, in a region and combined with one.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>

int main(void)
{
    int a = 0, b = 0, c = 0;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        a = 1;
#pragma omp section
        b = 2;
#pragma omp section
        c = 3;
    }
    assert(a + b + c == 6);
#pragma omp parallel num_threads(3)
    {
#pragma omp sections nowait
        {
#pragma omp section
            a += 10;
#pragma omp section
            b += 20;
        }
#pragma omp sections
        {
#pragma omp section
            c += 30;
        }
    }
    assert(a + b + c == 66);
    return 0;
}
