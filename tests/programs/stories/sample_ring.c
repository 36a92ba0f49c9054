// sample_ring.c - one thread puts samples into a ring, another takes them out; no lock, one writer per index.
//
// kind: wrong order of publication
// expect: assert
// wrong: ring_put() moves the write index before it stores the sample; ring_take() reads the slot before the sample is there
// where: ring_put ring_take
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define SIZE    4
#define SAMPLES 3

struct sample {
    int channel;
    int value;
};

struct ring {
    atomic_uint put;
    atomic_uint taken;
    struct sample slots[SIZE];
};

static struct ring ring;

static int ring_full(void)
{
    return atomic_load(&ring.put) - atomic_load(&ring.taken) == SIZE;
}

static int ring_empty(void)
{
    return atomic_load(&ring.put) == atomic_load(&ring.taken);
}

static int ring_put(int channel, int value)
{
    if (ring_full())
        return 0;
    unsigned at = atomic_fetch_add(&ring.put, 1);
    ring.slots[at % SIZE].channel = channel;
    ring.slots[at % SIZE].value = value;
    return 1;
}

static int ring_take(struct sample *sample)
{
    if (ring_empty())
        return 0;
    unsigned at = atomic_load(&ring.taken);
    *sample = ring.slots[at % SIZE];
    atomic_store(&ring.taken, at + 1);
    return 1;
}

static void *sensor(void *arg)
{
    (void)arg;
    for (int i = 1; i <= SAMPLES; i++)
        ring_put(7, i * 100);
    return NULL;
}

static void *filter(void *arg)
{
    long *sum = arg;
    struct sample sample;
    for (int tries = 0; tries < SAMPLES; tries++) {
        if (!ring_take(&sample))
            continue;
        assert(sample.channel == 7);
        *sum += sample.value;
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    long sum = 0;
    pthread_create(&a, NULL, sensor, NULL);
    pthread_create(&b, NULL, filter, &sum);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("sum %ld\n", sum);
    return 0;
}
