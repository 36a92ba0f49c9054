// SPDX-License-Identifier: MIT
// variables_like_functions.c - global variables that have the names of functions of libc, which the program does not use.
//
// Shape: the variables are the program's own; libc goes on calling its own functions, for streams and for threads that end.
//
// expect: none
// build: -fno-builtin
#include <pthread.h>

typedef struct stream FILE;
FILE *fopen(const char *path, const char *mode);
char *fgets(char *line, int size, FILE *file);
int fclose(FILE *file);

int free = 3, read = 1, write, open = 7, close, poll, send, signal, wait, random, malloc = 4;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    free--;
    read++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    char line[100];
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    FILE *file = fopen("/proc/self/stat", "r");
    int good = file != 0 && fgets(line, sizeof line, file) != 0;
    if (file != 0)
        fclose(file);
    return !(good && free == 1 && read == 3 && malloc == 4 && open == 7);
}
