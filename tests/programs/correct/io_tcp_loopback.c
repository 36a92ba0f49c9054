// SPDX-License-Identifier: MIT
// io_tcp_loopback.c - a TCP server and a client over loopback, on a port that the kernel chooses.
//
// expect: none
#include "correct.h"

#include <arpa/inet.h>
#include <sys/socket.h>

static struct sockaddr_in address = {.sin_family = AF_INET};
static int listener;

static void *serve(void *unused)
{
    (void)unused;
    char buffer[16];
    int connection = accept(listener, NULL, NULL);
    CHECK(connection >= 0);
    ssize_t length;
    while ((length = recv(connection, buffer, sizeof buffer, 0)) > 0)
        CHECK(send(connection, buffer, (size_t)length, 0) == length);
    CHECK(length == 0 && close(connection) == 0);
    return NULL;
}

int main(void)
{
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 4) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    pthread_t server = start(serve, NULL);
    int client = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(client, (struct sockaddr *)&address, sizeof address) == 0);
    char answer[5] = "";
    CHECK(send(client, "echo", 4, 0) == 4 && recv(client, answer, 4, MSG_WAITALL) == 4);
    CHECK(strcmp(answer, "echo") == 0 && shutdown(client, SHUT_WR) == 0);
    CHECK(recv(client, answer, 4, 0) == 0);
    join(server);
    close(client);
    close(listener);
    return 0;
}
