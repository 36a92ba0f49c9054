// SPDX-License-Identifier: MIT
// OpenMP: a reduction over several variables.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>

int main(void)
{
    int sum = 0, product = 1;
    double area = 0;
#pragma omp parallel for num_threads(3) reduction(+ : sum, area) reduction(* : product)
    for (int i = 1; i <= 6; i++) {
        sum += i;
        product *= i;
        area += 0.5;
    }
    assert(sum == 21 && product == 720 && area == 3.0);
    return 0;
}
