/* SPDX-License-Identifier: MIT
 *
 * file.c - whole files and directories.
 */
#include "util/file.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/memory.h"

bool file_read(const char *path, size_t limit, struct buffer *into, struct error *error)
{
    assert(into->size == 0);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(error, EXIT_USAGE, "cannot open %s: %s", path, strerror(errno));
    for (;;) {
        buffer_reserve(into, 1 << 16);
        ssize_t got = read(fd, into->data + into->size, into->capacity - into->size - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            error_set(error, EXIT_USAGE, "cannot read %s: %s", path, strerror(errno));
            close(fd);
            return false;
        }
        into->size += (size_t)got;
        into->data[into->size] = '\0';
        if (got == 0)
            break;
        if (into->size > limit) {
            close(fd);
            return error_set(error, EXIT_USAGE, "%s is larger than %zu bytes: not a file that raddle wrote", path,
                             limit);
        }
    }
    close(fd);
    return true;
}

bool file_write_all(int fd, const void *bytes, size_t size)
{
    assert(bytes != NULL || size == 0);
    const char *next = bytes;
    while (size > 0) {
        ssize_t put = write(fd, next, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        next += put;
        size -= (size_t)put;
    }
    return true;
}

int file_read_all(int fd, void *bytes, size_t size)
{
    char *next = bytes;
    size_t left = size;
    while (left > 0) {
        ssize_t got = read(fd, next, left);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0 && left == size)
            return 0;
        if (got <= 0)
            return -1;
        next += got;
        left -= (size_t)got;
    }
    return 1;
}

/* A device or pipe cannot be replaced, only written to. */
static bool write_special(const char *path, const void *bytes, size_t size, struct error *error)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && file_write_all(fd, bytes, size);
    if (!good)
        error_set(error, EXIT_USAGE, "cannot write %s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return good;
}

bool file_write(const char *path, const void *bytes, size_t size, struct error *error)
{
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return write_special(path, bytes, size, error);
    char *temporary = memory_format("%s.tmp%d", path, (int)getpid());
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool good = fd >= 0;
    good = good && file_write_all(fd, bytes, size);
    /* Some file systems have no fsync; the close that follows still reports a full disk. */
    good = good && (fsync(fd) == 0 || errno == EINVAL || errno == ENOSYS);
    int saved = errno;
    if (fd >= 0 && close(fd) != 0 && good) {
        good = false;
        saved = errno;
    }
    if (good && rename(temporary, path) != 0) {
        good = false;
        saved = errno;
    }
    if (!good) {
        unlink(temporary);
        error_set(error, EXIT_USAGE, "cannot write %s: %s", path, strerror(saved));
    }
    free(temporary);
    return good;
}

bool file_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

bool file_is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool file_make_directories(const char *path, struct error *error)
{
    char *copy = memory_copy_string(path);
    bool good = true;
    for (char *slash = copy + 1; good; slash++) {
        if (*slash != '/' && *slash != '\0')
            continue;
        char kept = *slash;
        *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            good = error_set(error, EXIT_USAGE, "cannot create directory %s: %s", copy, strerror(errno));
        else if (kept == '\0' && !file_is_directory(copy))
            good = error_set(error, EXIT_USAGE, "%s exists, but is not a directory", copy);
        *slash = kept;
        if (kept == '\0')
            break;
    }
    free(copy);
    return good;
}

bool file_remove_tree(const char *path)
{
    DIR *directory = opendir(path);
    if (directory == NULL)
        return errno == ENOENT;
    bool good = true;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char *child = file_join(path, entry->d_name);
        struct stat status;
        if (lstat(child, &status) == 0 && S_ISDIR(status.st_mode))
            good = file_remove_tree(child) && good;
        else
            good = unlink(child) == 0 && good;
        free(child);
    }
    closedir(directory);
    return rmdir(path) == 0 && good;
}

void file_flush_directory(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

char *file_join(const char *directory, const char *name)
{
    assert(directory != NULL && name != NULL);
    size_t length = strlen(directory);
    bool slash = length > 0 && directory[length - 1] == '/';
    return memory_format("%s%s%s", directory, slash ? "" : "/", name);
}

const char *file_base_name(const char *path)
{
    assert(path != NULL);
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    return *name != '\0' ? name : "program";
}

char *file_absolute(const char *path)
{
    if (path[0] == '/')
        return memory_copy_string(path);
    char *here = getcwd(NULL, 0);
    char *absolute = here != NULL ? file_join(here, path) : memory_copy_string(path);
    free(here);
    return absolute;
}

char *file_find_program(const char *program)
{
    if (strchr(program, '/') != NULL) {
        struct stat status;
        if (stat(program, &status) != 0)
            return NULL;
        if (S_ISDIR(status.st_mode)) {
            errno = EISDIR;
            return NULL;
        }
        return access(program, X_OK) == 0 ? memory_copy_string(program) : NULL;
    }
    const char *path = getenv("PATH");
    if (path == NULL)
        path = "/usr/local/bin:/usr/bin:/bin";
    while (*program != '\0' && *path != '\0') {
        size_t length = strcspn(path, ":");
        char *candidate = memory_format("%.*s%s%s", (int)length, path, length ? "/" : "./", program);
        if (access(candidate, X_OK) == 0 && !file_is_directory(candidate))
            return candidate;
        free(candidate);
        path += length + (path[length] == ':');
    }
    errno = ENOENT;
    return NULL;
}
