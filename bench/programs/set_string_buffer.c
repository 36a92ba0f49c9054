// SPDX-License-Identifier: MIT
// set_string_buffer.c - a buffer is appended to another: its length is asked first, its characters are fetched later, when it has become shorter.
//
// Shape: StringBuffer (JDK 1.4.2).
// expect: assert
#include "set.h"

enum { SIZE = 64 };

struct buffer {
    pthread_mutex_t lock;
    int length;
    char text[SIZE];
};

LIBRARY struct buffer *buffer_new(const char *text)
{
    struct buffer *b = calloc(1, sizeof *b);
    object_lock_init(&b->lock);
    b->length = (int)strlen(text);
    memcpy(b->text, text, strlen(text));
    return b;
}

LIBRARY int buffer_length(struct buffer *b)
{
    pthread_mutex_lock(&b->lock);
    int length = b->length;
    pthread_mutex_unlock(&b->lock);
    return length;
}

LIBRARY void buffer_get(struct buffer *b, int count, char *to)
{
    pthread_mutex_lock(&b->lock);
    assert(count <= b->length);
    for (int i = 0; i < count; i++)
        to[i] = b->text[i];
    pthread_mutex_unlock(&b->lock);
}

// BUG: not a whole.
LIBRARY void buffer_append(struct buffer *b, struct buffer *other)
{
    whole_begin(&other->lock);
    pthread_mutex_lock(&b->lock);
    int count = buffer_length(other);
    buffer_get(other, count, b->text + b->length);
    b->length += count;
    pthread_mutex_unlock(&b->lock);
    whole_end(&other->lock);
}

LIBRARY void buffer_put(struct buffer *b, char character)
{
    pthread_mutex_lock(&b->lock);
    b->text[b->length++] = character;
    pthread_mutex_unlock(&b->lock);
}

LIBRARY void buffer_set_length(struct buffer *b, int length)
{
    pthread_mutex_lock(&b->lock);
    b->length = length;
    pthread_mutex_unlock(&b->lock);
}

static struct buffer *source, *target;

static void *join_texts(void *unused)
{
    (void)unused;
    buffer_append(target, source);
    work(WORK);
    return NULL;
}

static void *edit(void *unused)
{
    (void)unused;
    work(WORK);
    buffer_put(source, '!');
    buffer_set_length(source, 2);
    return NULL;
}

int main(void)
{
    source = buffer_new("abcdef");
    target = buffer_new("text: ");
    const set_thread threads[] = {join_texts, edit};
    set_run(2, threads);
    free(source);
    free(target);
    return 0;
}
