// SPDX-License-Identifier: MIT
// long_rays.c - a ray tracer with work stealing: tiles of the image lie in a deque per thread; a thread that has none steals from the others, and a
// tile that is costly is split.  See long.h.  Size 1: about 400,000 accesses.
//
// 1 the last tile of a deque is taken by two threads     6 two deques are locked in two orders: deadlock
// 2 a tile counts as done before it is                    7 the ray count is not locked
// 3 a thread that waits for tiles misses its wake-up     8 a tile is split after its rest was made visible
// 4 the scene's tree is used before it is complete       9 the number of waiting threads is read without the lock
// 5 pixels on the edge of two tiles are added unlocked  10 the image is checked before the last tile is done
#include "long.h"

#include <math.h>

enum { WIDE = 48, THREADS = 4, DEQUE = 256, SPHERES = 6, SMALL = 64, NODES = 2 * SPHERES };

struct tile {
    int x, y, wide, high;
};

struct deque {
    pthread_mutex_t lock;
    struct tile tiles[DEQUE];
    unsigned top, bottom; // stolen from the top, worked on from the bottom
};

struct sphere {
    double x, y, z, radius;
};

struct node { // a tree of bounds: children, or one sphere
    int left, right, sphere;
    double lo, hi;
};

static int high;
static struct deque deques[THREADS];
static struct sphere spheres[SPHERES];
static struct node nodes[NODES];
static int node_count, root = -1;
static bool tree_complete;
static pthread_mutex_t tree_lock = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t state_changed = PTHREAD_COND_INITIALIZER;
static int tiles_open; // in deques, or being worked on
static int waiting;
static bool ended;

static int *pixels; // how often each was computed
static int edges[THREADS + 1][WIDE];
static pthread_mutex_t edge_lock = PTHREAD_MUTEX_INITIALIZER, count_lock = PTHREAD_MUTEX_INITIALIZER;
static long rays, rays_of[THREADS], hits;

static void add_open(int count)
{
    pthread_mutex_lock(&state_lock);
    tiles_open += count;
    assert(count < 0 || !ended);
    if (tiles_open == 0 || (has_bug(10) && tiles_open == 1 && count < 0)) {
        ended = true;
        pthread_cond_broadcast(&state_changed);
    } else if (count > 0) {
        pthread_cond_broadcast(&state_changed);
    }
    pthread_mutex_unlock(&state_lock);
}

static void push(struct deque *deque, struct tile tile)
{
    pthread_mutex_lock(&deque->lock);
    assert(deque->bottom - deque->top < DEQUE);
    deque->tiles[deque->bottom++ % DEQUE] = tile;
    pthread_mutex_unlock(&deque->lock);
}

static bool pop(struct deque *deque, struct tile *tile)
{
    pthread_mutex_lock(&deque->lock);
    bool found = deque->top != deque->bottom;
    if (has_bug(1) && deque->bottom - deque->top == 1) { // as if no thread stole a single tile
        pthread_mutex_unlock(&deque->lock);
        *tile = deque->tiles[deque->top % DEQUE];
        pthread_mutex_lock(&deque->lock);
        deque->bottom = deque->top;
    } else if (found) {
        *tile = deque->tiles[--deque->bottom % DEQUE];
    }
    pthread_mutex_unlock(&deque->lock);
    return found;
}

// From the top of another deque; with bug 6 both are locked, one's own first.
static bool steal(int thread, struct tile *tile)
{
    for (int i = 1; i < THREADS; i++) {
        struct deque *own = &deques[thread], *other = &deques[(thread + i) % THREADS];
        if (has_bug(6))
            pthread_mutex_lock(&own->lock);
        pthread_mutex_lock(&other->lock);
        bool found = other->top != other->bottom;
        if (found)
            *tile = other->tiles[other->top++ % DEQUE];
        pthread_mutex_unlock(&other->lock);
        if (has_bug(6))
            pthread_mutex_unlock(&own->lock);
        if (found)
            return true;
    }
    return false;
}

static int add_node(struct node node)
{
    nodes[node_count] = node;
    return node_count++;
}

static int build_tree(int from, int to)
{
    if (to - from == 1)
        return add_node((struct node){-1, -1, from, spheres[from].x - spheres[from].radius,
                                      spheres[from].x + spheres[from].radius});
    int left = build_tree(from, (from + to) / 2), right = build_tree((from + to) / 2, to);
    double lo = fmin(nodes[left].lo, nodes[right].lo), hi = fmax(nodes[left].hi, nodes[right].hi);
    return add_node((struct node){left, right, -1, lo, hi});
}

// By the first thread that needs it.
static void need_tree(void)
{
    if (has_bug(4)) {
        pthread_mutex_lock(&tree_lock);
        bool mine = node_count == 0;
        if (mine)
            node_count = 1;
        pthread_mutex_unlock(&tree_lock);
        if (mine) {
            int made = build_tree(0, SPHERES);
            pthread_mutex_lock(&tree_lock);
            root = made;
            tree_complete = true;
            pthread_mutex_unlock(&tree_lock);
        }
        return;
    }
    pthread_mutex_lock(&tree_lock);
    if (!tree_complete) {
        root = build_tree(0, SPHERES);
        tree_complete = true;
    }
    pthread_mutex_unlock(&tree_lock);
}

static bool hits_sphere(const struct sphere *sphere, double x, double y)
{
    double dx = x - sphere->x, dy = y - sphere->y;
    return dx * dx + dy * dy < sphere->radius * sphere->radius;
}

static int trace(int node, double x, double y)
{
    assert(node >= 0);
    if (x < nodes[node].lo || x > nodes[node].hi)
        return 0;
    if (nodes[node].sphere >= 0)
        return hits_sphere(&spheres[nodes[node].sphere], x, y);
    return trace(nodes[node].left, x, y) + trace(nodes[node].right, x, y);
}

static void add_edge(int row, int x, int value)
{
    lock_unless(5, &edge_lock);
    edges[row][x] += value;
    unlock_unless(5, &edge_lock);
}

static void render(const struct tile *tile, int thread)
{
    int found = 0, count = 0;
    need_tree();
    pthread_mutex_lock(&tree_lock);
    int start = root;
    pthread_mutex_unlock(&tree_lock);
    for (int y = tile->y; y < tile->y + tile->high; y++)
        for (int x = tile->x; x < tile->x + tile->wide; x++) {
            found += trace(start, (double)x / WIDE, (double)y / high);
            pixels[y * WIDE + x]++;
            if (y % 12 == 0 || y % 12 == 11) // shared by the two tiles that touch there
                add_edge((y + 1) / 12 % (THREADS + 1), x, 1);
            count++;
        }
    rays_of[thread] += count;
    lock_unless(7, &count_lock);
    rays += count;
    hits += found;
    unlock_unless(7, &count_lock);
}

// Gives away half of a large tile.
static void split(struct tile *tile, int thread)
{
    while (tile->wide * tile->high > SMALL) {
        struct tile rest = *tile;
        bool wide = tile->wide > tile->high;
        if (wide) {
            rest.x += tile->wide / 2;
            rest.wide -= tile->wide / 2;
        } else {
            rest.y += tile->high / 2;
            rest.high -= tile->high / 2;
        }
        if (has_bug(8)) {
            push(&deques[thread], rest);
            add_open(1);
        }
        if (wide)
            tile->wide /= 2;
        else
            tile->high /= 2;
        if (!has_bug(8)) {
            add_open(1);
            push(&deques[thread], rest);
        }
    }
}

// False: all is done.
static bool wait_for_tiles(void)
{
    if (has_bug(9)) {
        int seen = waiting;
        pthread_mutex_lock(&state_lock);
        waiting = seen + 1;
    } else {
        pthread_mutex_lock(&state_lock);
        waiting++;
    }
    if (has_bug(3)) {
        bool over = ended;
        pthread_mutex_unlock(&state_lock);
        pthread_mutex_lock(&state_lock);
        if (!over)
            pthread_cond_wait(&state_changed, &state_lock);
    } else if (!ended) {
        // A tile may have been pushed before the lock was taken.
        int idle = 0;
        for (int i = 0; i < THREADS; i++) {
            pthread_mutex_lock(&deques[i].lock);
            idle += (int)(deques[i].bottom - deques[i].top);
            pthread_mutex_unlock(&deques[i].lock);
        }
        if (idle == 0)
            pthread_cond_wait(&state_changed, &state_lock);
    }
    waiting--;
    bool go_on = !ended;
    pthread_mutex_unlock(&state_lock);
    return go_on;
}

static void *work(void *argument)
{
    int thread = (int)(long)argument;
    struct tile tile;
    do {
        while (pop(&deques[thread], &tile) || steal(thread, &tile)) {
            bool early = has_bug(2) && thread == THREADS - 1;
            if (early)
                add_open(-1);
            split(&tile, thread);
            render(&tile, thread);
            if (!early)
                add_open(-1);
        }
    } while (wait_for_tiles());
    if (has_bug(10) && thread == 0)
        for (int i = 0; i < WIDE * high; i++)
            assert(pixels[i] == 1);
    return NULL;
}

static void fill(void)
{
    uint64_t state = 11;
    for (int i = 0; i < SPHERES; i++)
        spheres[i] = (struct sphere){(i + 0.5) / SPHERES, long_random(&state) % 100 / 100.0, 1,
                                     0.05 + long_random(&state) % 10 / 100.0};
    for (int i = 0; i < THREADS; i++) {
        pthread_mutex_init(&deques[i].lock, NULL);
        tiles_open++;
        push(&deques[i], (struct tile){0, high * i / THREADS, WIDE, high * (i + 1) / THREADS - high * i / THREADS});
    }
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    long_begin(argc, argv);
    high = 48 * long_size;
    pixels = calloc((size_t)WIDE * high, sizeof *pixels);
    fill();
    start_threads(threads, THREADS, work);
    join_threads(threads, THREADS);
    long sum = 0, edge = 0, wanted = 0;
    for (int i = 0; i < THREADS; i++)
        sum += rays_of[i];
    for (int i = 0; i < WIDE * high; i++) {
        assert(pixels[i] == 1);
        wanted += i / WIDE % 12 == 0 || i / WIDE % 12 == 11;
    }
    for (int i = 0; i <= THREADS; i++)
        for (int x = 0; x < WIDE; x++)
            edge += edges[i][x];
    assert(rays == sum && rays == (long)WIDE * high && edge == wanted && waiting == 0);
    free(pixels);
    return 0;
}
