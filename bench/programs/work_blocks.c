// SPDX-License-Identifier: MIT
// work_blocks.c - threads take tiles of a picture from a common counter, compute them, and add what they found to common totals.
//
//   work_blocks [TILES]     per side (28), of 32 x 32 points of the Mandelbrot set
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, TILE = 32, DEPTH = 400, BANDS = 8 };

static int side = 28;
static atomic_int next_tile;
static struct {
    pthread_mutex_t lock;
    uint64_t band[BANDS];
    int tiles, deepest;
} totals = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int depth_at(double x, double y)
{
    double re = 0, im = 0;
    for (int depth = 0; depth < DEPTH; depth++) {
        double next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
        if (re * re + im * im > 4)
            return depth;
    }
    return DEPTH;
}

static void tile_compute(int tile, int depth[TILE][TILE])
{
    double step = 3.0 / (side * TILE);
    double left = -2.2 + tile % side * TILE * step, top = -1.5 + (double)(tile / side) * TILE * step;
    for (int row = 0; row < TILE; row++)
        for (int column = 0; column < TILE; column++)
            depth[row][column] = depth_at(left + column * step, top + row * step);
}

/* Each point becomes the mean of its neighbourhood, so that the bands are smooth. */
static void tile_smooth(int depth[TILE][TILE], int smooth[TILE][TILE])
{
    for (int row = 0; row < TILE; row++)
        for (int column = 0; column < TILE; column++) {
            int sum = 0, count = 0;
            for (int r = row > 0 ? row - 1 : 0; r <= row + 1 && r < TILE; r++)
                for (int c = column > 0 ? column - 1 : 0; c <= column + 1 && c < TILE; c++, count++)
                    sum += depth[r][c];
            smooth[row][column] = sum / count;
        }
}

static void tile_count(int depth[TILE][TILE])
{
    uint64_t band[BANDS] = {0};
    int deepest = 0;
    for (int row = 0; row < TILE; row++)
        for (int column = 0; column < TILE; column++) {
            int here = depth[row][column];
            band[here * (BANDS - 1) / DEPTH]++;
            if (here > deepest && here < DEPTH)
                deepest = here;
        }
    pthread_mutex_lock(&totals.lock);
    for (int i = 0; i < BANDS; i++)
        totals.band[i] += band[i];
    totals.tiles++;
    if (deepest > totals.deepest)
        totals.deepest = deepest;
    pthread_mutex_unlock(&totals.lock);
}

static void *work(void *unused)
{
    (void)unused;
    int depth[TILE][TILE], smooth[TILE][TILE];
    for (int tile; (tile = atomic_fetch_add(&next_tile, 1)) < side * side;) {
        tile_compute(tile, depth);
        tile_smooth(depth, smooth);
        tile_count(smooth);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    if (argc > 1)
        side = atoi(argv[1]);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d tiles, deepest %d, bands", totals.tiles, totals.deepest);
    for (int i = 0; i < BANDS; i++)
        printf(" %llu", (unsigned long long)totals.band[i]);
    printf("\n");
    return EXIT_SUCCESS;
}
