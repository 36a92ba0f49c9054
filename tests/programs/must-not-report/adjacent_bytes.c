// SPDX-License-Identifier: MIT
// adjacent_bytes.c - every thread writes its own bytes of one word, with memset, memcpy and plain stores.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

static struct {
    char byte[4];
    uint16_t half[2];
    char text[3][5];
} shared;

static void *work(void *number)
{
    uintptr_t i = (uintptr_t)number;
    for (int k = 0; k < 3; k++)
        shared.byte[i]++;
    if (i < 2)
        shared.half[i] = (uint16_t)(i + 100);
    memset(shared.text[i], 'a' + (int)i, 5);
    memcpy(shared.text[i] + 1, "xy", 2);
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    for (uintptr_t i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 3; i++) {
        assert(shared.byte[i] == 3);
        assert(memcmp(shared.text[i] + 1, "xy", 2) == 0);
        assert(shared.text[i][4] == 'a' + i);
    }
    assert(shared.half[0] == 100 && shared.half[1] == 101);
    return 0;
}
