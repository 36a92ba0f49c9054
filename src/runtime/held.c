/* SPDX-License-Identifier: MIT
 *
 * held.c - see held.h.
 */
#include "runtime/held.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/arch/arch.h"
#include "runtime/descriptors.h"
#include "runtime/restart.h"

enum { LONGEST_TEXT = 1 << 20 };

static bool get_status(int fd, struct stat *status)
{
    *status = (struct stat){.st_dev = 0};
    return syscall_raw(SYS_fstat, fd, (long)status, 0, 0, 0, 0) == 0;
}

/* /dev/null, /dev/zero and the like have no state. */
static bool is_memory_device(const struct stat *status)
{
    enum { MEMORY_DEVICES = 1 };
    return S_ISCHR(status->st_mode) && major(status->st_rdev) == MEMORY_DEVICES;
}

static bool is_file(const struct stat *status)
{
    return S_ISREG(status->st_mode) || S_ISDIR(status->st_mode);
}

static bool is_read_only(int fd)
{
    return (syscall_raw(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0) & O_ACCMODE) == O_RDONLY;
}

static const char *kind_of(const struct stat *status)
{
    if (S_ISREG(status->st_mode))
        return "a file that is open for writing";
    return S_ISFIFO(status->st_mode)   ? "a pipe"
           : S_ISSOCK(status->st_mode) ? "a socket"
                                       : "a descriptor that is no file";
}

/* ---- operations before ------------------------------------------------------------------------------------------------- */

static const char *hindrance_read(int fd)
{
    struct stat status;
    if (fd < 0 || !get_status(fd, &status) || is_memory_device(&status))
        return NULL;
    if (fd != STDIN_FILENO && descriptors_is_inherited(fd))
        return "a read from a descriptor that the program was started with";
    return is_file(&status) ? NULL : kind_of(&status);
}

const char *held_hindrance(int fd, enum wire_op operation)
{
    if (operation == OP_IO_READ)
        return hindrance_read(fd);
    if (operation == OP_IO_CLOSE)
        return NULL; /* held_take looks at those that are open */
    if (operation == OP_IO_WRITE && fd != STDOUT_FILENO && fd != STDERR_FILENO)
        return "data that it wrote";
    return fd > STDERR_FILENO ? "an operation on a descriptor other than read and close" : NULL;
}

const char *held_hindrance_open(int fd)
{
    struct stat status;
    bool changes = fd >= 0 && get_status(fd, &status) && S_ISREG(status.st_mode) && !is_read_only(fd);
    return changes ? kind_of(&status) : NULL;
}

/* ---- now --------------------------------------------------------------------------------------------------------------- */

struct search {
    struct held *held;
    struct stat output, errors;
    const char *why;
};

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static const char *add_file(struct held *held, int fd)
{
    if (held->count == HELD_FILES)
        return "many open files";
    held->files[held->count].fd = fd;
    held->files[held->count++].offset = syscall_raw(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0);
    return NULL;
}

static const char *look_at(const struct search *search, int fd)
{
    struct stat status;
    if (restart_owns(fd) || (fd != STDIN_FILENO && descriptors_is_inherited(fd)))
        return NULL;
    if (!get_status(fd, &status))
        return "a descriptor that cannot be looked at";
    if (is_memory_device(&status) || is_same_file(&status, &search->output) || is_same_file(&status, &search->errors))
        return NULL;
    if (is_file(&status) && is_read_only(fd))
        return add_file(search->held, fd);
    return fd == STDIN_FILENO ? NULL : kind_of(&status);
}

static bool visit(void *argument, int fd)
{
    struct search *search = argument;
    search->why = look_at(search, fd);
    return search->why == NULL;
}

const char *held_take(struct held *held)
{
    struct search search = {.held = held};
    if (!descriptors_are_kept())
        return "a descriptor that was closed or replaced";
    if (!get_status(STDOUT_FILENO, &search.output) || !get_status(STDERR_FILENO, &search.errors))
        return "an output that was closed";
    *held = (struct held){.output = (size_t)search.output.st_size, .errors = (size_t)search.errors.st_size};
    if (held->output + held->errors > LONGEST_TEXT)
        return "much output";
    if (!descriptors_each(visit, &search) && search.why == NULL)
        return "descriptors that cannot be listed";
    return search.why;
}

/* ---- text -------------------------------------------------------------------------------------------------------------- */

static bool read_text(const char *path, char *to, size_t size)
{
    size_t done = 0;
    int fd = size > 0 ? descriptors_open_own(path, 0) : -1; /* the program's own is for writing only */
    while (fd >= 0 && done < size) {
        long got = syscall_raw(SYS_read, fd, (long)(to + done), (long)(size - done), 0, 0, 0);
        if (got <= 0 && got != -EINTR)
            break;
        done += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        syscall_raw(SYS_close, fd, 0, 0, 0, 0, 0);
    return done == size;
}

const char *held_copy_text(const struct held *held, char *to)
{
    bool good =
        read_text("/proc/self/fd/1", to, held->output) && read_text("/proc/self/fd/2", to + held->output, held->errors);
    return good ? NULL : "an output that cannot be read";
}

static void write_text(int fd, const char *text, size_t size)
{
    size_t done = 0;
    while (done < size) {
        long put = syscall_raw(SYS_write, fd, (long)(text + done), (long)(size - done), 0, 0, 0);
        if (put <= 0 && put != -EINTR)
            break;
        done += put > 0 ? (size_t)put : 0;
    }
}

void held_put_back(const struct held *held, const char *text)
{
    for (uint32_t i = 0; i < held->count; i++)
        syscall_raw(SYS_lseek, held->files[i].fd, held->files[i].offset, SEEK_SET, 0, 0, 0);
    write_text(STDOUT_FILENO, text, held->output);
    write_text(STDERR_FILENO, text + held->output, held->errors);
}
