/* SPDX-License-Identifier: MIT
 *
 * real.c - the functions of libc that the hooks replace: REAL(name).
 */
#include <dlfcn.h>

#include "runtime/init.h"
#include "runtime/rt.h"

extern struct real_function __start_raddle_real[], __stop_raddle_real[];

void *real_find(struct real_function *function)
{
    if (function->address == NULL)
        function->address = dlsym(RTLD_NEXT, function->name);
    if (function->address == NULL)
        rt_die("the C library has no function %s", function->name);
    return function->address;
}

/* Looks up all, while nothing is under control.  Some exist only in some libraries: a missing one is no error here. */
void real_find_all(void)
{
    for (struct real_function *f = __start_raddle_real; f < __stop_raddle_real; f++)
        if (f->address == NULL)
            f->address = dlsym(RTLD_NEXT, f->name);
}
