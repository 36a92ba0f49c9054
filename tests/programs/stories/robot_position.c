// robot_position.c - a robot moves along the diagonal; a display reads x and y without a lock.
//
// kind: torn pair
// expect: exit
// wrong: robot_move() counts a move only after it wrote x and y, so position_read() sees the same number twice although x is
//        written already and y is not
// where: robot_move position_read
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define MOVES 3

struct position {
    int x;
    int y;
};

struct robot {
    atomic_int x;
    atomic_int y;
    atomic_int moves;
};

static struct robot robot;
static atomic_int errors;

static void robot_move(int step)
{
    atomic_store(&robot.x, step);
    atomic_store(&robot.y, step);
    atomic_fetch_add(&robot.moves, 1);
}

static struct position position_read(void)
{
    struct position p;
    int before;
    do {
        before = atomic_load(&robot.moves);
        p.x = atomic_load(&robot.x);
        p.y = atomic_load(&robot.y);
    } while (before != atomic_load(&robot.moves));
    return p;
}

static void position_check(struct position p)
{
    if (p.x != p.y) {
        fprintf(stderr, "robot is beside its way: %d, %d\n", p.x, p.y);
        atomic_fetch_add(&errors, 1);
    }
}

static void *drive(void *arg)
{
    (void)arg;
    for (int step = 1; step <= MOVES; step++)
        robot_move(step);
    return NULL;
}

static void *display(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++)
        position_check(position_read());
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, drive, NULL);
    pthread_create(&b, NULL, display, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return atomic_load(&errors) ? EXIT_FAILURE : EXIT_SUCCESS;
}
