// heat_rod.c - two threads compute the temperature of a rod step by step, each one half of it.
//
// kind: barrier misuse
// expect: assert
// wrong: a second barrier per step is missing: after `computed' one thread copies its cells into now[] and begins the next step; it
//        reads a cell of the other half that is not copied yet
// where: rod_step rod_run
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#define CELLS   4
#define STEPS   2
#define WORKERS 2

static int now[CELLS + 2];
static int next[CELLS + 2];
static pthread_barrier_t computed;

struct part {
    int first;
    int last;
    int sum;
};

static void rod_heat(void)
{
    for (int i = 0; i < CELLS + 2; i++)
        now[i] = 64 * i;
}

static void rod_step(const struct part *part)
{
    for (int i = part->first; i <= part->last; i++)
        next[i] = now[i - 1] / 4 + now[i] / 2 + now[i + 1] / 4 + 16;
    pthread_barrier_wait(&computed);
    for (int i = part->first; i <= part->last; i++)
        now[i] = next[i];
}

static int part_sum(const struct part *part)
{
    int sum = 0;
    for (int i = part->first; i <= part->last; i++)
        sum += now[i];
    return sum;
}

static void *rod_run(void *arg)
{
    struct part *part = arg;
    for (int step = 0; step < STEPS; step++)
        rod_step(part);
    part->sum = part_sum(part);
    return NULL;
}

static int rod_expected(void)
{
    int a[CELLS + 2], b[CELLS + 2], sum = 0;
    for (int i = 0; i < CELLS + 2; i++)
        a[i] = b[i] = 64 * i;
    for (int step = 0; step < STEPS; step++) {
        for (int i = 1; i <= CELLS; i++)
            b[i] = a[i - 1] / 4 + a[i] / 2 + a[i + 1] / 4 + 16;
        for (int i = 1; i <= CELLS; i++)
            a[i] = b[i];
    }
    for (int i = 1; i <= CELLS; i++)
        sum += a[i];
    return sum;
}

int main(void)
{
    pthread_t threads[WORKERS];
    struct part parts[WORKERS] = {{1, CELLS / 2, 0}, {CELLS / 2 + 1, CELLS, 0}};
    rod_heat();
    pthread_barrier_init(&computed, NULL, WORKERS);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, rod_run, &parts[i]);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    int sum = parts[0].sum + parts[1].sum;
    printf("sum %d, expected %d\n", sum, rod_expected());
    assert(sum == rod_expected());
    pthread_barrier_destroy(&computed);
    return 0;
}
