// SPDX-License-Identifier: MIT
// set_reply.c - the bytes of a reply and their number are set in two steps: a number may belong to other bytes.
//
// Shape: the buffer and its length in jigsaw (AssetFuzzer, figure 10).  Nothing fails.
// expect: serializability
// run: --fail-on serializability
#include "set.h"

struct reply {
    pthread_mutex_t lock;
    char raw[16];
    int raw_length;
};

LIBRARY void reply_set_bytes(struct reply *r, const char *bytes)
{
    pthread_mutex_lock(&r->lock);
    for (int i = 0; i < 4; i++)
        r->raw[i] = bytes[i];
    pthread_mutex_unlock(&r->lock);
}

LIBRARY void reply_set_length(struct reply *r, int length)
{
    pthread_mutex_lock(&r->lock);
    r->raw_length = length;
    pthread_mutex_unlock(&r->lock);
}

// BUG: not a whole.
LIBRARY void reply_fill(struct reply *r, const char *bytes, int length)
{
    whole_begin(&r->lock);
    reply_set_bytes(r, bytes);
    reply_set_length(r, length);
    whole_end(&r->lock);
}

LIBRARY int reply_read(struct reply *r, char *to)
{
    pthread_mutex_lock(&r->lock);
    int length = r->raw_length;
    for (int i = 0; i < 4; i++)
        to[i] = r->raw[i];
    pthread_mutex_unlock(&r->lock);
    return length;
}

static struct reply reply = {OBJECT_LOCK, "", 0};

static void *answer(void *unused)
{
    (void)unused;
    reply_fill(&reply, "long", 4);
    work(WORK);
    return NULL;
}

static void *answer_again(void *unused)
{
    (void)unused;
    work(WORK);
    reply_fill(&reply, "ok  ", 2);
    return NULL;
}

static void *send_it(void *unused)
{
    (void)unused;
    char sent[4];
    work(WORK * 2);
    reply_read(&reply, sent);
    return NULL;
}

int main(void)
{
    const set_thread threads[] = {answer, answer_again, send_it};
    set_run(3, threads);
    return 0;
}
