/* SPDX-License-Identifier: MIT
 *
 * output.c - writes a report to a file or to standard output.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "report/formats.h"
#include "util/file.h"

bool report_output(const char *path, const struct buffer *text, struct error *error)
{
    if (strcmp(path, "-") != 0)
        return file_write(path, buffer_text(text), text->size, error);
    return file_write_all(STDOUT_FILENO, buffer_text(text), text->size) ||
           error_set(error, EXIT_USAGE, "cannot write to standard output: %s", strerror(errno));
}
