// SPDX-License-Identifier: MIT
// subject_input_stream.c - a stream checks that it is open, and reads its buffer in the next critical section: close has set the
// buffer to NULL in between.
//
// Shape: BufferedInputStream (JDK 1.1); use after null check, each access under the lock.
// expect: signal
#include "subject.h"

enum { SIZE = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char block[SIZE];
static char *buffer = block;
static int position = SIZE, taken; // from the source

static bool is_open(void)
{
    pthread_mutex_lock(&lock);
    bool open = buffer != NULL;
    pthread_mutex_unlock(&lock);
    return open;
}

static int fill_and_get(void)
{
    pthread_mutex_lock(&lock);
    if (position == SIZE) {
        for (int i = 0; i < SIZE; i++)
            buffer[i] = (char)('a' + taken++);
        position = 0;
    }
    int byte = buffer[position++];
    pthread_mutex_unlock(&lock);
    return byte;
}

static int stream_read(void)
{
    call_begin();
    int byte = is_open() ? fill_and_get() : -1;
    call_end();
    return byte;
}

static int stream_available(void)
{
    call_begin();
    pthread_mutex_lock(&lock);
    int available = buffer != NULL ? SIZE - position : 0;
    pthread_mutex_unlock(&lock);
    call_end();
    return available;
}

static void stream_close(void)
{
    call_begin();
    pthread_mutex_lock(&lock);
    buffer = NULL;
    pthread_mutex_unlock(&lock);
    call_end();
}

static void *reader(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++)
        stream_read();
    return NULL;
}

static void *closer(void *unused)
{
    (void)unused;
    for (int i = 0; i < 6; i++)
        stream_available();
    stream_close();
    return NULL;
}

int main(void)
{
    subject_run(2, (subject_task[]){reader, closer});
    return 0;
}
