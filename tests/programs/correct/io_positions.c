// SPDX-License-Identifier: MIT
// io_positions.c - pread and pwrite at positions of their own do not disturb each other.
//
// expect: none
#include "correct.h"

static int fd;

static void *work(void *number)
{
    off_t place = 100 * (intptr_t)number;
    char text[16] = "", back[16] = "";
    snprintf(text, sizeof text, "part %d", (int)(intptr_t)number);
    CHECK(pwrite(fd, text, sizeof text, place) == sizeof text);
    CHECK(pread(fd, back, sizeof back, place) == sizeof back && strcmp(text, back) == 0);
    return NULL;
}

int main(void)
{
    char path[] = "/tmp/correct-XXXXXX";
    fd = mkstemp(path);
    CHECK(fd >= 0 && unlink(path) == 0);
    pthread_t a = start(work, (void *)1), b = start(work, (void *)2);
    join(a);
    join(b);
    CHECK(lseek(fd, 0, SEEK_CUR) == 0 && lseek(fd, 0, SEEK_END) == 216);
    close(fd);
    return 0;
}
