// SPDX-License-Identifier: MIT
// atom_log_rotate.c - a logger writes a record under its own lock, but takes the lock of the file twice: for the place and for the text.  In
// between, the file is emptied by another thread.
//
// expect: assert
// find: atom within 20
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static struct {
    pthread_mutex_t lock;
    int length;
    char text[64];
} file = {PTHREAD_MUTEX_INITIALIZER, 0, ""};
static pthread_mutex_t logger = PTHREAD_MUTEX_INITIALIZER;

static int file_end(void)
{
    pthread_mutex_lock(&file.lock);
    int end = file.length;
    pthread_mutex_unlock(&file.lock);
    return end;
}

static void file_write(int place, char character)
{
    pthread_mutex_lock(&file.lock);
    assert(place <= file.length); /* no hole */
    file.text[place] = character;
    file.length = place + 1;
    pthread_mutex_unlock(&file.lock);
}

static void *append(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&logger);
        if (i % 5 == 0)
            file_write(file_end(), 'x');
        pthread_mutex_unlock(&logger);
    }
    return NULL;
}

static void *rotate(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&logger);
        pthread_mutex_unlock(&logger);
    }
    pthread_mutex_lock(&file.lock);
    file.length = 0;
    pthread_mutex_unlock(&file.lock);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, append, NULL);
    pthread_create(&two, NULL, rotate, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
