// SPDX-License-Identifier: MIT
// io_shared_mapping.c - a file mapped shared is memory of both threads, under a lock.
//
// expect: none
#include "correct.h"

#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *cells;

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        cells[i]++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    FILE *file = tmpfile();
    CHECK(ftruncate(fileno(file), 4096) == 0);
    cells = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    CHECK(cells != MAP_FAILED);
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    int back[3];
    CHECK(msync(cells, 4096, MS_SYNC) == 0);
    CHECK(pread(fileno(file), back, sizeof back, 0) == sizeof back);
    CHECK(back[0] == 2 && back[1] == 2 && back[2] == 2);
    CHECK(munmap(cells, 4096) == 0 && fclose(file) == 0);
    return 0;
}
