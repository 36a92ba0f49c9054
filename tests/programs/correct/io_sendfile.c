// SPDX-License-Identifier: MIT
// io_sendfile.c - sendfile and splice move a file's content to another thread through a socket and a pipe.
//
// expect: none
#include "correct.h"

#include <sys/sendfile.h>
#include <sys/socket.h>

static int sockets[2];

static void *receive(void *unused)
{
    (void)unused;
    char text[16] = "";
    CHECK(recv(sockets[1], text, 10, MSG_WAITALL) == 10 && strcmp(text, "0123456789") == 0);
    return NULL;
}

int main(void)
{
    FILE *file = tmpfile();
    CHECK(fputs("0123456789", file) >= 0 && fflush(file) == 0);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    pthread_t thread = start(receive, NULL);
    off_t offset = 0;
    while (offset < 10)
        CHECK(sendfile(sockets[0], fileno(file), &offset, (size_t)(10 - offset)) > 0);
    join(thread);
    fclose(file);
    close(sockets[0]);
    close(sockets[1]);
    return 0;
}
