/* SPDX-License-Identifier: MIT
 *
 * file.h - whole files and directories.  Files are first written under another name, flushed and then renamed: a full
 * disk or a kill never leaves half a file under the real name.
 */
#ifndef RADDLE_UTIL_FILE_H
#define RADDLE_UTIL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "util/buffer.h"
#include "util/error.h"

/* Reads a whole file into an empty buffer; more than `limit` bytes is an error.  Errors have code EXIT_USAGE. */
bool file_read(const char *path, size_t limit, struct buffer *into, struct error *error);
/* Writes path.tmp<pid>, fsyncs, renames.  Errors have code EXIT_USAGE (an unwritable place is a matter of configuration). */
bool file_write(const char *path, const void *bytes, size_t size, struct error *error);
bool file_exists(const char *path);
bool file_is_directory(const char *path);
/* mkdir -p */
bool file_make_directories(const char *path, struct error *error);
/* rm -r of a directory that raddle created: plain files and directories below path; symbolic links are not followed. */
bool file_remove_tree(const char *path);
/* fsync of a directory, after a rename into it. */
void file_flush_directory(const char *path);
/* Writes all bytes, also if signals interrupt; false with errno. */
bool file_write_all(int fd, const void *bytes, size_t size);
/* 1: all bytes, 0: end of file before the first, -1: error or short. */
int file_read_all(int fd, void *bytes, size_t size);
/* directory/name; freed by the caller. */
char *file_join(const char *directory, const char *name);
/* Last part of a path; never empty ("program" if there is none). */
const char *file_base_name(const char *path);
/* Absolute form of path against the current directory, links are not resolved.  Freed by the caller. */
char *file_absolute(const char *path);
/* The file that execvp would run for `program`, freed by the caller; NULL if there is none (errno says why). */
char *file_find_program(const char *program);

#endif
