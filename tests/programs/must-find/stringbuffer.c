// SPDX-License-Identifier: MIT
// stringbuffer.c - appending one buffer to another: the length is asked first, the characters are fetched later.
//
// Shape: atomicity violation across two calls on the other object (a stale length), no data race.
// Why:   append holds its own lock only; the source may become shorter between the two calls.
//
// expect: assert
// find: random within 50
// find: pct within 200
// cause: a:R(length)@stringbuffer.c:28 << b:W(length)@stringbuffer.c:56 << a:R(length)@stringbuffer.c:36
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct buffer {
    pthread_mutex_t lock;
    size_t length;
    char text[64];
};

static struct buffer source = {PTHREAD_MUTEX_INITIALIZER, 5, "hello"};
static struct buffer target = {PTHREAD_MUTEX_INITIALIZER, 0, ""};

static size_t buffer_length(struct buffer *b)
{
    pthread_mutex_lock(&b->lock);
    size_t length = b->length;
    pthread_mutex_unlock(&b->lock);
    return length;
}

static void buffer_copy_out(struct buffer *b, size_t length, char *to)
{
    pthread_mutex_lock(&b->lock);
    assert(length <= b->length);
    memcpy(to, b->text, length);
    pthread_mutex_unlock(&b->lock);
}

static void *append(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&target.lock);
    size_t length = buffer_length(&source);
    buffer_copy_out(&source, length, target.text + target.length);
    target.length += length;
    pthread_mutex_unlock(&target.lock);
    return NULL;
}

static void *erase(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&source.lock);
    source.length = 0;
    pthread_mutex_unlock(&source.lock);
    return NULL;
}

int main(void)
{
    pthread_t appender, eraser;
    pthread_create(&appender, NULL, append, NULL);
    pthread_create(&eraser, NULL, erase, NULL);
    pthread_join(appender, NULL);
    pthread_join(eraser, NULL);
    return 0;
}
