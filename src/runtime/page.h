/* SPDX-License-Identifier: MIT
 *
 * page.h - copying, comparing and restoring whole pages, without libc.
 */
#ifndef RADDLE_PAGE_H
#define RADDLE_PAGE_H

#include <stdbool.h>

#include "runtime/arch/arch.h"

enum { PAGE_SIZE = 4096 };

void page_copy(void *to, const void *from);
bool page_differs(const void *a, const void *b);

/* Makes the page equal to its copy.  Writes only where they differ. */
typedef arch_put_back page_put_back;
/* The fastest way that this machine has. */
page_put_back *page_fastest_put_back(void);

#endif
