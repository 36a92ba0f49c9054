// SPDX-License-Identifier: MIT
// OpenMP: a region in a region, and what the functions of omp.h say there.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>
#include <omp.h>

int main(void)
{
    int count = 0;
    omp_set_max_active_levels(2);
    assert(omp_get_level() == 0 && omp_get_num_threads() == 1);
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        assert(omp_get_num_threads() == 2 && omp_in_parallel());
#pragma omp parallel num_threads(2)
        {
            assert(omp_get_level() == 2 && omp_get_ancestor_thread_num(1) == me && omp_get_team_size(1) == 2);
#pragma omp parallel num_threads(2)
            assert(omp_get_num_threads() == 1 && omp_get_active_level() == 2);
#pragma omp atomic
            count++;
        }
        assert(omp_get_thread_num() == me);
    }
    assert(count == 4 && !omp_in_parallel());
    return 0;
}
