/* SPDX-License-Identifier: MIT
 *
 * output.c - the program's input and output.
 */
#include "control/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/log.h"
#include "util/stop.h"

static int reopen(int fd, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, flags | O_CLOEXEC);
}

/* ---- output ----------------------------------------------------------------------------------------------------------- */

bool output_open(struct output *output, const char *name, uint64_t keep_first, uint64_t keep_last, struct error *error)
{
    *output = (struct output){.file = -1, .append = -1, .keep_first = keep_first, .keep_last = keep_last};
    output->file = memfd_create(name, MFD_CLOEXEC);
    if (output->file >= 0)
        output->append = reopen(output->file, O_WRONLY | O_APPEND);
    if (output->append >= 0)
        return true;
    error_set(error, EXIT_UNSUPPORTED,
              "cannot make an anonymous file for the program's %s: %s (raddle needs memfd_create and /proc)", name,
              strerror(errno));
    output_close(output);
    return false;
}

void output_close(struct output *output)
{
    if (output->file >= 0)
        close(output->file);
    if (output->append >= 0)
        close(output->append);
    output->file = output->append = -1;
}

void output_clear(struct output *output)
{
    output->passed_on = 0;
    if (output_size(output) != 0 && ftruncate(output->file, 0) != 0)
        log_verbose("cannot empty the program's output: %s", strerror(errno));
}

uint64_t output_size(const struct output *output)
{
    /* The file offset is not used elsewhere.  lseek is cheaper than fstat; this is called twice per run. */
    off_t size = lseek(output->file, 0, SEEK_END);
    return size > 0 ? (uint64_t)size : 0;
}

void output_trim(struct output *output)
{
    uint64_t size = output_size(output);
    if (size <= output->keep_first + output->keep_last)
        return;
    fallocate(output->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)output->keep_first,
              (off_t)(size - output->keep_first - output->keep_last));
}

static void read_range(int fd, uint64_t from, uint64_t to, struct buffer *into)
{
    while (from < to) {
        size_t size = to - from < 1 << 16 ? (size_t)(to - from) : 1 << 16;
        buffer_reserve(into, size);
        ssize_t got = pread(fd, into->data + into->size, size, (off_t)from);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        into->size += (size_t)got;
        from += (uint64_t)got;
    }
    if (into->data != NULL)
        into->data[into->size] = '\0';
}

void output_read(const struct output *output, struct buffer *into)
{
    uint64_t size = output_size(output);
    uint64_t kept = output->keep_first + output->keep_last;
    if (size <= kept) {
        read_range(output->file, 0, size, into);
        return;
    }
    read_range(output->file, 0, output->keep_first, into);
    buffer_printf(into, "\n[raddle: %" PRIu64 " bytes left out]\n", size - kept);
    read_range(output->file, size - output->keep_last, size, into);
}

void output_pass_on(struct output *output, int fd)
{
    uint64_t size = output_size(output);
    while (output->passed_on < size) {
        char bytes[1 << 16];
        size_t want = size - output->passed_on < sizeof bytes ? (size_t)(size - output->passed_on) : sizeof bytes;
        ssize_t got = pread(output->file, bytes, want, (off_t)output->passed_on);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0 || !file_write_all(fd, bytes, (size_t)got))
            break;
        output->passed_on += (uint64_t)got;
    }
}

/* ---- input ------------------------------------------------------------------------------------------------------------ */

/* Reads a pipe to its end.  It waits until the writer closes the pipe, so after a while a message says so. */
static bool drain(int from, int to, struct error *error)
{
    bool told = false;
    for (;;) {
        struct pollfd wait = {.fd = from, .events = POLLIN};
        int ready = poll(&wait, 1, told ? -1 : 2000);
        if (stop_requested())
            return error_set(error, EXIT_USAGE, "interrupted while reading standard input");
        if (ready == 0 && !told) {
            log_say("reading standard input to its end, for every run to have it; use </dev/null if the program needs "
                    "none");
            told = true;
        }
        if (ready <= 0)
            continue;
        char bytes[1 << 16];
        ssize_t got = read(from, bytes, sizeof bytes);
        if (got == 0)
            return true;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || !file_write_all(to, bytes, (size_t)got))
            return error_set(error, EXIT_USAGE, "cannot read standard input: %s", strerror(errno));
    }
}

bool input_take(struct input *input, struct error *error)
{
    struct stat status;
    *input = (struct input){.file = -1};
    if (fstat(STDIN_FILENO, &status) != 0)
        return true;
    if (S_ISREG(status.st_mode)) {
        input->file = reopen(STDIN_FILENO, O_RDONLY);
        if (input->file < 0)
            input->file = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
        input->is_given = input->file >= 0;
    } else if (S_ISFIFO(status.st_mode)) {
        input->file = memfd_create("stdin", MFD_CLOEXEC);
        if (input->file < 0)
            return error_set(error, EXIT_UNSUPPORTED, "cannot make an anonymous file for standard input: %s",
                             strerror(errno));
        if (!drain(STDIN_FILENO, input->file, error)) {
            input_close(input);
            return false;
        }
        struct stat drained;
        input->is_given = fstat(input->file, &drained) == 0 && drained.st_size > 0;
    }
    return true;
}

bool input_from_file(struct input *input, const char *path, struct error *error)
{
    *input = (struct input){.file = open(path, O_RDONLY | O_CLOEXEC), .is_given = true};
    return input->file >= 0 || error_set(error, EXIT_USAGE, "cannot open %s: %s", path, strerror(errno));
}

void input_close(struct input *input)
{
    if (input->file >= 0)
        close(input->file);
    *input = (struct input){.file = -1};
}

int input_open(const struct input *input)
{
    if (input->file < 0)
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    int fd = reopen(input->file, O_RDONLY);
    return fd >= 0 ? fd : fcntl(input->file, F_DUPFD_CLOEXEC, 3);
}

bool input_read(const struct input *input, size_t limit, struct buffer *into)
{
    struct stat status;
    if (input->file < 0 || fstat(input->file, &status) != 0 || (uint64_t)status.st_size > limit)
        return false;
    read_range(input->file, 0, (uint64_t)status.st_size, into);
    return true;
}
