// SPDX-License-Identifier: MIT
// check_then_act_overdraft.c - enough money is checked in one locked section and taken in the next.
//
// Shape: check-then-act, R(x) W'(x) W(x) under a lock.
// Why:   what was true when it was checked is no longer true when it is used.
//
// expect: exit
// find: random within 50
// find: pct within 50
// cause: a:R(balance)@check_then_act_overdraft.c:21 << b:W(balance)@check_then_act_overdraft.c:29 << a:R(balance)@check_then_act_overdraft.c:29
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static bool has(int amount)
{
    pthread_mutex_lock(&lock);
    bool enough = balance >= amount;
    pthread_mutex_unlock(&lock);
    return enough;
}

static void take(int amount)
{
    pthread_mutex_lock(&lock);
    balance -= amount;
    pthread_mutex_unlock(&lock);
}

static void *withdraw(void *unused)
{
    (void)unused;
    if (has(80))
        take(80);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, withdraw, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return balance < 0 ? 3 : 0;
}
