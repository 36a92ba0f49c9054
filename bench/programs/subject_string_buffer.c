// SPDX-License-Identifier: MIT
// subject_string_buffer.c - a buffer is appended to another: its length is asked first, its characters are fetched in a second call, when
// it has become shorter.
//
// Shape: StringBuffer.append (JDK 6); stale length, each access under a lock.
// expect: assert
#include "subject.h"

enum { SIZE = 48 };

struct buffer {
    pthread_mutex_t lock;
    int length;
    char text[SIZE];
};
static struct buffer source = {PTHREAD_MUTEX_INITIALIZER, 0, ""};
static struct buffer target = {PTHREAD_MUTEX_INITIALIZER, 0, ""};

static int length_of(struct buffer *b)
{
    pthread_mutex_lock(&b->lock);
    int length = b->length;
    pthread_mutex_unlock(&b->lock);
    return length;
}

static void get_chars(struct buffer *b, int count, char *to)
{
    pthread_mutex_lock(&b->lock);
    assert(count <= b->length);
    for (int i = 0; i < count; i++)
        to[i] = b->text[i];
    pthread_mutex_unlock(&b->lock);
}

static void buffer_append(struct buffer *to, const char *text)
{
    call_begin();
    pthread_mutex_lock(&to->lock);
    for (int i = 0; text[i] != '\0'; i++)
        to->text[to->length++] = text[i];
    pthread_mutex_unlock(&to->lock);
    call_end();
}

static void buffer_append_buffer(struct buffer *to, struct buffer *from)
{
    call_begin();
    pthread_mutex_lock(&to->lock);
    int count = length_of(from);
    get_chars(from, count, to->text + to->length);
    to->length += count;
    pthread_mutex_unlock(&to->lock);
    call_end();
}

static void buffer_set_length(struct buffer *of, int length)
{
    call_begin();
    pthread_mutex_lock(&of->lock);
    if (length < of->length)
        of->length = length;
    pthread_mutex_unlock(&of->lock);
    call_end();
}

static void *join_texts(void *unused)
{
    (void)unused;
    buffer_append(&target, "text: ");
    buffer_append_buffer(&target, &source);
    return NULL;
}

static void *edit(void *unused)
{
    (void)unused;
    buffer_append(&source, ", then");
    buffer_set_length(&source, 20);
    buffer_append(&source, " some");
    buffer_set_length(&source, 3);
    return NULL;
}

int main(void)
{
    buffer_append(&source, "first");
    subject_run(2, (subject_task[]){join_texts, edit});
    return 0;
}
