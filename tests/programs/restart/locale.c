// SPDX-License-Identifier: MIT
// locale.c - the locale, and what libc maps for it
#include "frame.h"

#include <locale.h>

static void before(void)
{
    printf("%s %s\n", setlocale(LC_ALL, NULL), localeconv()->decimal_point);
}

static void after(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    setlocale(LC_NUMERIC, "");
}
