// SPDX-License-Identifier: MIT
// dlopen_threads.c - two threads open the same library and look up functions in it.
//
// expect: none
// build: -ldl
#include "correct.h"

#include <dlfcn.h>

static int finished;

static void *work(void *name)
{
    void *library = dlopen("libm.so.6", RTLD_NOW);
    CHECK(library != NULL);
    double (*function)(double) = NULL;
    *(void **)&function = dlsym(library, name);
    CHECK(function != NULL);
    double x = function(4.0);
    CHECK(x > 0 && x < 60);
    CHECK(dlsym(library, "no_such_function") == NULL && dlerror() != NULL);
    CHECK(dlclose(library) == 0);
    __atomic_fetch_add(&finished, 1, __ATOMIC_RELAXED);
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, "sqrt"), b = start(work, "exp");
    join(a);
    join(b);
    CHECK(finished == 2);
    return 0;
}
