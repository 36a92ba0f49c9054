/* SPDX-License-Identifier: MIT
 *
 * path.c - calls that change directories: what threads use as locks and signs (a lock file, a made directory, a
 * renamed file). Each is a scheduling point.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/hooks/io.h"

/* PATH_CALL(name, (parameters), (arguments), what it means for others). Making something may be taking a lock. */
#define PATH_CALL(name, parameters, arguments, effects)                                                                \
    REAL_FUNCTION(name);                                                                                               \
    RT_HOOK int name parameters                                                                                        \
    {                                                                                                                  \
        struct task *self = rt_enter();                                                                                \
        if (self == NULL)                                                                                              \
            return REAL(name) arguments;                                                                               \
        struct op op = io_operation(OP_IO_WRITE, -1, CALLER);                                                          \
        op.flags = 0;                                                                                                  \
        io_point(self, &op);                                                                                           \
        int result = REAL(name) arguments;                                                                             \
        return (int)io_finish(self, &op, result < 0 ? -errno : result, effects);                                       \
    }

PATH_CALL(unlink, (const char *path), (path), IO_SENDS)
PATH_CALL(unlinkat, (int directory, const char *path, int flags), (directory, path, flags), IO_SENDS)
PATH_CALL(remove, (const char *path), (path), IO_SENDS)
PATH_CALL(rmdir, (const char *path), (path), IO_SENDS)
PATH_CALL(mkdir, (const char *path, mode_t mode), (path, mode), IO_SENDS | IO_RECEIVES)
PATH_CALL(mkdirat, (int directory, const char *path, mode_t mode), (directory, path, mode), IO_SENDS | IO_RECEIVES)
PATH_CALL(link, (const char *from, const char *to), (from, to), IO_SENDS | IO_RECEIVES)
PATH_CALL(symlink, (const char *from, const char *to), (from, to), IO_SENDS | IO_RECEIVES)
PATH_CALL(rename, (const char *from, const char *to), (from, to), IO_SENDS | IO_RECEIVES)
PATH_CALL(renameat, (int old, const char *from, int new, const char *to), (old, from, new, to), IO_SENDS | IO_RECEIVES)
PATH_CALL(renameat2, (int old, const char *from, int new, const char *to, unsigned flags), (old, from, new, to, flags),
          IO_SENDS | IO_RECEIVES)
