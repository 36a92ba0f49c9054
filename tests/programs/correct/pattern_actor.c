// SPDX-License-Identifier: MIT
// pattern_actor.c - an actor with a mailbox: messages of one sender arrive in their order.
//
// expect: none
#include "correct.h"

enum { CAPACITY = 8 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct message {
    int sender, number;
} box[CAPACITY];
static int count;

static void send_message(int sender, int number)
{
    pthread_mutex_lock(&lock);
    box[count++] = (struct message){sender, number};
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

static void *actor(void *unused)
{
    (void)unused;
    int last[2] = {0, 0};
    for (int i = 0; i < 6; i++) {
        pthread_mutex_lock(&lock);
        while (count == 0)
            pthread_cond_wait(&filled, &lock);
        struct message message = box[0];
        memmove(box, box + 1, (size_t)--count * sizeof box[0]);
        pthread_mutex_unlock(&lock);
        CHECK(message.number == ++last[message.sender]);
    }
    return NULL;
}

static void *sender(void *unused)
{
    (void)unused;
    for (int i = 1; i <= 3; i++)
        send_message(1, i);
    return NULL;
}

int main(void)
{
    pthread_t a = start(actor, NULL), b = start(sender, NULL);
    for (int i = 1; i <= 3; i++)
        send_message(0, i);
    join(a);
    join(b);
    return 0;
}
