// SPDX-License-Identifier: MIT
// set_scene.c - each thread adds its rows to a checksum under a lock of its own, which excludes no other thread: a data race.
//
// Shape: raytracer (Java Grande).
// expect: assert
#include "set.h"

enum { ROWS = 3 };

struct scene {
    pthread_mutex_t lock;
    long checksum;
    int rows;
};

// BUG: the lock of a thread excludes no other thread.
LIBRARY void scene_add_row(struct scene *s, pthread_mutex_t *lock, long sum)
{
#ifdef CORRECT
    lock = &s->lock;
#endif
    pthread_mutex_lock(lock);
    s->checksum += sum;
    s->rows++;
    pthread_mutex_unlock(lock);
}

LIBRARY bool scene_is_right(struct scene *s)
{
    pthread_mutex_lock(&s->lock);
    bool right = s->rows == 2 * ROWS && s->checksum == 2 * (1 + 2 + 3);
    pthread_mutex_unlock(&s->lock);
    return right;
}

static struct scene scene = {OBJECT_LOCK, 0, 0};
static pthread_mutex_t own[2] = {OBJECT_LOCK, OBJECT_LOCK};

static void *render_first(void *unused)
{
    (void)unused;
    for (long row = 1; row <= ROWS; row++)
        scene_add_row(&scene, &own[0], row);
    work(WORK);
    return NULL;
}

static void *render_second(void *unused)
{
    (void)unused;
    work(WORK);
    for (long row = 1; row <= ROWS; row++)
        scene_add_row(&scene, &own[1], row);
    return NULL;
}

int main(void)
{
    const set_thread threads[] = {render_first, render_second};
    set_run(2, threads);
    assert(scene_is_right(&scene));
    return 0;
}
