// SPDX-License-Identifier: MIT
// account_transfer.c - a transfer is two locked steps, and an auditor looks in between.
//
// Shape: two-variable atomicity violation without a data race: W(a) R'(a) R'(b) W(b).
// Why:   each account has its own lock and the transfer holds only one at a time.
//
// expect: assert
// find: pct within 50
// cause: a:W(x)@account_transfer.c:25 << b:R(x)@account_transfer.c:42 < b:R(y)@account_transfer.c:42 << a:W(y)@account_transfer.c:25
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account from = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account to = {PTHREAD_MUTEX_INITIALIZER, 50};

static void account_add(struct account *account, int amount)
{
    pthread_mutex_lock(&account->lock);
    account->balance += amount;
    pthread_mutex_unlock(&account->lock);
}

static void *transfer(void *unused)
{
    (void)unused;
    account_add(&from, -20);
    account_add(&to, 20);
    return NULL;
}

static void *audit(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&from.lock);
    pthread_mutex_lock(&to.lock);
    int total = from.balance + to.balance;
    pthread_mutex_unlock(&to.lock);
    pthread_mutex_unlock(&from.lock);
    assert(total == 150);
    return NULL;
}

int main(void)
{
    pthread_t mover, auditor;
    pthread_create(&mover, NULL, transfer, NULL);
    pthread_create(&auditor, NULL, audit, NULL);
    pthread_join(mover, NULL);
    pthread_join(auditor, NULL);
    return 0;
}
