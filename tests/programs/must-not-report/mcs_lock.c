// SPDX-License-Identifier: MIT
// mcs_lock.c - the queue lock of Mellor-Crummey and Scott: every waiter spins on a node on its own stack.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct node {
    _Atomic(struct node *) next;
    atomic_bool wait;
};

static _Atomic(struct node *) tail;
static int counter;

static void mcs_lock(struct node *me)
{
    atomic_store(&me->next, NULL);
    atomic_store(&me->wait, true);
    struct node *before = atomic_exchange(&tail, me);
    if (before == NULL)
        return;
    atomic_store(&before->next, me);
    while (atomic_load(&me->wait))
        ;
}

static void mcs_unlock(struct node *me)
{
    struct node *expected = me;
    if (atomic_load(&me->next) == NULL && atomic_compare_exchange_strong(&tail, &expected, NULL))
        return;
    struct node *after;
    while ((after = atomic_load(&me->next)) == NULL)
        ;
    atomic_store(&after->wait, false);
}

static void *work(void *unused)
{
    (void)unused;
    struct node me;
    for (int i = 0; i < 2; i++) {
        mcs_lock(&me);
        counter++;
        mcs_unlock(&me);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 4);
    return 0;
}
