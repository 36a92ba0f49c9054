// SPDX-License-Identifier: MIT
// OpenMP: regions of one thread, if clauses, tasks outside of any region.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>
#include <omp.h>

int main(void)
{
    int sum = 0, parallel = 0;
#pragma omp task shared(sum)
    sum = 1;
#pragma omp taskwait
    assert(sum == 1);
#pragma omp parallel if (sum > 1)
    {
        assert(omp_get_num_threads() == 1 && omp_get_level() == 1 && !omp_in_parallel());
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 3; i++)
            sum++;
#pragma omp single
        sum++;
    }
    assert(sum == 5);
    omp_set_num_threads(2);
    assert(omp_get_max_threads() == 2);
#pragma omp parallel reduction(+ : parallel)
    parallel += omp_get_num_threads();
    assert(parallel == 4);
    return 0;
}
