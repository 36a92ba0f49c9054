/* SPDX-License-Identifier: MIT
 *
 * inside.c - descriptors that connect only the threads of this process.
 *
 * A number alone is not trusted, because libc may have closed and reused it unseen: what /proc says about the
 * descriptor must be what it said when it was made.
 */
#include "runtime/hooks/inside.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/hooks/io.h"
#include "runtime/model/model.h"

enum { INSIDE_DESCRIPTORS = 1024 };

static RT_RARE uint64_t names[INSIDE_DESCRIPTORS]; /* hash of its name in /proc; 0: not inside */
static bool given_up;

/* 0 if it has none. */
static uint64_t name_of(int fd)
{
    char path[32], name[64];
    rt_format(path, sizeof path, "/proc/self/fd/%d", fd);
    long length = RAW(SYS_readlinkat, AT_FDCWD, path, name, sizeof name);
    uint64_t hash = 0xcbf29ce484222325ull;
    for (long i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3ull;
    return length > 0 ? hash : 0;
}

void inside_add(int fd)
{
    if (fd >= 0 && fd < INSIDE_DESCRIPTORS && !given_up)
        names[fd] = name_of(fd);
}

void inside_remove(int fd)
{
    if (fd >= 0 && fd < INSIDE_DESCRIPTORS)
        names[fd] = 0;
}

bool inside_has(int fd)
{
    if (fd < 0 || fd >= INSIDE_DESCRIPTORS || given_up || model_has_children || names[fd] == 0)
        return false;
    return names[fd] == name_of(fd);
}

void inside_give_up(void)
{
    given_up = true;
}

/* ---- how they are made ------------------------------------------------------------------------------------------- */

REAL_FUNCTION(pipe);
REAL_FUNCTION(pipe2);
REAL_FUNCTION(socketpair);
REAL_FUNCTION(eventfd);
REAL_FUNCTION(epoll_create);
REAL_FUNCTION(epoll_create1);
REAL_FUNCTION(dup);
REAL_FUNCTION(signalfd);

static int made(int result, const int *fds, int count)
{
    struct task *self = result < 0 ? NULL : rt_enter();
    if (self == NULL)
        return result;
    for (int i = 0; i < count; i++)
        inside_add(fds[i]);
    rt_leave(self);
    return result;
}

RT_HOOK int pipe(int fds[2])
{
    return made(REAL(pipe)(fds), fds, 2);
}

RT_HOOK int pipe2(int fds[2], int flags)
{
    return made(REAL(pipe2)(fds, flags), fds, 2);
}

RT_HOOK int socketpair(int domain, int type, int protocol, int fds[2])
{
    return made(REAL(socketpair)(domain, type, protocol, fds), fds, 2);
}

RT_HOOK int eventfd(unsigned value, int flags)
{
    int fd = REAL(eventfd)(value, flags);
    return made(fd, &fd, 1);
}

RT_HOOK int epoll_create(int size)
{
    int fd = REAL(epoll_create)(size);
    return made(fd, &fd, 1);
}

RT_HOOK int epoll_create1(int flags)
{
    int fd = REAL(epoll_create1)(flags);
    return made(fd, &fd, 1);
}

/* Not modelled: signals that threads of the program send are kept by model/signal.c, and do not come to it. */
RT_HOOK int signalfd(int fd, const sigset_t *mask, int flags)
{
    int result = REAL(signalfd)(fd, mask, flags);
    struct task *self = result < 0 ? NULL : rt_enter();
    if (self != NULL) {
        sched_uncontrolled("signalfd");
        rt_leave(self);
    }
    return result;
}

RT_HOOK int dup(int fd)
{
    int copy = REAL(dup)(fd);
    bool inside = rt_self != NULL && !task_is_inside(rt_self) && inside_has(fd);
    return inside ? made(copy, &copy, 1) : copy;
}
