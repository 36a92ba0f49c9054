/* SPDX-License-Identifier: MIT
 *
 * descriptors.c - see descriptors.h.
 */
#include "runtime/descriptors.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/arch/arch.h"
#include "runtime/rt.h"

enum {
    OWN_DESCRIPTORS = 1000, /* from here on */
    INHERITED = 256
};

struct directory_entry { /* as getdents64 gives it */
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

int descriptors_open_own(const char *path, int flags)
{
    int fd = (int)syscall_raw(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC | flags, 0, 0, 0);
    int moved = fd < 0 ? fd : (int)syscall_raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, OWN_DESCRIPTORS, 0, 0, 0);
    if (moved < 0)
        return fd; /* only few are allowed: a low number then */
    syscall_raw(SYS_close, fd, 0, 0, 0, 0, 0);
    return moved;
}

/* -1: . and .. */
static int descriptor_number(const char *name)
{
    int fd = 0;
    if (name[0] < '0' || name[0] > '9')
        return -1;
    for (; *name != '\0'; name++)
        fd = fd * 10 + (*name - '0');
    return fd;
}

bool descriptors_each(bool (*visit)(void *argument, int fd), void *argument)
{
    char entries[4096];
    bool good = true;
    long got = -1;
    int directory = descriptors_open_own("/proc/self/fd", O_DIRECTORY);
    while (good && directory >= 0 &&
           (got = syscall_raw(SYS_getdents64, directory, (long)entries, sizeof entries, 0, 0, 0)) > 0)
        for (long at = 0; at < got && good; at += ((struct directory_entry *)(entries + at))->length) {
            int fd = descriptor_number(((struct directory_entry *)(entries + at))->name);
            good = fd < 0 || fd == directory || visit(argument, fd);
        }
    if (directory >= 0)
        syscall_raw(SYS_close, directory, 0, 0, 0, 0, 0);
    return good && got == 0;
}

/* ---- those from before the run ----------------------------------------------------------------------------------------- */

static RT_RARE struct {
    struct {
        int fd;
        dev_t device;
        ino_t inode;
    } files[INHERITED];
    uint32_t count;
    bool complete;
} inherited;

static bool learn(void *argument, int fd)
{
    struct stat status = {.st_dev = 0};
    (void)argument;
    if (inherited.count == INHERITED || syscall_raw(SYS_fstat, fd, (long)&status, 0, 0, 0, 0) != 0)
        return false;
    inherited.files[inherited.count].fd = fd;
    inherited.files[inherited.count].device = status.st_dev;
    inherited.files[inherited.count++].inode = status.st_ino;
    return true;
}

void descriptors_learn(void)
{
    inherited.complete = descriptors_each(learn, NULL);
}

bool descriptors_is_inherited(int fd)
{
    for (uint32_t i = 0; i < inherited.count; i++)
        if (inherited.files[i].fd == fd)
            return true;
    return false;
}

bool descriptors_are_kept(void)
{
    for (uint32_t i = 0; i < inherited.count; i++) {
        struct stat status = {.st_dev = 0};
        if (syscall_raw(SYS_fstat, inherited.files[i].fd, (long)&status, 0, 0, 0, 0) != 0 ||
            status.st_dev != inherited.files[i].device || status.st_ino != inherited.files[i].inode)
            return false;
    }
    return inherited.complete;
}
