// SPDX-License-Identifier: MIT
// OpenMP: single with copyprivate, single nowait, master.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>

int main(void)
{
    int singles = 0, sum = 0, masters = 0;
#pragma omp parallel num_threads(3)
    {
        int value = 0;
#pragma omp single copyprivate(value)
        {
            value = 7;
            singles++;
        }
#pragma omp atomic
        sum += value;
#pragma omp single nowait
        singles++;
#pragma omp master
        masters++;
    }
    assert(singles == 2 && sum == 21 && masters == 1);
    return 0;
}
