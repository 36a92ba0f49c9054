// SPDX-License-Identifier: MIT
// subject_shared_pool.c - a pool looks for an idle connection and takes it in two critical sections: two users get the same one, if
// the user's own connection has expired and both look at others.
//
// Shape: SharedPoolDataSource (DBCP); one object handed out twice, three threads.
// expect: assert
#include "subject.h"

enum { CONNECTIONS = 4, LIFE = 2, NONE = -1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct connection {
    bool busy;
    int borrowed, users;
} connection[CONNECTIONS];

// The first idle one that has not expired, from the user's own on.
static int find_idle(int own)
{
    int found = NONE;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < CONNECTIONS && found == NONE; i++) {
        const struct connection *c = &connection[(own + i) % CONNECTIONS];
        if (!c->busy && c->borrowed < LIFE)
            found = (own + i) % CONNECTIONS;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void take(int number)
{
    pthread_mutex_lock(&lock);
    connection[number].busy = true;
    connection[number].borrowed++;
    connection[number].users++;
    pthread_mutex_unlock(&lock);
}

static int pool_borrow(int own)
{
    call_begin();
    int number = find_idle(own);
    if (number != NONE)
        take(number);
    call_end();
    return number;
}

static void pool_return(int number)
{
    call_begin();
    pthread_mutex_lock(&lock);
    assert(connection[number].users == 1);
    connection[number].users--;
    connection[number].busy = false;
    pthread_mutex_unlock(&lock);
    call_end();
}

static void use(int own, int times)
{
    for (int i = 0; i < times; i++) {
        int number = pool_borrow(own);
        if (number != NONE)
            pool_return(number);
    }
}

static void *first(void *unused)
{
    (void)unused;
    use(0, 3);
    return NULL;
}

static void *second(void *unused)
{
    (void)unused;
    use(1, 1);
    return NULL;
}

static void *third(void *unused)
{
    (void)unused;
    use(2, 2);
    return NULL;
}

int main(void)
{
    subject_run(3, (subject_task[]){first, second, third});
    return 0;
}
