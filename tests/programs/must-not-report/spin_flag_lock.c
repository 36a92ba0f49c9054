// SPDX-License-Identifier: MIT
// spin_flag_lock.c - a lock made of atomic_flag, and one of pthread_spinlock_t.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { THREADS = 3 };

static atomic_flag flag = ATOMIC_FLAG_INIT;
static pthread_spinlock_t spin;
static int by_flag, by_spin;

static void *work(void *unused)
{
    (void)unused;
    while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire))
        ;
    by_flag++;
    atomic_flag_clear_explicit(&flag, memory_order_release);

    pthread_spin_lock(&spin);
    by_spin++;
    pthread_spin_unlock(&spin);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert(by_flag == THREADS && by_spin == THREADS);
    pthread_spin_destroy(&spin);
    return 0;
}
