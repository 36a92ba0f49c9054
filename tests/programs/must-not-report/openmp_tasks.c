// SPDX-License-Identifier: MIT
// OpenMP: tasks with firstprivate variables, taskwait, tasks of tasks.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>

static int fibonacci(int n)
{
    int a = 0, b = 0;
    if (n < 2)
        return n;
#pragma omp task shared(a) firstprivate(n)
    a = fibonacci(n - 1);
#pragma omp task shared(b) if (n > 2)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void)
{
    int result = 0, sum = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp single
        {
            result = fibonacci(4);
            for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(i)
                {
#pragma omp atomic
                    sum += i;
                }
            }
        }
        /* The barrier at the end of single waits for all tasks. */
        assert(sum == 6);
    }
    assert(result == 3);
    return 0;
}
