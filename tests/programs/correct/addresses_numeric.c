// SPDX-License-Identifier: MIT
// addresses_numeric.c - getaddrinfo and getnameinfo with numeric hosts, and inet_ntop, from two threads.
//
// expect: none
#include "correct.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

static int finished;

static void *work(void *port)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM}, *found = NULL;
    CHECK(getaddrinfo("127.0.0.1", port, &hints, &found) == 0 && found != NULL);
    char host[64], service[16], text[64];
    CHECK(getnameinfo(found->ai_addr, found->ai_addrlen, host, sizeof host, service, sizeof service,
                      NI_NUMERICHOST | NI_NUMERICSERV) == 0);
    CHECK(strcmp(host, "127.0.0.1") == 0 && strcmp(service, port) == 0);
    struct sockaddr_in *address = (struct sockaddr_in *)found->ai_addr;
    CHECK(inet_ntop(AF_INET, &address->sin_addr, text, sizeof text) == text && strcmp(text, host) == 0);
    freeaddrinfo(found);
    __atomic_fetch_add(&finished, 1, __ATOMIC_RELAXED);
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, "80"), b = start(work, "8080");
    join(a);
    join(b);
    CHECK(finished == 2);
    return 0;
}
