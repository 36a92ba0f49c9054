// SPDX-License-Identifier: MIT
// OpenMP: threadprivate variables keep their values from one region to the next; copyin.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>
#include <omp.h>

static int own;
#pragma omp threadprivate(own)

int main(void)
{
    own = 5;
#pragma omp parallel num_threads(3) copyin(own)
    {
        assert(own == 5);
        own = omp_get_thread_num() + 10;
    }
#pragma omp parallel num_threads(3)
    {
        assert(own == omp_get_thread_num() + 10);
        own++;
    }
#pragma omp parallel num_threads(2)
    assert(own == omp_get_thread_num() + 11);
    assert(own == 11);
    return 0;
}
