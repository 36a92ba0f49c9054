// SPDX-License-Identifier: MIT
// OpenMP: firstprivate and lastprivate variables of a loop, with and without a schedule.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>

int main(void)
{
    int last = -1, offset = 10, seen[5] = {0};
#pragma omp parallel num_threads(3)
    {
#pragma omp for firstprivate(offset) lastprivate(last)
        for (int i = 0; i < 5; i++) {
            last = i + offset;
            seen[i] = 1;
        }
        assert(last == 14);
#pragma omp barrier
#pragma omp for schedule(monotonic : dynamic) lastprivate(last)
        for (int i = 0; i < 5; i++)
            last = i;
    }
    assert(last == 4);
    for (int i = 0; i < 5; i++)
        assert(seen[i]);
    return 0;
}
