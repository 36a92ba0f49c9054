// SPDX-License-Identifier: MIT
// openmp_critical_names.c - two critical sections with different names touch one variable.
//
// Shape: R(x) W'(x) W(x), single-variable atomicity violation.
// Why:   sections with different names do not exclude each other.
//
// expect: assert
// build: -fopenmp
// find: random within 100
// find: pct within 300
#include <assert.h>
#include <omp.h>

static int total;

int main(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp critical(deposit)
            total += 1;
        } else {
#pragma omp critical(withdraw)
            total += 2;
        }
    }
    assert(total == 3);
    return 0;
}
