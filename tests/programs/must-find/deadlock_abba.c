// SPDX-License-Identifier: MIT
// deadlock_abba.c - two locks, taken in both orders.
//
// Shape: cycle of length two in the lock graph.
// Why:   a transfer locks "its" account first, and transfers go both ways.
//
// expect: deadlock
// find: random within 50
// find: pct within 100
// cause: a:lock(x)@deadlock_abba.c:24 | b:lock(y)@deadlock_abba.c:24 < b:lock(x)@deadlock_abba.c:25 | a:lock(y)@deadlock_abba.c:25
#include <pthread.h>
#include <stddef.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account a = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account b = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, int amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *there(void *unused)
{
    (void)unused;
    transfer(&a, &b, 10);
    return NULL;
}

static void *back(void *unused)
{
    (void)unused;
    transfer(&b, &a, 5);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, there, NULL);
    pthread_create(&two, NULL, back, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return a.balance + b.balance == 200 ? 0 : 1;
}
