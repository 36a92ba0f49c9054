// SPDX-License-Identifier: MIT
// loaded.c - a library that is loaded in the run
// build: -ldl
#include "frame.h"

#include <dlfcn.h>

static void before(void)
{
    printf("%s\n", dlopen("libm.so.6", RTLD_NOW | RTLD_NOLOAD) != NULL ? "loaded" : "not loaded");
}

static void after(void)
{
    double (*cosine)(double);
    void *library = dlopen("libm.so.6", RTLD_NOW);
    if (library == NULL)
        abort();
    *(void **)&cosine = dlsym(library, "cos");
    printf("%.3f\n", cosine(1));
}
