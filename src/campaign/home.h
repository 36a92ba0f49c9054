/* SPDX-License-Identifier: MIT
 *
 * home.h - where the results of a program are: raddle.out/NAME; if that belongs to another program of the same name, raddle.out/NAME-2 and so on.
 *
 * The file `program` in it says whose it is: the real path of the program, without the current directory if it is in there, so that a tree can be
 * moved.  A program that is built again is the same program.
 */
#ifndef RADDLE_CAMPAIGN_HOME_H
#define RADDLE_CAMPAIGN_HOME_H

#include <stdbool.h>

#include "util/error.h"

/* What tells the program from others; fresh.  `path`: the file. */
char *home_program(const char *path);
/* Its directory, which may not exist yet; fresh.  `name`: as the user called it. */
char *home_find(const char *name, const char *path);
/* Says that the directory, which exists, is the program's. */
bool home_claim(const char *home, const char *path, struct error *error);
/* Takes that back if there is nothing else in it. */
void home_leave(const char *home);

#endif
