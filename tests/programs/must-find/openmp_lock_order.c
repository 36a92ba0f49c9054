// SPDX-License-Identifier: MIT
// openmp_lock_order.c - two threads take two locks of omp.h in opposite orders.
//
// Shape: deadlock.
// Why:   each holds one and waits for the other.
//
// expect: deadlock
// build: -fopenmp
// find: random within 100
// find: pct within 300
#include <omp.h>

static omp_lock_t first, second;

int main(void)
{
    omp_init_lock(&first);
    omp_init_lock(&second);
#pragma omp parallel num_threads(2)
    {
        omp_lock_t *mine = omp_get_thread_num() == 0 ? &first : &second;
        omp_lock_t *other = omp_get_thread_num() == 0 ? &second : &first;
        omp_set_lock(mine);
        omp_set_lock(other);
        omp_unset_lock(other);
        omp_unset_lock(mine);
    }
    omp_destroy_lock(&first);
    omp_destroy_lock(&second);
    return 0;
}
