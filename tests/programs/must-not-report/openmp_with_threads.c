// SPDX-License-Identifier: MIT
// OpenMP: regions in threads of the program's own, which lead teams of their own.
// expect: none
// build: -fopenmp
// tsan: no (libgomp and libomp are not instrumented)
#include <assert.h>
#include <omp.h>
#include <pthread.h>

static int total;

static void *lead(void *argument)
{
    int sum = 0;
    (void)argument;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_thread_num() + 1;
#pragma omp critical
    total += sum;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, lead, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(total == 6);
    return 0;
}
