// SPDX-License-Identifier: MIT
// OpenMP: taskloop, with grainsize, num_tasks and a loop that counts down.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>

static int hits[7];

int main(void)
{
    int total = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp taskloop grainsize(2)
        for (int i = 0; i < 7; i++)
            hits[i]++;
        for (int i = 0; i < 7; i++)
            assert(hits[i] == 1);
#pragma omp taskloop num_tasks(3)
        for (unsigned long i = 6; i > 0; i -= 2) {
#pragma omp atomic
            total += (int)i;
        }
    }
    assert(total == 12);
    return 0;
}
