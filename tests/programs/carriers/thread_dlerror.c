// SPDX-License-Identifier: MIT
// thread_dlerror.c - a new thread has no error of dlopen pending, whatever the one before it on the same stack has left
#include "../restart/frame.h"

#include <dlfcn.h>
#include <stdlib.h>

static void *look(void *told)
{
    void *block = malloc(40); /* where it lies depends on what the thread before has given back */
    printf("%s %lx\n", dlerror() == NULL ? "none" : "an error of another thread", (unsigned long)block & 0xffff);
    dlsym(RTLD_DEFAULT, "no such symbol");
    if (told != NULL)
        printf("%s\n", dlerror() != NULL ? "own" : "lost");
    free(block);
    return NULL;
}

static void before(void)
{
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, look, i % 2 ? "told" : NULL);
        pthread_join(thread, NULL);
    }
}

static void after(void)
{
    before();
}
