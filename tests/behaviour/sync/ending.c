// SPDX-License-Identifier: MIT
// ending.c - what a program says after main: exit handlers, destructors of the program and of a library that it is linked with
// (LINKED), or that it opens (OPENED); and its earlier output that is not yet written.  As a library: -DLIBRARY.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#ifdef LIBRARY

static void handler(void)
{
    puts("exit handler of the library");
}

__attribute__((constructor)) static void begin(void)
{
    atexit(handler);
}

__attribute__((destructor)) static void end(void)
{
    puts("destructor of the library");
}

void say(void);
void say(void)
{
    puts("the library");
}

#else

void say(void);

static void first(void)
{
    puts("exit handler, registered first");
}

static void second(void)
{
    puts("exit handler, registered second");
}

__attribute__((destructor(201))) static void last(void)
{
    printf("destructor, the last, and no end of line");
}

__attribute__((destructor(202))) static void last_but_one(void)
{
    puts("destructor, the last but one");
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

/* Something to be under control. */
static void run_threads(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    run_threads();
    atexit(first);
    atexit(second);
#ifdef WIDE
    fwprintf(stdout, L"wide, and no end of line"); /* what puts says then is lost, as it is without raddle */
#endif
#ifdef LINKED
    say();
#endif
#ifdef OPENED
    void (*function)(void);
    void *library = dlopen("./libending.so", RTLD_NOW);
    *(void **)&function = library != NULL ? dlsym(library, "say") : NULL;
    if (function == NULL)
        return EXIT_FAILURE;
    function();
#endif
    return EXIT_SUCCESS;
}

#endif
