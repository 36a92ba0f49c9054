// SPDX-License-Identifier: MIT
// io_pass_descriptor.c - a descriptor is passed over a socket to another thread.
//
// expect: none
#include "correct.h"

#include <sys/socket.h>

static int sockets[2];

static void *receive(void *unused)
{
    (void)unused;
    char byte, room[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    CHECK(recvmsg(sockets[1], &message, 0) == 1);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    CHECK(header != NULL && header->cmsg_type == SCM_RIGHTS);
    int fd;
    memcpy(&fd, CMSG_DATA(header), sizeof fd);
    CHECK(write(fd, "hello", 5) == 5 && close(fd) == 0);
    return NULL;
}

int main(void)
{
    int ends[2];
    CHECK(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) == 0);
    pthread_t thread = start(receive, NULL);
    char byte = 'x', room[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = "";
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &ends[1], sizeof(int));
    CHECK(sendmsg(sockets[0], &message, 0) == 1 && close(ends[1]) == 0);
    char text[8] = "";
    CHECK(read(ends[0], text, 5) == 5 && strcmp(text, "hello") == 0);
    join(thread);
    CHECK(read(ends[0], text, 5) == 0);
    return 0;
}
