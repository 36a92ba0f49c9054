// settings_once.c - settings are loaded on first use, with a test before and a test after the lock.
//
// kind: double-checked locking
// expect: assert
// wrong: settings_get() publishes the pointer before settings_load() has filled the object; the test without the lock sees it half filled
// where: settings_get settings_load
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    int width;
    int height;
    int depth;
    char name[24];
};

static _Atomic(struct settings *) settings;
static pthread_mutex_t settings_lock = PTHREAD_MUTEX_INITIALIZER;
static int frames_drawn;
static pthread_mutex_t frames_lock = PTHREAD_MUTEX_INITIALIZER;

static void settings_load(struct settings *s)
{
    s->width = 640;
    s->height = 480;
    s->depth = 24;
    strcpy(s->name, "standard");
}

static struct settings *settings_get(void)
{
    struct settings *s = atomic_load(&settings);
    if (s)
        return s;
    pthread_mutex_lock(&settings_lock);
    s = atomic_load(&settings);
    if (!s) {
        s = calloc(1, sizeof *s);
        atomic_store(&settings, s);
        settings_load(s);
    }
    pthread_mutex_unlock(&settings_lock);
    return s;
}

static int frame_bytes(const struct settings *s)
{
    int bits = s->width * s->height * s->depth;
    return bits / 8;
}

static void *draw(void *arg)
{
    int number = *(int *)arg;
    const struct settings *s = settings_get();
    int bytes = frame_bytes(s);
    assert(bytes > 0);
    unsigned char *frame = malloc((size_t)bytes);
    frame[0] = (unsigned char)number;
    frame[bytes - 1] = (unsigned char)number;
    pthread_mutex_lock(&frames_lock);
    frames_drawn++;
    pthread_mutex_unlock(&frames_lock);
    free(frame);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = {1, 2};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, draw, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d frames\n", frames_drawn);
    free(atomic_load(&settings));
    return 0;
}
