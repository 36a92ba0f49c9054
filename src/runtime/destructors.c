/* SPDX-License-Identifier: MIT
 *
 * destructors.c - see destructors.h.
 *
 * The loader's own function visits all loaded objects, which costs a new process a dozen page faults in each run.  Destructors of the
 * libraries of the compiler and the C library only free memory that disappears anyway.  If no other libraries are loaded, only the
 * destructors of the program are called, in the loader's order.  The names of the libraries are checked once; after a run, only whether the
 * list is still the same.
 */
#include "runtime/destructors.h"

#include <link.h>

#include "runtime/arch/arch.h"
#include "runtime/rt.h"

static void (*loader_destructors)(void);
static struct { /* the program's */
    void (**array)(void);
    size_t count;
    void (*last)(void);
} own;
static bool program_ends;                  /* its destructors are being run */
static const struct link_map *last_silent; /* at the fork point: last in the list, NULL if some are not */

static const char *base_name(const char *path)
{
    const char *name = path;
    for (; *path != '\0'; path++)
        if (*path == '/')
            name = path + 1;
    return name;
}

/* Whether the name is `stem`, a dot, and anything. */
static bool is_library(const char *name, const char *stem)
{
    while (*stem != '\0')
        if (*name++ != *stem++)
            return false;
    return *name == '.';
}

static bool is_silent(const char *path)
{
    static const char stems[][20] = {"libc",  "libm",       "libgcc_s",        "libpthread",      "libdl",
                                     "librt", "linux-vdso", "ld-linux-x86-64", "ld-linux-aarch64"};
    const char *name = base_name(path);
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (is_library(name, stems[i]))
            return true;
    return false;
}

static void learn_own(const struct link_map *program)
{
    for (const ElfW(Dyn) *entry = program->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_FINI_ARRAY)
            own.array = (void (**)(void))(program->l_addr + entry->d_un.d_ptr);
        else if (entry->d_tag == DT_FINI_ARRAYSZ)
            own.count = entry->d_un.d_val / sizeof *own.array;
        else if (entry->d_tag == DT_FINI)
            own.last = (void (*)(void))(program->l_addr + entry->d_un.d_ptr);
    }
    if (own.last != NULL && arch_is_empty_fini(own.last))
        own.last = NULL;
}

/* The program comes first in the loader's list. */
void destructors_learn(void)
{
    if (_r_debug.r_map != NULL)
        learn_own(_r_debug.r_map);
    last_silent = _r_debug.r_map;
    for (const struct link_map *object = last_silent; object != NULL && last_silent != NULL; object = object->l_next)
        last_silent = object == _r_debug.r_map || is_silent(object->l_name) ? object : NULL;
}

/* A higher version says that there are other lists.  What was loaded since comes at the end. */
static bool all_others_silent(void)
{
    const struct link_map *last = _r_debug.r_version > 1 ? NULL : _r_debug.r_map;
    while (last != NULL && last != last_silent)
        last = last->l_next;
    return last != NULL && last->l_next == NULL;
}

static void run_program_destructors(void)
{
    program_ends = true;
    for (size_t i = own.count; i-- > 0;)
        own.array[i]();
    if (own.last != NULL)
        own.last();
    program_ends = false;
}

/* Runs what an object has registered with atexit and has not been run yet: exit has run all of the program's already, except
   what was registered before libc itself was started. */
void __cxa_finalize(void *object);
REAL_FUNCTION(__cxa_finalize);

RT_HOOK void __cxa_finalize(void *object)
{
    if (!program_ends)
        REAL(__cxa_finalize)(object);
}

static void run_destructors(void)
{
    if (rt.controlled && all_others_silent())
        run_program_destructors();
    else
        loader_destructors();
}

void (*destructors_instead_of(void (*loader)(void)))(void)
{
    loader_destructors = loader;
    return loader != NULL ? run_destructors : NULL;
}
