// SPDX-License-Identifier: MIT
// subject_input_buffer.c - the number of bytes that are left is computed twice, for the check and for the copy, and the buffer is recycled
// in between.
//
// Shape: InputBuffer (Tomcat); length read twice, no lock.
// expect: assert
#include "subject.h"

enum { SIZE = 32 };

static volatile int position, end; // each use reads them again
static volatile char data[SIZE];

static void buffer_fill(const char *text)
{
    call_begin();
    for (int i = 0; text[i] != '\0' && end < SIZE; i++) {
        data[end] = text[i];
        end = end + 1;
    }
    call_end();
}

static int buffer_read(char *to, int wanted)
{
    int count = 0;
    call_begin();
    if (position < end) {
        count = end - position;
        assert(count > 0);
        if (count > wanted)
            count = wanted;
        for (int i = 0; i < count; i++)
            to[i] = data[position + i];
        position = position + count;
    }
    call_end();
    return count;
}

// Only a buffer that is more than half full is worth it.
static void buffer_recycle(void)
{
    call_begin();
    if (end > SIZE / 2) {
        end = 0;
        position = 0;
    }
    call_end();
}

static void *consume(void *unused)
{
    char text[4];
    (void)unused;
    for (int i = 0; i < 4; i++)
        buffer_read(text, 4);
    return NULL;
}

static void *serve(void *unused)
{
    (void)unused;
    buffer_recycle();
    buffer_fill("HTTP/1.1");
    buffer_recycle();
    return NULL;
}

int main(void)
{
    buffer_fill("GET /index");
    subject_run(2, (subject_task[]){consume, serve});
    return 0;
}
