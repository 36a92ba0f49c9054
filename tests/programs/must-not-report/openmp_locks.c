// SPDX-License-Identifier: MIT
// OpenMP: locks, nestable locks, and tries.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>
#include <omp.h>

int main(void)
{
    omp_lock_t lock;
    omp_nest_lock_t nest;
    int count = 0, nested = 0, tried = 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(3)
    {
        omp_set_lock(&lock);
        count++;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        if (omp_test_nest_lock(&nest) == 2) {
            nested++;
            omp_unset_nest_lock(&nest);
        }
        omp_unset_nest_lock(&nest);
        while (!omp_test_lock(&lock))
            continue;
        tried++;
        omp_unset_lock(&lock);
    }
    assert(count == 3 && nested == 3 && tried == 3);
    omp_destroy_nest_lock(&nest);
    omp_destroy_lock(&lock);
    return 0;
}
