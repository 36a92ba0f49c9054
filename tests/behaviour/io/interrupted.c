// SPDX-License-Identifier: MIT
// interrupted.c - signals and cancellation that come while a call waits.
#include "io.h"

#include <poll.h>

static int fds[2];
static volatile sig_atomic_t handled;

static void handler(int signo)
{
    (void)signo;
    handled = 1;
}

static void *read_byte(void *unused)
{
    (void)unused;
    char byte;
    errno = 0;
    ssize_t got = read(fds[0], &byte, 1);
    assert((got == -1 && errno == EINTR) || (got == 1 && byte == 'z'));
    return (void *)got;
}

static void *nap(void *unused)
{
    (void)unused;
    struct timespec request = {0, 500000000}, rest = {0, 0};
    if (nanosleep(&request, &rest) == -1)
        assert(errno == EINTR && handled && rest.tv_sec == 0 && rest.tv_nsec <= 500000000);
    return NULL;
}

static void *sleep_long(void *unused)
{
    (void)unused;
    sleep(100000);
    return NULL;
}

static void *poll_long(void *unused)
{
    (void)unused;
    struct pollfd one = {fds[0], POLLIN, 0};
    poll(&one, 1, -1);
    return NULL;
}

static void *read_long(void *unused)
{
    (void)unused;
    char byte;
    read(fds[0], &byte, 1) < 0 ? abort() : (void)0;
    return NULL;
}

static void catch (int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    assert(sigaction(SIGUSR1, &action, NULL) == 0);
    handled = 0;
}

int main(void)
{
    char byte;
    assert(pipe(fds) == 0);
    catch (0);
    pthread_t thread = start(read_byte, NULL);
    pthread_kill(thread, SIGUSR1);
    assert(write(fds[1], "z", 1) == 1);
    if (finish(thread) != (void *)1)
        assert(read(fds[0], &byte, 1) == 1);
    assert(handled);

    catch (SA_RESTART);
    thread = start(read_byte, NULL);
    pthread_kill(thread, SIGUSR1);
    assert(write(fds[1], "z", 1) == 1);
    assert(finish(thread) == (void *)1);

    catch (0);
    thread = start(nap, NULL);
    pthread_kill(thread, SIGUSR1);
    finish(thread);

    void *(*waits[])(void *) = {sleep_long, poll_long, read_long};
    for (int i = 0; i < 3; i++) {
        thread = start(waits[i], NULL);
        pthread_cancel(thread);
        void *result = finish(thread);
        assert(result == PTHREAD_CANCELED || i == 0); /* a sleep may be over before it is cancelled */
    }
    return 0;
}
