/* server.c - how to test a server: its clients are threads of the same process, and main ends when they have their answers.
 *
 * Two connections are served at a time, and both count visits without a lock.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener, visits;

static void *serve(void *connection)
{
    int fd = (int)(long)connection;
    char byte;
    while (read(fd, &byte, 1) == 1) {
        int seen = visits;
        visits = seen + 1;
        write(fd, &byte, 1);
    }
    close(fd);
    return NULL;
}

static void *accept_all(void *unused)
{
    for (;;) {
        pthread_t thread;
        int fd = accept(listener, NULL, NULL);
        pthread_create(&thread, NULL, serve, (void *)(long)fd);
        pthread_detach(thread);
    }
    return unused;
}

static void *client(void *port)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = (in_port_t)(long)port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char answer;
    assert(connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
    write(fd, "x", 1);
    assert(read(fd, &answer, 1) == 1 && answer == 'x');
    close(fd);
    return NULL;
}

int main(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof any;
    pthread_t server, clients[2];
    listener = socket(AF_INET, SOCK_STREAM, 0);
    bind(listener, (struct sockaddr *)&any, sizeof any); /* port 0: any that is free */
    getsockname(listener, (struct sockaddr *)&any, &size);
    listen(listener, 2);
    pthread_create(&server, NULL, accept_all, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&clients[i], NULL, client, (void *)(long)any.sin_port);
    for (int i = 0; i < 2; i++)
        pthread_join(clients[i], NULL);
    assert(visits == 2);
    return 0;
}
