// SPDX-License-Identifier: MIT
// OpenMP: each iteration is done once, whatever the schedule.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>
#include <omp.h>

enum { N = 7 };

static void check(int *hits)
{
    for (int i = 0; i < N; i++) {
        assert(hits[i] == 1);
        hits[i] = 0;
    }
}

int main(void)
{
    int hits[N] = {0};
    omp_set_schedule(omp_sched_guided, 1);
#pragma omp parallel for num_threads(3) schedule(static)
    for (int i = 0; i < N; i++)
        hits[i]++;
    check(hits);
#pragma omp parallel for num_threads(3) schedule(static, 2)
    for (int i = N - 1; i >= 0; i--)
        hits[i]++;
    check(hits);
#pragma omp parallel for num_threads(3) schedule(dynamic, 2)
    for (unsigned long i = 0; i < N; i++)
        hits[i]++;
    check(hits);
#pragma omp parallel for num_threads(2) schedule(guided)
    for (int i = 12; i >= 0; i -= 2)
        hits[i / 2]++;
    check(hits);
#pragma omp parallel for num_threads(2) schedule(runtime)
    for (long i = 0; i < N; i++)
        hits[i]++;
    check(hits);
#pragma omp parallel for num_threads(2) collapse(2)
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 1; k++)
            hits[i + k]++;
    check(hits);
    return 0;
}
