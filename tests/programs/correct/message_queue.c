// SPDX-License-Identifier: MIT
// message_queue.c - a POSIX message queue between two threads keeps priorities.
//
// expect: none
// build: -lrt
#include "correct.h"

#include <mqueue.h>
#include <sys/syscall.h>

static mqd_t queue;

static void *sender(void *unused)
{
    (void)unused;
    CHECK(mq_send(queue, "low", 4, 1) == 0 && mq_send(queue, "high", 5, 9) == 0);
    return NULL;
}

int main(void)
{
    char name[64], text[16];
    unsigned priority, sum = 0;
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = sizeof text};
    snprintf(name, sizeof name, "/correct-queue-%ld", (long)syscall(SYS_getpid));
    mq_unlink(name);
    queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attributes);
    if (queue == (mqd_t)-1)
        return 0; /* none can be had here */
    CHECK(mq_unlink(name) == 0);
    pthread_t thread = start(sender, NULL);
    for (int i = 0; i < 2; i++) {
        CHECK(mq_receive(queue, text, sizeof text, &priority) > 0);
        CHECK(strcmp(text, priority == 9 ? "high" : "low") == 0);
        sum += priority;
    }
    join(thread);
    CHECK(sum == 10 && mq_close(queue) == 0);
    return 0;
}
