// sig.c - a session is freed between the test and the use of its pointer.
// clang-format off
// expect: use-after-free
// says: T[0-9] freed heap#[0-9]+ at sig.c:30 before T[0-9]'s read of heap#[0-9]+.name.* at :38: the read must come before the free
// rows: 30 37 38

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <execinfo.h>
#include <unistd.h>

/* the crash handler that every second project has: prints a backtrace, then lets the default action happen */
static void crash_handler(int sig)
{
    void *frames[32];
    int n = backtrace(frames, 32);
    dprintf(2, "*** crashed with signal %d, %d frames\n", sig, n);
    signal(sig, SIG_DFL);
    raise(sig);
}

struct session { char name[16]; };
static struct session *current;

static void *logout(void *u)
{
    free(current);
    current = NULL;
    return u;
}

static void *show(void *u)
{
    if (current != NULL)
        printf("%s\n", current->name);
    return u;
}

int main(void)
{
    pthread_t a, b;
    signal(SIGSEGV, crash_handler);
    current = malloc(sizeof *current);
    strcpy(current->name, "alice");
    pthread_create(&a, NULL, show, NULL);
    pthread_create(&b, NULL, logout, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
