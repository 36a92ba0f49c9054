// SPDX-License-Identifier: MIT
// OpenMP: the ordered parts of loops are done in the order of iterations.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>

static int next;

int main(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 6; i++) {
            if (i == 2)
                continue;
#pragma omp ordered
            {
                assert(next <= i);
                next = i + 1;
            }
        }
#pragma omp single
        next = 0;
#pragma omp for ordered schedule(static, 2)
        for (int i = 0; i < 6; i++) {
#pragma omp ordered
            assert(next++ == i);
        }
    }
    assert(next == 6);
    return 0;
}
