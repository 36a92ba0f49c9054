// SPDX-License-Identifier: MIT
// io_inotify.c - inotify tells of a file that another thread makes.
//
// expect: none
#include "correct.h"

#include <sys/inotify.h>

static char directory[] = "/tmp/correct-XXXXXX";

static void *make_file(void *unused)
{
    (void)unused;
    char path[64];
    snprintf(path, sizeof path, "%s/new", directory);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    CHECK(fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0);
    return NULL;
}

int main(void)
{
    CHECK(mkdtemp(directory) != NULL);
    int fd = inotify_init1(IN_CLOEXEC);
    CHECK(inotify_add_watch(fd, directory, IN_CREATE | IN_CLOSE_WRITE) >= 0);
    pthread_t thread = start(make_file, NULL);
    char buffer[1024] __attribute__((aligned(8)));
    for (uint32_t seen = 0; seen != (IN_CREATE | IN_CLOSE_WRITE);) {
        ssize_t length = read(fd, buffer, sizeof buffer);
        CHECK(length > 0);
        for (char *at = buffer; at < buffer + length;) {
            struct inotify_event *event = (struct inotify_event *)at;
            CHECK(strcmp(event->name, "new") == 0);
            seen |= event->mask;
            at += sizeof *event + event->len;
        }
    }
    join(thread);
    char path[64];
    snprintf(path, sizeof path, "%s/new", directory);
    CHECK(unlink(path) == 0 && rmdir(directory) == 0);
    close(fd);
    return 0;
}
