// SPDX-License-Identifier: MIT
// OpenMP: data published with flush and atomic accesses of a flag.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>

int main(void)
{
    int data = 0, flag = 0;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
            data = 42;
#pragma omp flush
#pragma omp atomic write
            flag = 1;
        }
#pragma omp section
        {
            int seen = 0;
            for (int i = 0; i < 3 && !seen; i++) {
#pragma omp atomic read
                seen = flag;
            }
#pragma omp flush
            if (seen)
                assert(data == 42);
        }
    }
    return 0;
}
