// SPDX-License-Identifier: MIT
// subject_user_pool.c - limits per user are kept in a table that the first setter makes: two first setters each make one, and one of
// them loses what it set.
//
// Shape: PerUserPoolDataSource (DBCP); double initialisation, checked without the lock.
// expect: assert
#include "subject.h"

enum { USERS = 8, DEFAULT_LIMIT = 5 };

struct limits {
    int count, user[USERS], limit[USERS];
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct limits tables[2];
static int tables_made;
static struct limits *volatile per_user; // each use reads it again
static int active[USERS];

static struct limits *new_table(void)
{
    pthread_mutex_lock(&lock);
    struct limits *made = &tables[tables_made++];
    pthread_mutex_unlock(&lock);
    return made;
}

static void set_limit(int user, int limit)
{
    call_begin();
    if (per_user == NULL)
        per_user = new_table();
    pthread_mutex_lock(&lock);
    struct limits *all = per_user;
    all->user[all->count] = user;
    all->limit[all->count++] = limit;
    pthread_mutex_unlock(&lock);
    call_end();
}

static int limit_of(int user)
{
    int limit = DEFAULT_LIMIT;
    call_begin();
    pthread_mutex_lock(&lock);
    for (int i = 0; per_user != NULL && i < per_user->count; i++)
        if (per_user->user[i] == user)
            limit = per_user->limit[i];
    pthread_mutex_unlock(&lock);
    call_end();
    return limit;
}

static void borrow(int user)
{
    call_begin();
    pthread_mutex_lock(&lock);
    active[user]++;
    pthread_mutex_unlock(&lock);
    call_end();
}

static void *configure(void *unused)
{
    (void)unused;
    set_limit(1, 10);
    set_limit(2, 20);
    return NULL;
}

static void *serve(void *unused)
{
    (void)unused;
    for (int user = 4; user < 7; user++)
        if (limit_of(user) == DEFAULT_LIMIT)
            borrow(user);
    set_limit(3, 30);
    borrow(3);
    return NULL;
}

int main(void)
{
    subject_run(2, (subject_task[]){configure, serve});
    assert(limit_of(1) == 10 && limit_of(2) == 20 && limit_of(3) == 30);
    return 0;
}
