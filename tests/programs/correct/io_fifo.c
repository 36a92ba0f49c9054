// SPDX-License-Identifier: MIT
// io_fifo.c - a named pipe between two threads; both opens wait for each other.
//
// expect: none
#include "correct.h"

#include <sys/stat.h>

static char directory[] = "/tmp/correct-XXXXXX", path[64];

static void *writer(void *unused)
{
    (void)unused;
    int fd = open(path, O_WRONLY);
    CHECK(fd >= 0 && write(fd, "through", 7) == 7 && close(fd) == 0);
    return NULL;
}

int main(void)
{
    CHECK(mkdtemp(directory) != NULL);
    snprintf(path, sizeof path, "%s/fifo", directory);
    CHECK(mkfifo(path, 0600) == 0);
    pthread_t thread = start(writer, NULL);
    char text[8] = "";
    int fd = open(path, O_RDONLY);
    CHECK(fd >= 0 && read(fd, text, 7) == 7 && strcmp(text, "through") == 0);
    CHECK(read(fd, text, 7) == 0);
    join(thread);
    close(fd);
    CHECK(unlink(path) == 0 && rmdir(directory) == 0);
    return 0;
}
