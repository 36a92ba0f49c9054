// SPDX-License-Identifier: MIT
// set_particles.c - a force is added component by component, each under the lock: its sum may be seen half made.
//
// Shape: moldyn (Java Grande).  Nothing fails.
// expect: serializability
// run: --fail-on serializability
#include "set.h"

struct force {
    pthread_mutex_t lock;
    long x, y, z;
};

LIBRARY void force_add_to(struct force *f, long *component, long amount)
{
    pthread_mutex_lock(&f->lock);
    *component += amount;
    pthread_mutex_unlock(&f->lock);
}

// BUG: not a whole.
LIBRARY void force_add(struct force *f, long x, long y, long z)
{
    whole_begin(&f->lock);
    force_add_to(f, &f->x, x);
    force_add_to(f, &f->y, y);
    force_add_to(f, &f->z, z);
    whole_end(&f->lock);
}

LIBRARY long force_norm(struct force *f)
{
    pthread_mutex_lock(&f->lock);
    long norm = f->x * f->x + f->y * f->y + f->z * f->z;
    pthread_mutex_unlock(&f->lock);
    return norm;
}

LIBRARY void force_reset(struct force *f)
{
    pthread_mutex_lock(&f->lock);
    f->x = 0;
    f->y = 0;
    f->z = 0;
    pthread_mutex_unlock(&f->lock);
}

static struct force total = {OBJECT_LOCK, 0, 0, 0};

static void *first_half(void *unused)
{
    (void)unused;
    force_add(&total, 1, 2, 3);
    work(WORK);
    force_add(&total, 1, 1, 1);
    return NULL;
}

static void *second_half(void *unused)
{
    (void)unused;
    work(WORK);
    force_add(&total, 4, 5, 6);
    force_norm(&total);
    return NULL;
}

static void *begin_step(void *unused)
{
    (void)unused;
    work(WORK * 2);
    force_norm(&total);
    force_reset(&total);
    return NULL;
}

int main(void)
{
    const set_thread threads[] = {first_half, second_half, begin_step};
    set_run(3, threads);
    return 0;
}
