// session_table.c - a table of sessions; a request looks its session up, and uses the slot later.
//
// kind: check then act
// expect: exit
// wrong: request_serve() finds the slot under the lock, but uses it after the lock is released; the reaper closes the session in between
// where: session_find session_close
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 4

struct session {
    int id;
    int open;
    int requests;
    char user[16];
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct session table[SLOTS];

static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "session_table: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(3);
}

static void session_open(int slot, int id, const char *user)
{
    pthread_mutex_lock(&table_lock);
    table[slot].id = id;
    table[slot].open = 1;
    table[slot].requests = 0;
    strcpy(table[slot].user, user);
    pthread_mutex_unlock(&table_lock);
}

static int session_find(int id)
{
    int found = -1;
    pthread_mutex_lock(&table_lock);
    for (int i = 0; i < SLOTS; i++)
        if (table[i].open && table[i].id == id)
            found = i;
    pthread_mutex_unlock(&table_lock);
    return found;
}

static void session_close(int slot)
{
    pthread_mutex_lock(&table_lock);
    table[slot].open = 0;
    table[slot].id = 0;
    pthread_mutex_unlock(&table_lock);
}

static void request_serve(int id)
{
    int slot = session_find(id);
    if (slot < 0)
        return;
    pthread_mutex_lock(&table_lock);
    if (table[slot].id != id)
        die("request of session %d was served in slot %d of session %d", id, slot, table[slot].id);
    table[slot].requests++;
    pthread_mutex_unlock(&table_lock);
}

static void *client(void *arg)
{
    (void)arg;
    for (int id = 101; id <= 103; id++)
        request_serve(id);
    return NULL;
}

static void *reaper(void *arg)
{
    (void)arg;
    int slot = session_find(102);
    if (slot >= 0)
        session_close(slot);
    return NULL;
}

int main(void)
{
    session_open(0, 101, "ada");
    session_open(1, 102, "grace");
    session_open(2, 103, "edsger");
    pthread_t a, b;
    pthread_create(&a, NULL, client, NULL);
    pthread_create(&b, NULL, reaper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
