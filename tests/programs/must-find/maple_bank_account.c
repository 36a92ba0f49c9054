// SPDX-License-Identifier: MIT
// maple_bank_account.c - a withdrawal asks for the balance and sets the new one; a deposit in between is lost.
//
// Shape: lost update without a data race: unlock of the deposit comes before the second lock of the withdrawal.
// Why:   the withdrawal computes the fee between two critical sections and writes a balance that is old by then.
//
// expect: assert
// find: surw within 200
// find: pct within 2000
// cause: a:R(balance)@maple_bank_account.c:57 << b:W(balance)@maple_bank_account.c:50 << a:W(balance)@maple_bank_account.c:69
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { BOOKINGS = 20 };

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account common = {PTHREAD_MUTEX_INITIALIZER, 1000};
static struct {
    pthread_mutex_t lock;
    long bookings, turnover;
} ledger = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* One per cent, at least 1, no more than 5; the way the bank computes it. */
static long fee_of(long amount)
{
    long steps[12], fee = 0;
    for (int i = 0; i < 12; i++)
        steps[i] = amount / (100 * (i + 1));
    for (int i = 0; i < 12; i++)
        fee = steps[i] > fee ? steps[i] : fee;
    return fee < 1 ? 1 : fee > 5 ? 5 : fee;
}

static void ledger_book(long amount)
{
    pthread_mutex_lock(&ledger.lock);
    ledger.bookings++;
    ledger.turnover += amount;
    pthread_mutex_unlock(&ledger.lock);
}

static void account_deposit(struct account *account, long amount)
{
    pthread_mutex_lock(&account->lock);
    account->balance += amount;
    pthread_mutex_unlock(&account->lock);
}

static long account_balance(struct account *account)
{
    pthread_mutex_lock(&account->lock);
    long balance = account->balance;
    pthread_mutex_unlock(&account->lock);
    return balance;
}

static int account_withdraw(struct account *account, long amount)
{
    long balance = account_balance(account);
    long cost = amount + fee_of(amount);
    if (balance < cost)
        return 0;
    pthread_mutex_lock(&account->lock);
    account->balance = balance - cost; /* of then */
    pthread_mutex_unlock(&account->lock);
    return 1;
}

static void *cash_desk(void *unused)
{
    (void)unused;
    ledger_book(1);
    int paid = account_withdraw(&common, 200);
    assert(paid);
    for (int i = 0; i < BOOKINGS; i++)
        ledger_book(fee_of(50 * i));
    return NULL;
}

static void *post_office(void *unused)
{
    (void)unused;
    for (int i = 0; i < BOOKINGS; i++)
        ledger_book(fee_of(70 * i));
    account_deposit(&common, 300);
    ledger_book(300);
    return NULL;
}

int main(void)
{
    pthread_t desk, office;
    pthread_create(&desk, NULL, cash_desk, NULL);
    pthread_create(&office, NULL, post_office, NULL);
    pthread_join(desk, NULL);
    pthread_join(office, NULL);
    assert(ledger.bookings == 2 * BOOKINGS + 2);
    assert(account_balance(&common) == 1000 + 300 - 200 - fee_of(200));
    return 0;
}
