// SPDX-License-Identifier: MIT
// pattern_double_checked.c - double-checked initialisation with an atomic pointer.
//
// expect: none
#include "correct.h"

#include <stdatomic.h>

struct config {
    int a, b;
};
static _Atomic(struct config *) instance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int made;

static struct config *get(void)
{
    struct config *config = atomic_load_explicit(&instance, memory_order_acquire);
    if (config != NULL)
        return config;
    pthread_mutex_lock(&lock);
    config = atomic_load_explicit(&instance, memory_order_relaxed);
    if (config == NULL) {
        config = malloc(sizeof *config);
        config->a = config->b = 7;
        made++;
        atomic_store_explicit(&instance, config, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return config;
}

static void *work(void *unused)
{
    (void)unused;
    struct config *config = get();
    CHECK(config->a == 7 && config->b == 7);
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, NULL), b = start(work, NULL), c = start(work, NULL);
    join(a);
    join(b);
    join(c);
    CHECK(made == 1);
    free(atomic_load(&instance));
    return 0;
}
