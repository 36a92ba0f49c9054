// SPDX-License-Identifier: MIT
// cover_bank.c - correct: transfers lock two accounts in the order of their numbers; auditors lock all; a ledger and a limit.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "cover.h"

enum { ACCOUNTS = 4, CLERKS = 3, TRANSFERS = 4, START = 100 };

static struct account {
    pthread_mutex_t lock;
    int balance, moves;
    int is_frozen;
} account[ACCOUNTS];

static struct {
    pthread_mutex_t lock;
    int from[8], to[8], amount[8];
    int used, refused;
} ledger = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock_two(int a, int b)
{
    pthread_mutex_lock(&account[a < b ? a : b].lock);
    pthread_mutex_lock(&account[a < b ? b : a].lock);
}

static void unlock_two(int a, int b)
{
    pthread_mutex_unlock(&account[a].lock);
    pthread_mutex_unlock(&account[b].lock);
}

static void ledger_write(int from, int to, int amount)
{
    pthread_mutex_lock(&ledger.lock);
    int line = ledger.used++ % 8;
    ledger.from[line] = from;
    ledger.to[line] = to;
    ledger.amount[line] = amount;
    pthread_mutex_unlock(&ledger.lock);
}

static void ledger_refuse(void)
{
    pthread_mutex_lock(&ledger.lock);
    ledger.refused++;
    pthread_mutex_unlock(&ledger.lock);
}

static int transfer(int from, int to, int amount)
{
    int done = 0;
    lock_two(from, to);
    if (!account[from].is_frozen && !account[to].is_frozen && account[from].balance >= amount) {
        account[from].balance -= amount;
        account[to].balance += amount;
        account[from].moves++;
        account[to].moves++;
        ledger_write(from, to, amount);
        done = 1;
    }
    unlock_two(from, to);
    return done;
}

static void freeze(int number, int frozen)
{
    pthread_mutex_lock(&account[number].lock);
    account[number].is_frozen = frozen;
    pthread_mutex_unlock(&account[number].lock);
}

static int audit(void)
{
    int sum = 0;
    for (int i = 0; i < ACCOUNTS; i++)
        pthread_mutex_lock(&account[i].lock);
    for (int i = 0; i < ACCOUNTS; i++)
        sum += account[i].balance;
    for (int i = ACCOUNTS; i-- > 0;)
        pthread_mutex_unlock(&account[i].lock);
    return sum;
}

static void *clerk(void *argument)
{
    int self = *(int *)argument;
    cover_work(200 * self);
    for (int i = 0; i < TRANSFERS; i++) {
        cover_work(30);
        int from = (self + i) % ACCOUNTS, to = (self * 2 + i + 1) % ACCOUNTS;
        if (from != to && !transfer(from, to, 30 + 20 * i))
            ledger_refuse();
        if (i == 1)
            freeze(self, 1);
        else if (i == 2)
            freeze(self, 0);
    }
    return NULL;
}

static void *auditor(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        cover_work(300);
        int sum = audit();
        assert(sum == ACCOUNTS * START);
    }
    return NULL;
}

int main(void)
{
    pthread_t clerks[CLERKS], control;
    int number[CLERKS];
    for (int i = 0; i < ACCOUNTS; i++) {
        pthread_mutex_init(&account[i].lock, NULL);
        account[i].balance = START;
    }
    for (int i = 0; i < CLERKS; i++) {
        number[i] = i;
        pthread_create(&clerks[i], NULL, clerk, &number[i]);
    }
    pthread_create(&control, NULL, auditor, NULL);
    for (int i = 0; i < CLERKS; i++)
        pthread_join(clerks[i], NULL);
    pthread_join(control, NULL);
    assert(audit() == ACCOUNTS * START);
    return 0;
}
