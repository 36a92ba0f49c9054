// SPDX-License-Identifier: MIT
// long_grid.c - particles on a grid with a lock per cell: threads own strips of rows, add densities to their own and to neighbouring cells, move
// particles between cells, and meet at a barrier after each phase.  See long.h.  Size 1: 4,096 locks; size 25: 102,400.
//
// 1 cells at the border are not locked             6 the barrier between two phases is left out
// 2 two cells are locked in two orders: deadlock   7 a count of moves is added up without a lock
// 3 a particle is in no cell while it moves        8 the first thread at the barrier misses its wake-up
// 4 the list of a cell is read before it is locked 9 the barrier's count is read before the lock is taken
// 5 the density is read, then locked and written  10 a full cell is noticed before the lock is taken
#include "long.h"

enum { WIDE = 64, THREADS = 4, STEPS = 2, MOST_IN_CELL = 8, NONE = -1 };

struct cell {
    pthread_mutex_t lock;
    int first, count; // list of particles
    int density, overflow;
};

struct particle {
    int x, y, next;
};

struct own_barrier {
    pthread_mutex_t lock;
    pthread_cond_t all_there;
    int there, round;
};

static int high; // rows
static struct cell *cells;
static struct particle *particles;
static int particle_count;
static struct own_barrier barrier = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
static pthread_mutex_t moves_lock = PTHREAD_MUTEX_INITIALIZER;
static long moves, moves_of[THREADS];
static int step_of_grid, swaps;

static struct cell *cell_at(int x, int y)
{
    return &cells[(size_t)y * WIDE + x];
}

// True for one thread: the last that came.
static bool barrier_wait(void)
{
    int seen = has_bug(9) ? barrier.there : 0;
    pthread_mutex_lock(&barrier.lock);
    int round = barrier.round;
    barrier.there = (has_bug(9) ? seen : barrier.there) + 1;
    bool last = barrier.there == THREADS;
    if (last) {
        barrier.there = 0;
        barrier.round++;
        pthread_cond_broadcast(&barrier.all_there);
    } else if (has_bug(8) && barrier.there == 1) {
        pthread_mutex_unlock(&barrier.lock);
        pthread_mutex_lock(&barrier.lock);
        pthread_cond_wait(&barrier.all_there, &barrier.lock);
    }
    while (!last && barrier.round == round)
        pthread_cond_wait(&barrier.all_there, &barrier.lock);
    pthread_mutex_unlock(&barrier.lock);
    return last;
}

static void add_density(struct cell *cell, int amount, bool at_border)
{
    if (has_bug(5)) {
        pthread_mutex_lock(&cell->lock);
        int density = cell->density;
        pthread_mutex_unlock(&cell->lock);
        pthread_mutex_lock(&cell->lock);
        cell->density = density + amount;
        pthread_mutex_unlock(&cell->lock);
        return;
    }
    bool locked = !has_bug(1) || !at_border;
    if (locked)
        pthread_mutex_lock(&cell->lock);
    cell->density += amount;
    if (locked)
        pthread_mutex_unlock(&cell->lock);
}

// Each particle adds 1 to its cell and to the four neighbours.
static void compute_densities(int from, int to)
{
    for (int y = from; y < to; y++)
        for (int x = 0; x < WIDE; x++)
            for (int p = cell_at(x, y)->first; p != NONE; p = particles[p].next) {
                add_density(cell_at(x, y), 1, y == from || y == to - 1);
                if (x > 0)
                    add_density(cell_at(x - 1, y), 1, false);
                if (x < WIDE - 1)
                    add_density(cell_at(x + 1, y), 1, false);
                if (y > 0)
                    add_density(cell_at(x, y - 1), 1, y == from);
                if (y < high - 1)
                    add_density(cell_at(x, y + 1), 1, y == to - 1);
            }
}

static void lock_two(struct cell *a, struct cell *b)
{
    bool in_order = a < b || (has_bug(2) && (a - b) % (WIDE + 1) != 0);
    pthread_mutex_lock(in_order ? &a->lock : &b->lock);
    pthread_mutex_lock(in_order ? &b->lock : &a->lock);
}

static void take_out(struct cell *cell, int p)
{
    int *link = &cell->first;
    while (*link != p) {
        assert(*link != NONE);
        link = &particles[*link].next;
    }
    *link = particles[p].next;
    cell->count--;
}

static void put_in(struct cell *cell, int p)
{
    particles[p].next = cell->first;
    cell->first = p;
    cell->count++;
}

static bool is_full(const struct cell *cell)
{
    return cell->count >= MOST_IN_CELL;
}

static void move(int p, int x, int y, int thread)
{
    struct cell *old = cell_at(particles[p].x, particles[p].y), *new = cell_at(x, y);
    bool full = false;
    if (old == new)
        return;
    if (has_bug(10)) {
        pthread_mutex_lock(&new->lock);
        full = is_full(new);
        pthread_mutex_unlock(&new->lock);
    }
    if (has_bug(3)) {
        pthread_mutex_lock(&old->lock);
        take_out(old, p);
        pthread_mutex_unlock(&old->lock);
        pthread_mutex_lock(&new->lock);
        full = is_full(new);
        if (!full)
            put_in(new, p);
        pthread_mutex_unlock(&new->lock);
        if (full) {
            pthread_mutex_lock(&old->lock);
            put_in(old, p);
            old->overflow += is_full(old) && old->count > MOST_IN_CELL;
            pthread_mutex_unlock(&old->lock);
        }
    } else {
        int seen = has_bug(4) ? new->first : NONE;
        lock_two(old, new);
        if (!has_bug(10))
            full = is_full(new);
        if (!full) {
            take_out(old, p);
            put_in(new, p);
            if (has_bug(4) && seen != NONE)
                particles[p].next = seen;
            new->overflow += new->count > MOST_IN_CELL;
        }
        pthread_mutex_unlock(&new->lock);
        pthread_mutex_unlock(&old->lock);
    }
    if (full)
        return;
    particles[p].x = x;
    particles[p].y = y;
    moves_of[thread]++;
    lock_unless(7, &moves_lock);
    moves++;
    unlock_unless(7, &moves_lock);
}

// A thread moves the particles of its own numbers, wherever they are.
static void move_particles(int thread, int step)
{
    uint64_t state = (uint64_t)(thread * 31 + step + 1);
    for (int p = thread; p < particle_count; p += THREADS) {
        int x = particles[p].x + (int)(long_random(&state) % 3) - 1,
            y = particles[p].y + (int)(long_random(&state) % 3) - 1;
        if (x >= 0 && x < WIDE && y >= 0 && y < high)
            move(p, x, y, thread);
    }
}

static void check_grid(void)
{
    int found = 0;
    for (int i = 0; i < WIDE * high; i++) {
        int count = 0;
        for (int p = cells[i].first; p != NONE && count <= particle_count; p = particles[p].next)
            count++;
        assert(count == cells[i].count);
        assert(cells[i].overflow == 0);
        found += count;
    }
    assert(found == particle_count);
}

static long wanted_density(void)
{
    long sum = 0;
    for (int p = 0; p < particle_count; p++)
        sum +=
            1 + (particles[p].x > 0) + (particles[p].x < WIDE - 1) + (particles[p].y > 0) + (particles[p].y < high - 1);
    return sum;
}

// By one thread alone, between two phases.
static void end_step(int step)
{
    long sum = 0;
    assert(step_of_grid == step);
    step_of_grid++;
    swaps++;
    for (int i = 0; i < WIDE * high; i++)
        sum += cells[i].density;
    assert(sum == wanted_density());
    for (int i = 0; i < WIDE * high; i++)
        cells[i].density = 0;
}

static void *simulate(void *argument)
{
    int thread = (int)(long)argument, from = high * thread / THREADS, to = high * (thread + 1) / THREADS;
    for (int step = 0; step < STEPS; step++) {
        compute_densities(from, to);
        if (barrier_wait())
            end_step(step);
        barrier_wait();
        move_particles(thread, step);
        if (!has_bug(6) || step == 0)
            barrier_wait();
        if (has_bug(6) && step == 1 && thread == 0)
            check_grid();
    }
    return NULL;
}

static void fill(void)
{
    uint64_t state = 3;
    for (int i = 0; i < WIDE * high; i++) {
        pthread_mutex_init(&cells[i].lock, NULL);
        cells[i].first = NONE;
    }
    for (int p = 0; p < particle_count; p++) {
        struct particle *particle = &particles[p];
        do {
            particle->x = (int)(long_random(&state) % WIDE);
            // Most are near the borders of the strips.
            particle->y = (int)(long_random(&state) % 4 == 0 ? long_random(&state) % (unsigned)high
                                                             : (unsigned)high / THREADS - 1 + long_random(&state) % 2);
        } while (is_full(cell_at(particle->x, particle->y)));
        put_in(cell_at(particle->x, particle->y), p);
    }
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    long_begin(argc, argv);
    high = 64 * long_size;
    particle_count = 700 + 100 * long_size;
    cells = calloc((size_t)WIDE * high, sizeof *cells);
    particles = calloc((size_t)particle_count, sizeof *particles);
    fill();
    start_threads(threads, THREADS, simulate);
    join_threads(threads, THREADS);
    check_grid();
    long sum = 0;
    for (int i = 0; i < THREADS; i++)
        sum += moves_of[i];
    assert(moves == sum && swaps == STEPS);
    free(cells);
    free(particles);
    return 0;
}
