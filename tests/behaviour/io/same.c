// SPDX-License-Identifier: MIT
// same.c - what must be the same in every run: random numbers, clocks, process numbers.
#include "io.h"

#include <sys/random.h>
#include <sys/syscall.h>

static unsigned drawn[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int drawings;

static void *draw(void *place)
{
    assert(getrandom(place, sizeof drawn[0], 0) == sizeof drawn[0]);
    pthread_mutex_lock(&lock);
    drawings++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    unsigned device = 0, stream = 0;
    pthread_t a = start(draw, &drawn[0]), b = start(draw, &drawn[1]);
    finish(a);
    finish(b);
    int fd = open("/dev/urandom", O_RDONLY);
    assert(read(fd, &device, sizeof device) == sizeof device && close(fd) == 0);
    FILE *file = fopen("/dev/random", "r");
    assert(fread(&stream, sizeof stream, 1, file) == 1 && fclose(file) == 0);
    assert(drawings == 2 && drawn[0] != drawn[1]);
    printf("random %u %u %u %u\n", drawn[0], drawn[1], device, stream);
    printf("time %ld\n", (long)time(NULL));
    printf("process %d %d %ld\n", getpid(), getppid(), syscall(SYS_gettid));
    return 0;
}
