/* SPDX-License-Identifier: MIT
 *
 * locks.c - several hundred thousand events in one run, most of them of locks and of what they guard: accounts, and threads that move money from
 * one to the other.  With the argument "fail" one thread in a while moves money without the locks: in nearly every schedule
 * some is lost.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ACCOUNTS = 24, START = 1000 };

static struct account {
    pthread_mutex_t lock;
    long money, moves;
} accounts[ACCOUNTS];
static int rounds = 15000;
static bool careless;

static void move(struct account *from, struct account *to)
{
    from->money--;
    from->moves++;
    to->money++;
    to->moves++;
}

static void move_locked(unsigned from, unsigned to)
{
    pthread_mutex_lock(&accounts[from < to ? from : to].lock);
    pthread_mutex_lock(&accounts[from < to ? to : from].lock);
    move(&accounts[from], &accounts[to]);
    pthread_mutex_unlock(&accounts[from].lock);
    pthread_mutex_unlock(&accounts[to].lock);
}

static void *work(void *argument)
{
    unsigned at = (unsigned)(size_t)argument * 77 + 1;
    for (int i = 0; i < rounds; i++) {
        at = at * 1103515245 + 12345;
        unsigned from = (at >> 8) % ACCOUNTS, to = (at >> 20) % ACCOUNTS;
        if (from == to)
            continue;
        if (careless && i % 7 == 3)
            move(&accounts[from], &accounts[to]);
        else
            move_locked(from, to);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    long sum = 0;
    for (int i = 1; i < argc; i++) {
        careless |= strcmp(argv[i], "fail") == 0;
        if (atoi(argv[i]) > 0)
            rounds = atoi(argv[i]);
    }
    for (unsigned i = 0; i < ACCOUNTS; i++) {
        pthread_mutex_init(&accounts[i].lock, NULL);
        accounts[i].money = START;
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < ACCOUNTS; i++)
        sum += accounts[i].money;
    assert(sum == ACCOUNTS * START);
    return 0;
}
