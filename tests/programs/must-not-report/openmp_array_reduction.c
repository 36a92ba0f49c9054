// SPDX-License-Identifier: MIT
// OpenMP: reductions of arrays, of minimum and maximum, and one of the program's own.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>

struct pair {
    int low, high;
};

static struct pair join(struct pair a, struct pair b)
{
    return (struct pair){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}
#pragma omp declare reduction(span : struct pair : omp_out = join(omp_out, omp_in)) initializer(omp_priv = {100, -100})

int main(void)
{
    int counts[3] = {0}, low = 99, high = 0;
    struct pair span = {100, -100};
#pragma omp parallel for num_threads(3) reduction(+ : counts) reduction(min : low) reduction(max : high) reduction(span : span)
    for (int i = 0; i < 6; i++) {
        counts[i % 3]++;
        low = i < low ? i : low;
        high = i > high ? i : high;
        span = join(span, (struct pair){i, i});
    }
    assert(counts[0] == 2 && counts[1] == 2 && counts[2] == 2 && low == 0 && high == 5);
    assert(span.low == 0 && span.high == 5);
    return 0;
}
