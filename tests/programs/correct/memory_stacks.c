// SPDX-License-Identifier: MIT
// memory_stacks.c - variable-length arrays, alloca and large frames, seen by another thread while they live.
//
// expect: none
#include "correct.h"

#include <alloca.h>

static int *visible;
static sem_t shown, seen;

static void *look(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        sem_wait(&shown);
        CHECK(visible[0] + 1 == visible[1]);
        visible[0] = -1;
        sem_post(&seen);
    }
    return NULL;
}

static void show(int *memory)
{
    memory[1] = memory[0] + 1;
    visible = memory;
    sem_post(&shown);
    sem_wait(&seen);
    CHECK(memory[0] == -1);
}

static void with_array(int length)
{
    int array[length];
    array[0] = length;
    show(array);
}

int main(void)
{
    sem_init(&shown, 0, 0);
    sem_init(&seen, 0, 0);
    pthread_t thread = start(look, NULL);
    with_array(10);
    with_array(5000);
    int *block = alloca(4000);
    block[0] = 1;
    show(block);
    join(thread);
    return 0;
}
