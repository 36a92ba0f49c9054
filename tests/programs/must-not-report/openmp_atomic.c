// SPDX-License-Identifier: MIT
// OpenMP: atomic read, write, update and capture, of integers, floating point and more.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>

int main(void)
{
    int number = 0, got = 0, captures = 0;
    double real = 0;
    float small = 1;
    long double large = 0;
    unsigned char byte = 0;
#pragma omp parallel num_threads(2)
    {
        int old, seen;
#pragma omp atomic update
        number += 2;
#pragma omp atomic
        real += 0.5;
#pragma omp atomic
        small *= 2;
#pragma omp atomic
        large += 1;
#pragma omp atomic
        byte |= 3;
#pragma omp atomic capture
        {
            old = captures;
            captures += 1;
        }
#pragma omp atomic write
        got = old + 1;
#pragma omp atomic read
        seen = got;
        assert(seen > 0);
    }
    assert(number == 4 && real == 1 && small == 4 && large == 2 && byte == 3 && captures == 2);
    return 0;
}
