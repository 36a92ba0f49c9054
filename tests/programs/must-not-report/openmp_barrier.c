// SPDX-License-Identifier: MIT
// OpenMP: phases with barriers between, and regions one after the other.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>
#include <omp.h>

static int cells[3];

int main(void)
{
    for (int round = 0; round < 3; round++) {
#pragma omp parallel num_threads(3)
        {
            int me = omp_get_thread_num();
            cells[me] = me + round;
#pragma omp barrier
            int other = cells[(me + 1) % 3];
            assert(other == (me + 1) % 3 + round);
#pragma omp barrier
            cells[me] = -1;
        }
        assert(cells[0] == -1 && cells[1] == -1 && cells[2] == -1);
    }
    return 0;
}
