// SPDX-License-Identifier: MIT
// lost_update_atomic.c - an atomic variable is incremented by a load and a store.
//
// Shape: lost update without any data race, on an atomic.
// Why:   `_Atomic` makes the two accesses atomic, not the pair.
//
// expect: assert
// find: random within 50
// find: pct within 100
// cause: a:R(next_id)@lost_update_atomic.c:20 < b:W(next_id)@lost_update_atomic.c:21 < a:W(next_id)@lost_update_atomic.c:21
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int next_id = 1;

static void *take_id(void *slot)
{
    int id = atomic_load(&next_id);
    atomic_store(&next_id, id + 1); /* should be atomic_fetch_add */
    *(int *)slot = id;
    return NULL;
}

int main(void)
{
    int id[3];
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, take_id, &id[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert(id[0] != id[1] && id[1] != id[2] && id[0] != id[2]);
    return 0;
}
