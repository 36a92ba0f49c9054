// SPDX-License-Identifier: MIT
// long_factor.c - a blocked LU factorisation without pivoting: a queue of tasks on blocks, each ready when those that it depends on are done.
// See long.h.  Size 1: about 600,000 accesses.
//
// 1 lost decrement of a dependency count      6 two locks in two orders: deadlock
// 2 a task is queued one dependency too early  7 the counters are not locked
// 3 one waiter is woken where all must be      8 a task is published before it is filled in
// 4 a waiter does not look again               9 the end is announced one task too early
// 5 the end is announced without the lock     10 the largest value: check, then act
#include "long.h"

#include <math.h>

enum { BLOCK = 12, MOST_BLOCKS = 64, WORKERS = 4, QUEUE = 1024 };
enum kind { DIAGONAL, ROW, COLUMN, INNER };

struct task {
    enum kind kind;
    int k, i, j;
};

static int blocks;      // in a row
static double *matrix;  // blocks × blocks blocks of BLOCK × BLOCK
static double *product; // what it was, to be checked
static double *noted;   // per (k, i, j): the value that its task began with
static int *waits;      // per (k, i, j): dependencies that are not done

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER, count_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_filled = PTHREAD_COND_INITIALIZER;
static struct task queue[QUEUE];
static unsigned queue_head, queue_tail;
static int tasks_left;
static bool finished;

static pthread_mutex_t statistics_lock = PTHREAD_MUTEX_INITIALIZER;
static long tasks_done, flops_done, values_noted;
static double largest_value;

static double *block_at(double *base, int i, int j)
{
    return base + ((size_t)i * blocks + j) * BLOCK * BLOCK;
}

static double *noted_of(int k, int i, int j)
{
    return &noted[((size_t)k * blocks + i) * blocks + j];
}

static int *waits_of(int k, int i, int j)
{
    return &waits[((size_t)k * blocks + i) * blocks + j];
}

static void push(struct task task)
{
    pthread_mutex_lock(&queue_lock);
    assert(queue_tail - queue_head < QUEUE);
    struct task *slot = &queue[queue_tail % QUEUE];
    if (has_bug(8)) {
        queue_tail++;
        pthread_mutex_unlock(&queue_lock);
        *slot = task;
        pthread_mutex_lock(&queue_lock);
    } else {
        *slot = task;
        queue_tail++;
    }
    pthread_cond_signal(&queue_filled);
    pthread_mutex_unlock(&queue_lock);
}

// One of the dependencies of the block's next task is done.
static void release(int k, int i, int j)
{
    lock_unless(1, &count_lock);
    int left = --*waits_of(k, i, j);
    unlock_unless(1, &count_lock);
    if (left != (has_bug(2) && k == i && j == k + 1 && k == blocks / 2 ? 1 : 0))
        return;
    enum kind kind = i == k && j == k ? DIAGONAL : i == k ? ROW : j == k ? COLUMN : INNER;
    push((struct task){kind, k, i, j});
}

static bool pop(struct task *task)
{
    pthread_mutex_lock(&queue_lock);
    if (has_bug(4)) {
        if (queue_head == queue_tail && !finished)
            pthread_cond_wait(&queue_filled, &queue_lock);
        assert(finished || queue_head != queue_tail);
    }
    while (queue_head == queue_tail && !finished)
        pthread_cond_wait(&queue_filled, &queue_lock);
    bool found = queue_head != queue_tail && !(has_bug(9) && finished);
    if (found)
        *task = queue[queue_head++ % QUEUE];
    pthread_mutex_unlock(&queue_lock);
    return found;
}

static long factor_diagonal(double *a)
{
    long flops = 0;
    for (int k = 0; k < BLOCK; k++)
        for (int i = k + 1; i < BLOCK; i++) {
            a[i * BLOCK + k] /= a[k * BLOCK + k];
            for (int j = k + 1; j < BLOCK; j++, flops++)
                a[i * BLOCK + j] -= a[i * BLOCK + k] * a[k * BLOCK + j];
        }
    return flops;
}

static long solve_row(const double *diagonal, double *a)
{
    long flops = 0;
    for (int k = 0; k < BLOCK; k++)
        for (int i = k + 1; i < BLOCK; i++)
            for (int j = 0; j < BLOCK; j++, flops++)
                a[i * BLOCK + j] -= diagonal[i * BLOCK + k] * a[k * BLOCK + j];
    return flops;
}

static long solve_column(const double *diagonal, double *a)
{
    long flops = 0;
    for (int k = 0; k < BLOCK; k++)
        for (int i = 0; i < BLOCK; i++) {
            a[i * BLOCK + k] /= diagonal[k * BLOCK + k];
            for (int j = k + 1; j < BLOCK; j++, flops++)
                a[i * BLOCK + j] -= a[i * BLOCK + k] * diagonal[k * BLOCK + j];
        }
    return flops;
}

static long update_inner(const double *left, const double *up, double *a)
{
    long flops = 0;
    for (int i = 0; i < BLOCK; i++)
        for (int k = 0; k < BLOCK; k++)
            for (int j = 0; j < BLOCK; j++, flops++)
                a[i * BLOCK + j] -= left[i * BLOCK + k] * up[k * BLOCK + j];
    return flops;
}

// The largest value that a task began with.
static void note_value(const struct task *task, double value)
{
    *noted_of(task->k, task->i, task->j) = value;
    pthread_mutex_lock(&statistics_lock);
    bool larger = value > largest_value;
    if (has_bug(10)) {
        pthread_mutex_unlock(&statistics_lock);
        pthread_mutex_lock(&statistics_lock);
    }
    if (larger)
        largest_value = value;
    if (has_bug(6) && larger) { // the other way round in count()
        pthread_mutex_lock(&count_lock);
        values_noted++;
        pthread_mutex_unlock(&count_lock);
    }
    pthread_mutex_unlock(&statistics_lock);
}

// What can begin now that the task is done.
static void release_next(const struct task *task)
{
    int k = task->k;
    if (task->kind == DIAGONAL) {
        for (int n = k + 1; n < blocks; n++) {
            release(k, k, n);
            release(k, n, k);
        }
    } else if (task->kind == ROW) {
        for (int i = k + 1; i < blocks; i++)
            release(k, i, task->j);
    } else if (task->kind == COLUMN) {
        for (int j = k + 1; j < blocks; j++)
            release(k, task->i, j);
    } else {
        release(k + 1, task->i, task->j);
    }
}

static long do_task(const struct task *task)
{
    int k = task->k, i = task->i, j = task->j;
    double *a = block_at(matrix, i, j);
    assert(k >= 0 && i >= k && j >= k && i < blocks && j < blocks);
    if (task->kind != DIAGONAL)
        note_value(task, fabs(a[0]));
    switch (task->kind) {
    case DIAGONAL:
        return factor_diagonal(a);
    case ROW:
        return solve_row(block_at(matrix, k, k), a);
    case COLUMN:
        return solve_column(block_at(matrix, k, k), a);
    default:
        return update_inner(block_at(matrix, i, k), block_at(matrix, k, j), a);
    }
}

static void count(long flops)
{
    pthread_mutex_lock(&count_lock);
    if (!has_bug(6))
        pthread_mutex_unlock(&count_lock);
    lock_unless(7, &statistics_lock);
    tasks_done++;
    flops_done += flops;
    unlock_unless(7, &statistics_lock);
    if (has_bug(6))
        pthread_mutex_unlock(&count_lock);
}

static void finish_task(void)
{
    pthread_mutex_lock(&queue_lock);
    int left = --tasks_left;
    if (has_bug(5))
        pthread_mutex_unlock(&queue_lock);
    if (left == (has_bug(9) ? 1 : 0)) {
        finished = true;
        if (has_bug(3))
            pthread_cond_signal(&queue_filled);
        else
            pthread_cond_broadcast(&queue_filled);
    }
    if (!has_bug(5))
        pthread_mutex_unlock(&queue_lock);
}

static void *work(void *unused)
{
    struct task task;
    (void)unused;
    while (pop(&task)) {
        long flops = do_task(&task);
        release_next(&task);
        count(flops);
        finish_task();
    }
    return NULL;
}

static void fill(void)
{
    uint64_t state = 7;
    size_t cells = (size_t)blocks * blocks * BLOCK * BLOCK;
    for (size_t n = 0; n < cells; n++)
        matrix[n] = (double)(long_random(&state) % 1000) / 1000;
    for (int d = 0; d < blocks; d++)
        for (int n = 0; n < BLOCK; n++)
            block_at(matrix, d, d)[n * BLOCK + n] += blocks * BLOCK;
    memcpy(product, matrix, cells * sizeof *matrix);
    for (int k = 0; k < blocks; k++)
        for (int i = k; i < blocks; i++)
            for (int j = k; j < blocks; j++) {
                tasks_left++;
                *waits_of(k, i, j) = (k > 0) + (i == k && j == k ? 0 : i == k || j == k ? 1 : 2);
            }
}

// The first element of a block of L × U.
static double first_of_product(int i, int j)
{
    double sum = 0;
    for (int b = 0; b <= i && b <= j; b++)
        for (int n = 0; n < BLOCK; n++) {
            double left = b < i ? block_at(matrix, i, b)[n] : n == 0;
            sum += left * (b < j || n == 0 ? block_at(matrix, b, j)[n * BLOCK] : 0);
        }
    return sum;
}

static void check(void)
{
    for (int i = 0; i < blocks; i++)
        for (int j = 0; j < blocks; j++)
            assert(fabs(first_of_product(i, j) - block_at(product, i, j)[0]) < 1e-6);
    double most = 0;
    for (size_t n = 0; n < (size_t)blocks * blocks * blocks; n++)
        most = noted[n] > most ? noted[n] : most;
    assert(largest_value == most);
}

int main(int argc, char **argv)
{
    pthread_t threads[WORKERS];
    long_begin(argc, argv);
    blocks = 4 + long_size < MOST_BLOCKS ? 4 + long_size : MOST_BLOCKS;
    size_t cells = (size_t)blocks * blocks * BLOCK * BLOCK;
    matrix = malloc(cells * sizeof *matrix);
    product = malloc(cells * sizeof *product);
    waits = calloc((size_t)blocks * blocks * blocks, sizeof *waits);
    noted = calloc((size_t)blocks * blocks * blocks, sizeof *noted);
    fill();
    long tasks = tasks_left;
    push((struct task){DIAGONAL, 0, 0, 0});
    start_threads(threads, WORKERS, work);
    join_threads(threads, WORKERS);
    assert(tasks_done == tasks);
    check();
    free(matrix);
    free(product);
    free(waits);
    free(noted);
    return 0;
}
