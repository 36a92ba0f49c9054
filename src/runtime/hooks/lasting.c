/* SPDX-License-Identifier: MIT
 *
 * lasting.c - calls that change what the kernel keeps about the process: its directory, its rights, the protection of its memory.
 *
 * They are passed on unchanged.  But restoring memory does not undo them, so the process does not do another run.
 */
#include <grp.h>
#include <mqueue.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include "runtime/checkpoint.h"
#include "runtime/restart.h"
#include "runtime/rt.h"

#define LASTING_BY(forbid, type, name, parameters, arguments)                                                          \
    REAL_FUNCTION(name);                                                                                               \
    RT_HOOK type name parameters                                                                                       \
    {                                                                                                                  \
        forbid(#name);                                                                                                 \
        return REAL(name) arguments;                                                                                   \
    }
#define LASTING(type, name, parameters, arguments) LASTING_BY(restart_forbid, type, name, parameters, arguments)
/* A copy of the process has the change too. */
#define INHERITED(type, name, parameters, arguments) LASTING_BY(restart_forbid_here, type, name, parameters, arguments)
/* A change of a file: the next run begins with it in any case, but it must make it again. */
#define FILE_CHANGE(type, name, parameters, arguments) LASTING_BY(checkpoint_forbid, type, name, parameters, arguments)

/* ---- where it is ----------------------------------------------------------------------------------------------------- */

INHERITED(int, chdir, (const char *path), (path))
INHERITED(int, fchdir, (int fd), (fd))
LASTING(int, chroot, (const char *path), (path))
INHERITED(mode_t, umask, (mode_t mask), (mask))
LASTING(pid_t, setsid, (void), ())
LASTING(pid_t, setpgrp, (void), ())
LASTING(int, unshare, (int flags), (flags))
LASTING(int, setns, (int fd, int type), (fd, type))

/* ---- what it may ------------------------------------------------------------------------------------------------------- */

INHERITED(int, setrlimit, (__rlimit_resource_t resource, const struct rlimit *limit), (resource, limit))
INHERITED(int, setrlimit64, (__rlimit_resource_t resource, const struct rlimit64 *limit), (resource, limit))
INHERITED(int, nice, (int more), (more))
INHERITED(int, personality, (unsigned long persona), (persona))
LASTING(int, setuid, (uid_t user), (user))
LASTING(int, seteuid, (uid_t user), (user))
LASTING(int, setreuid, (uid_t real, uid_t effective), (real, effective))
LASTING(int, setresuid, (uid_t real, uid_t effective, uid_t saved), (real, effective, saved))
LASTING(int, setfsuid, (uid_t user), (user))
LASTING(int, setgid, (gid_t group), (group))
LASTING(int, setegid, (gid_t group), (group))
LASTING(int, setregid, (gid_t real, gid_t effective), (real, effective))
LASTING(int, setresgid, (gid_t real, gid_t effective, gid_t saved), (real, effective, saved))
LASTING(int, setfsgid, (gid_t group), (group))
LASTING(int, setgroups, (size_t count, const gid_t *groups), (count, groups))

/* Reading would be harmless, but calls that only read are rare. */
REAL_FUNCTION(prctl);
RT_HOOK int prctl(int option, ...)
{
    unsigned long a[4];
    va_list arguments;
    va_start(arguments, option);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    if (option != PR_GET_NAME)
        restart_forbid("prctl");
    return REAL(prctl)(option, a[0], a[1], a[2], a[3]);
}

/* ---- its files ---------------------------------------------------------------------------------------------------------- */

FILE_CHANGE(int, truncate, (const char *path, off_t size), (path, size))
FILE_CHANGE(int, truncate64, (const char *path, off64_t size), (path, size))
FILE_CHANGE(int, chmod, (const char *path, mode_t mode), (path, mode))
FILE_CHANGE(int, fchmod, (int fd, mode_t mode), (fd, mode))
FILE_CHANGE(int, mkfifo, (const char *path, mode_t mode), (path, mode))
FILE_CHANGE(int, mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device))
FILE_CHANGE(int, fchmodat, (int directory, const char *path, mode_t mode, int flags), (directory, path, mode, flags))
FILE_CHANGE(int, mkfifoat, (int directory, const char *path, mode_t mode), (directory, path, mode))
FILE_CHANGE(int, mknodat, (int directory, const char *path, mode_t mode, dev_t device), (directory, path, mode, device))
FILE_CHANGE(int, chown, (const char *path, uid_t user, gid_t group), (path, user, group))
FILE_CHANGE(int, lchown, (const char *path, uid_t user, gid_t group), (path, user, group))
FILE_CHANGE(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group))
FILE_CHANGE(int, fchownat, (int directory, const char *path, uid_t user, gid_t group, int flags),
            (directory, path, user, group, flags))
FILE_CHANGE(int, linkat, (int old, const char *from, int new, const char *to, int flags), (old, from, new, to, flags))
FILE_CHANGE(int, symlinkat, (const char *from, int directory, const char *to), (from, directory, to))
FILE_CHANGE(int, utime, (const char *path, const struct utimbuf *times), (path, times))
FILE_CHANGE(int, utimes, (const char *path, const struct timeval times[2]), (path, times))
FILE_CHANGE(int, lutimes, (const char *path, const struct timeval times[2]), (path, times))
FILE_CHANGE(int, futimes, (int fd, const struct timeval times[2]), (fd, times))
FILE_CHANGE(int, setxattr, (const char *path, const char *name, const void *value, size_t size, int flags),
            (path, name, value, size, flags))
FILE_CHANGE(int, lsetxattr, (const char *path, const char *name, const void *value, size_t size, int flags),
            (path, name, value, size, flags))
FILE_CHANGE(int, fsetxattr, (int fd, const char *name, const void *value, size_t size, int flags),
            (fd, name, value, size, flags))
FILE_CHANGE(int, removexattr, (const char *path, const char *name), (path, name))
FILE_CHANGE(int, lremovexattr, (const char *path, const char *name), (path, name))
FILE_CHANGE(int, fremovexattr, (int fd, const char *name), (fd, name))
FILE_CHANGE(int, shm_unlink, (const char *name), (name))
FILE_CHANGE(int, mq_unlink, (const char *name), (name))
FILE_CHANGE(int, mkostemp, (char *pattern, int flags), (pattern, flags))
FILE_CHANGE(int, mkostemp64, (char *pattern, int flags), (pattern, flags))
FILE_CHANGE(int, mkstemps, (char *pattern, int suffix), (pattern, suffix))
FILE_CHANGE(int, mkstemps64, (char *pattern, int suffix), (pattern, suffix))
FILE_CHANGE(int, mkostemps, (char *pattern, int suffix, int flags), (pattern, suffix, flags))
FILE_CHANGE(int, mkostemps64, (char *pattern, int suffix, int flags), (pattern, suffix, flags))
FILE_CHANGE(FILE *, tmpfile, (void), ())
FILE_CHANGE(FILE *, tmpfile64, (void), ())

/* ---- its memory -------------------------------------------------------------------------------------------------------- */

LASTING(int, pkey_mprotect, (void *address, size_t size, int protection, int key), (address, size, protection, key))
LASTING(int, mlock, (const void *address, size_t size), (address, size))
LASTING(int, mlock2, (const void *address, size_t size, unsigned flags), (address, size, flags))
LASTING(int, munlock, (const void *address, size_t size), (address, size))
LASTING(int, mlockall, (int flags), (flags))
LASTING(int, munlockall, (void), ())
LASTING(void *, shmat, (int id, const void *address, int flags), (id, address, flags))
LASTING(int, shmdt, (const void *address), (address))

/* Memory that the run has mapped is unmapped at its end. */
REAL_FUNCTION(mprotect);
RT_HOOK int mprotect(void *address, size_t size, int protection)
{
    if (!restart_has_mapped((uintptr_t)address, size))
        restart_forbid_here("mprotect");
    return REAL(mprotect)(address, size, protection);
}

/* Advice about use changes nothing; giving pages back does not either, for the snapshot has their content. */
static bool advice_lasts(int advice)
{
    return advice != MADV_NORMAL && advice != MADV_RANDOM && advice != MADV_SEQUENTIAL && advice != MADV_WILLNEED &&
           advice != MADV_DONTNEED && advice != MADV_FREE;
}

REAL_FUNCTION(madvise);
RT_HOOK int madvise(void *address, size_t size, int advice)
{
    if (advice_lasts(advice))
        restart_forbid_here("madvise");
    return REAL(madvise)(address, size, advice);
}
