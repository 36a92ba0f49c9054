// SPDX-License-Identifier: MIT
// order_use_before_init.c - a worker uses a pointer that its creator sets only after the creation.
//
// Shape: order violation, R(config) before W(config).
// Why:   the author believes that a new thread does not start before pthread_create has returned and a few more lines ran.
//
// expect: signal
// find: random within 50
// find: pct within 50
// cause: a:R(config)@order_use_before_init.c:25 << b:W(config)@order_use_before_init.c:36
#include <pthread.h>
#include <stdlib.h>

struct config {
    int workers;
    int limit;
};

static struct config *config;
static int seen;

static void *work(void *unused)
{
    (void)unused;
    seen = config->limit;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct config *made = malloc(sizeof *made);
    made->workers = 1;
    made->limit = 10;
    pthread_create(&thread, NULL, work, NULL);
    config = made; /* one line too late */
    pthread_join(thread, NULL);
    free(made);
    return seen == 10 ? 0 : 1;
}
