// SPDX-License-Identifier: MIT
// process_popen.c - popen in one thread, system in another.
//
// expect: none
// repeats: no (child processes take their own time)
#include "correct.h"

#include <sys/wait.h>

static int finished;

static void *ask(void *unused)
{
    (void)unused;
    char line[32] = "";
    FILE *pipe = popen("echo answer", "r");
    CHECK(pipe != NULL && fgets(line, sizeof line, pipe) != NULL && strcmp(line, "answer\n") == 0);
    CHECK(pclose(pipe) == 0);
    __atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    pthread_t thread = start(ask, NULL);
    int status = system("exit 5");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    join(thread);
    CHECK(finished == 1);
    return 0;
}
