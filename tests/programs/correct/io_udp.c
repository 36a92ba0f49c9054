// SPDX-License-Identifier: MIT
// io_udp.c - datagrams over loopback keep their borders.
//
// expect: none
#include "correct.h"

#include <arpa/inet.h>
#include <sys/socket.h>

static int receiver;

static void *receive(void *unused)
{
    (void)unused;
    char buffer[32];
    int total = 0;
    for (int i = 0; i < 2; i++) {
        ssize_t length = recvfrom(receiver, buffer, sizeof buffer, 0, NULL, NULL);
        CHECK(length == 3 || length == 5);
        total += (int)length;
    }
    CHECK(total == 8);
    return NULL;
}

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    receiver = socket(AF_INET, SOCK_DGRAM, 0);
    CHECK(bind(receiver, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(getsockname(receiver, (struct sockaddr *)&address, &size) == 0);
    pthread_t thread = start(receive, NULL);
    int sender = socket(AF_INET, SOCK_DGRAM, 0);
    CHECK(sendto(sender, "one", 3, 0, (struct sockaddr *)&address, size) == 3);
    CHECK(sendto(sender, "three", 5, 0, (struct sockaddr *)&address, size) == 5);
    join(thread);
    close(sender);
    close(receiver);
    return 0;
}
