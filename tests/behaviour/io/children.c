// SPDX-License-Identifier: MIT
// children.c - child processes: waiting for them, pipes to them, locks that they hold.
#include "io.h"

#include <sys/file.h>
#include <sys/wait.h>

static char path[64];
static int locked;

static void *lock_file(void *unused)
{
    (void)unused;
    int fd = open(path, O_RDWR);
    assert(fd >= 0 && flock(fd, LOCK_EX) == 0);
    assert(locked++ == 0);
    usleep(10);
    assert(locked-- == 1);
    assert(flock(fd, LOCK_UN) == 0 && close(fd) == 0);
    return NULL;
}

static void waiting(void)
{
    int go[2], status;
    siginfo_t info;
    assert(pipe(go) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        char byte;
        _exit(read(go[0], &byte, 1) == 1 ? 7 : 1);
    }
    assert(waitpid(pid, &status, WNOHANG) == 0);
    assert(write(go[1], "g", 1) == 1);
    assert(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0 && info.si_pid == pid && info.si_status == 7);
    assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    FAILS(ECHILD, waitpid(pid, &status, 0));
    FAILS(ECHILD, wait(NULL));
}

static void commands(void)
{
    char line[16];
    FILE *command = popen("cat >/dev/null; exit 3", "w");
    assert(fprintf(command, "hello") == 5);
    assert(WEXITSTATUS(pclose(command)) == 3);
    command = popen("echo one; sleep 0.02; echo two", "r");
    assert(fgets(line, sizeof line, command) && strcmp(line, "one\n") == 0);
    assert(fgets(line, sizeof line, command) && strcmp(line, "two\n") == 0);
    assert(fgets(line, sizeof line, command) == NULL);
    assert(pclose(command) == 0);
    assert(WEXITSTATUS(system("exit 5")) == 5);
}

/* A child holds both kinds of locks for a while. */
static void locks_of_a_child(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int ready[2];
    char byte;
    assert(pipe(ready) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        int own = open(path, O_RDWR);
        if (flock(own, LOCK_EX) != 0 || fcntl(own, F_SETLK, &whole) != 0 || write(ready[1], "r", 1) != 1)
            _exit(1);
        usleep(20000);
        _exit(0);
    }
    assert(read(ready[0], &byte, 1) == 1);
    assert(flock(fd, LOCK_EX) == 0);
    assert(fcntl(fd, F_SETLKW, &whole) == 0);
    assert(waitpid(pid, NULL, 0) == pid);
    assert(lockf(fd, F_ULOCK, 0) == 0 && flock(fd, LOCK_UN) == 0);
}

int main(void)
{
    snprintf(path, sizeof path, "locked-XXXXXX");
    int fd = mkstemp(path);
    assert(fd >= 0);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        threads[i] = start(lock_file, NULL);
    for (int i = 0; i < 3; i++)
        finish(threads[i]);
    waiting();
    commands();
    locks_of_a_child(fd);
    unlink(path);
    return 0;
}
