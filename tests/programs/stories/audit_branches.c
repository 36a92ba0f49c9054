// audit_branches.c - transfers lock two branches in the order of their numbers; the audit locks them in the order of the list.
//
// kind: deadlock
// expect: deadlock
// wrong: audit() locks branch 2 and then branch 1, as they stand in the list; transfer() locks the smaller number first
// where: transfer audit
#include <pthread.h>
#include <stdio.h>

#define BRANCHES 3

struct branch {
    int number;
    long balance;
    pthread_mutex_t lock;
};

static struct branch branches[BRANCHES] = {
    {3, 300, PTHREAD_MUTEX_INITIALIZER},
    {2, 200, PTHREAD_MUTEX_INITIALIZER},
    {1, 100, PTHREAD_MUTEX_INITIALIZER},
};

static struct branch *branch_find(int number)
{
    for (int i = 0; i < BRANCHES; i++)
        if (branches[i].number == number)
            return &branches[i];
    return NULL;
}

static void transfer(int from, int to, long amount)
{
    struct branch *source = branch_find(from);
    struct branch *target = branch_find(to);
    struct branch *first = from < to ? source : target;
    struct branch *second = from < to ? target : source;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    source->balance -= amount;
    target->balance += amount;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static long audit(void)
{
    long sum = 0;
    for (int i = 0; i < BRANCHES; i++) {
        pthread_mutex_lock(&branches[i].lock);
        sum += branches[i].balance;
    }
    for (int i = BRANCHES - 1; i >= 0; i--)
        pthread_mutex_unlock(&branches[i].lock);
    return sum;
}

static void *teller(void *arg)
{
    (void)arg;
    transfer(1, 2, 10);
    transfer(3, 1, 25);
    return NULL;
}

static void *auditor(void *arg)
{
    long *sum = arg;
    *sum = audit();
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    long sum = 0;
    pthread_create(&a, NULL, teller, NULL);
    pthread_create(&b, NULL, auditor, &sum);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("sum %ld\n", sum);
    return sum == 600 ? 0 : 1;
}
