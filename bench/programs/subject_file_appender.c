// SPDX-License-Identifier: MIT
// subject_file_appender.c - an appender checks that its file is open and writes in the next critical section, while another thread changes
// to a new file: the old one is closed, and the new one is not open yet.
//
// Shape: FileAppender (Log4j); closed for a short time only, each access under the lock.
// expect: assert
#include "subject.h"

enum { ROOM = 64, BUFFER = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct file {
    bool open;
    int size, buffered;
    char content[ROOM], buffer[BUFFER];
} file = {.open = true};

static bool is_open(void)
{
    pthread_mutex_lock(&lock);
    bool open = file.open;
    pthread_mutex_unlock(&lock);
    return open;
}

static void flush(void)
{
    for (int i = 0; i < file.buffered; i++)
        file.content[file.size++ % ROOM] = file.buffer[i];
    file.buffered = 0;
}

static void write_text(const char *text)
{
    pthread_mutex_lock(&lock);
    assert(file.open);
    for (; *text != '\0'; text++) {
        if (file.buffered == BUFFER)
            flush();
        file.buffer[file.buffered++] = *text;
    }
    pthread_mutex_unlock(&lock);
}

static void close_file(void)
{
    pthread_mutex_lock(&lock);
    flush();
    file.open = false;
    pthread_mutex_unlock(&lock);
}

static void open_file(void)
{
    pthread_mutex_lock(&lock);
    file.size = 0;
    file.open = true;
    pthread_mutex_unlock(&lock);
}

static void appender_append(const char *text)
{
    call_begin();
    if (is_open())
        write_text(text);
    call_end();
}

static void appender_set_file(void)
{
    call_begin();
    close_file();
    open_file();
    call_end();
}

static void *log_events(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++)
        appender_append("event");
    return NULL;
}

static void *roll(void *unused)
{
    (void)unused;
    appender_append("about to change the file");
    appender_set_file();
    appender_append("changed");
    return NULL;
}

int main(void)
{
    subject_run(2, (subject_task[]){log_events, roll});
    return 0;
}
