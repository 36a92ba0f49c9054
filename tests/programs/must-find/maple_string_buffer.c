// SPDX-License-Identifier: MIT
// maple_string_buffer.c - one buffer is appended to another by two calls, length and copy; another thread clears it in between.
//
// Shape: a stale length: unlock of the clearing thread comes before the second lock of the appending one; no data race.
// Why:   append holds the lock of the target; the source is locked by each of the two calls for itself.
//
// expect: assert
// find: surw within 200
// find: pct within 2000
// cause: a:R(length)@maple_string_buffer.c:49 << b:W(length)@maple_string_buffer.c:65 << a:R(length)@maple_string_buffer.c:57
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 64, BEFORE_CLEAR = 24, AFTER_APPEND = 12 };

struct buffer {
    pthread_mutex_t lock;
    size_t length;
    char text[CAPACITY];
};

static struct buffer message = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct buffer page = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct {
    pthread_mutex_t lock;
    unsigned calls, checksum;
} usage = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What any thread does all the time, and correctly. */
static void note_usage(unsigned value)
{
    unsigned digits[8], sum = 0;
    for (int i = 0; i < 8; i++, value /= 3)
        digits[i] = value % 3;
    for (int i = 0; i < 8; i++)
        sum += digits[i] * (unsigned)i;
    pthread_mutex_lock(&usage.lock);
    usage.calls++;
    usage.checksum += sum;
    pthread_mutex_unlock(&usage.lock);
}

static size_t buffer_length(struct buffer *buffer)
{
    pthread_mutex_lock(&buffer->lock);
    size_t length = buffer->length;
    pthread_mutex_unlock(&buffer->lock);
    return length;
}

static void buffer_copy_out(struct buffer *buffer, char *to, size_t length)
{
    pthread_mutex_lock(&buffer->lock);
    assert(length <= buffer->length);
    memcpy(to, buffer->text, length);
    pthread_mutex_unlock(&buffer->lock);
}

static void buffer_clear(struct buffer *buffer)
{
    pthread_mutex_lock(&buffer->lock);
    buffer->length = 0;
    pthread_mutex_unlock(&buffer->lock);
}

static void buffer_append(struct buffer *target, struct buffer *source)
{
    pthread_mutex_lock(&target->lock);
    size_t length = buffer_length(source);
    if (length > CAPACITY - target->length)
        length = CAPACITY - target->length;
    buffer_copy_out(source, target->text + target->length, length);
    target->length += length;
    pthread_mutex_unlock(&target->lock);
}

static void *make_page(void *unused)
{
    (void)unused;
    note_usage(1);
    buffer_append(&page, &message);
    for (unsigned i = 0; i < AFTER_APPEND; i++)
        note_usage(100 + i);
    return NULL;
}

static void *end_session(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < BEFORE_CLEAR; i++)
        note_usage(1000 * i);
    buffer_clear(&message);
    note_usage(7);
    return NULL;
}

int main(void)
{
    pthread_t maker, ender;
    strcpy(message.text, "the session is about to end");
    message.length = strlen(message.text);
    pthread_create(&maker, NULL, make_page, NULL);
    pthread_create(&ender, NULL, end_session, NULL);
    pthread_join(maker, NULL);
    pthread_join(ender, NULL);
    return 0;
}
