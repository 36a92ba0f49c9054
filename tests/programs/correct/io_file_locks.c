// SPDX-License-Identifier: MIT
// io_file_locks.c - locks of open file descriptions exclude two threads with a descriptor each.
//
// expect: none
#include "correct.h"

#include <sys/file.h>

static char path[] = "/tmp/correct-XXXXXX";
static int inside;

static void *work(void *way)
{
    int fd = open(path, O_RDWR);
    CHECK(fd >= 0);
    if (way != NULL) {
        CHECK(flock(fd, LOCK_EX) == 0);
        CHECK(__atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST) == 0);
        __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
        CHECK(flock(fd, LOCK_UN) == 0);
    }
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10};
    CHECK(fcntl(fd, F_OFD_SETLKW, &range) == 0);
    range.l_type = F_UNLCK;
    CHECK(fcntl(fd, F_OFD_SETLK, &range) == 0);
    close(fd);
    return NULL;
}

int main(void)
{
    int fd = mkstemp(path);
    pthread_t a = start(work, path), b = start(work, path), c = start(work, NULL);
    join(a);
    join(b);
    join(c);
    close(fd);
    CHECK(unlink(path) == 0);
    return 0;
}
