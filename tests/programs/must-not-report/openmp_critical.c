// SPDX-License-Identifier: MIT
// OpenMP: critical sections with and without a name.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>

int main(void)
{
    int a = 0, b = 0, c = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp critical
        a++;
#pragma omp critical(second)
        b++;
#pragma omp critical(third)
        {
            int old = c;
            c = old + 1;
        }
    }
    assert(a == 3 && b == 3 && c == 3);
    return 0;
}
