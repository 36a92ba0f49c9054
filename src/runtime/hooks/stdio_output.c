/* SPDX-License-Identifier: MIT
 *
 * stdio_output.c - stdio functions that write, flush and close.
 */
#include <limits.h>
#include <stdarg.h>

#include "runtime/hooks/filelock.h"
#include "runtime/hooks/inside.h"
#include "runtime/hooks/io.h"
#include "runtime/hooks/pointer.h"
#include "runtime/hooks/stdio.h"
#include "runtime/model/object.h"
#include "runtime/shadow.h"

/* The runtime does not use libc's. */
static size_t text_length(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0')
        length++;
    return length;
}

/* ---- formatted --------------------------------------------------------------------------------------------------- */

int __vfprintf_chk(FILE *file, int flag, const char *format, va_list arguments);
int __vprintf_chk(int flag, const char *format, va_list arguments);
int __fprintf_chk(FILE *file, int flag, const char *format, ...);
int __printf_chk(int flag, const char *format, ...);
REAL_FUNCTION(vfprintf);
REAL_FUNCTION(__vfprintf_chk);

static int print_any(FILE *file, uintptr_t pc, const char *format, va_list arguments)
{
    format_read(pc, FORMAT(format), arguments);
    struct task *self = stdio_begin_output(file, pc, STDIO_SOME);
    int result = REAL(vfprintf)(file, format, arguments);
    if (self != NULL)
        stdio_end_output(self, file);
    return result;
}

static int print_checked(FILE *file, uintptr_t pc, int flag, const char *format, va_list arguments)
{
    format_read(pc, FORMAT(format), arguments);
    struct task *self = stdio_begin_output(file, pc, STDIO_SOME);
    int result = REAL(__vfprintf_chk)(file, flag, format, arguments);
    if (self != NULL)
        stdio_end_output(self, file);
    return result;
}

RT_HOOK int vfprintf(FILE *restrict file, const char *restrict format, va_list arguments)
{
    return print_any(file, CALLER, format, arguments);
}

RT_HOOK int vprintf(const char *restrict format, va_list arguments)
{
    return print_any(stdout, CALLER, format, arguments);
}

RT_HOOK int __vfprintf_chk(FILE *file, int flag, const char *format, va_list arguments)
{
    return print_checked(file, CALLER, flag, format, arguments);
}

RT_HOOK int __vprintf_chk(int flag, const char *format, va_list arguments)
{
    return print_checked(stdout, CALLER, flag, format, arguments);
}

#define WITH_ARGUMENTS(last, call)                                                                                     \
    va_list arguments;                                                                                                 \
    va_start(arguments, last);                                                                                         \
    int result = call;                                                                                                 \
    va_end(arguments);                                                                                                 \
    return result

RT_HOOK int fprintf(FILE *restrict file, const char *restrict format, ...)
{
    WITH_ARGUMENTS(format, print_any(file, CALLER, format, arguments));
}

RT_HOOK int printf(const char *restrict format, ...)
{
    WITH_ARGUMENTS(format, print_any(stdout, CALLER, format, arguments));
}

RT_HOOK int __fprintf_chk(FILE *file, int flag, const char *format, ...)
{
    WITH_ARGUMENTS(format, print_checked(file, CALLER, flag, format, arguments));
}

RT_HOOK int __printf_chk(int flag, const char *format, ...)
{
    WITH_ARGUMENTS(format, print_checked(stdout, CALLER, flag, format, arguments));
}

/* ---- on descriptors ---------------------------------------------------------------------------------------------- */

int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments);
int __dprintf_chk(int fd, int flag, const char *format, ...);
REAL_FUNCTION(vdprintf);
REAL_FUNCTION(__vdprintf_chk);

static struct task *begin_descriptor(int fd, uintptr_t pc, struct op *op)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return NULL;
    *op = io_operation(OP_IO_WRITE, fd, pc);
    if (io_mode(fd, true) != IO_BLOCKING)
        io_point(self, op);
    else
        while (io_await(self, op, POLLOUT, true) != 0)
            continue;
    errno = self->saved_errno;
    return self;
}

static int end_descriptor(struct task *self, struct op *op, int result)
{
    int error = errno;
    if (self == NULL)
        return result;
    io_done(self, op, result < 0 ? -error : result, IO_SENDS);
    self->saved_errno = error;
    rt_leave(self);
    return result;
}

static int vdprintf_from(uintptr_t pc, int fd, const char *format, va_list arguments)
{
    struct op op;
    format_read(pc, FORMAT(format), arguments);
    struct task *self = begin_descriptor(fd, pc, &op);
    return end_descriptor(self, &op, REAL(vdprintf)(fd, format, arguments));
}

static int vdprintf_chk_from(uintptr_t pc, int fd, int flag, const char *format, va_list arguments)
{
    struct op op;
    format_read(pc, FORMAT(format), arguments);
    struct task *self = begin_descriptor(fd, pc, &op);
    return end_descriptor(self, &op, REAL(__vdprintf_chk)(fd, flag, format, arguments));
}

RT_HOOK int vdprintf(int fd, const char *restrict format, va_list arguments)
{
    return vdprintf_from(CALLER, fd, format, arguments);
}

RT_HOOK int dprintf(int fd, const char *restrict format, ...)
{
    WITH_ARGUMENTS(format, vdprintf_from(CALLER, fd, format, arguments));
}

RT_HOOK int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments)
{
    return vdprintf_chk_from(CALLER, fd, flag, format, arguments);
}

RT_HOOK int __dprintf_chk(int fd, int flag, const char *format, ...)
{
    WITH_ARGUMENTS(format, vdprintf_chk_from(CALLER, fd, flag, format, arguments));
}

/* ---- plain ------------------------------------------------------------------------------------------------------- */

REAL_FUNCTION(fputs);
REAL_FUNCTION(puts);
REAL_FUNCTION(fputc);
REAL_FUNCTION(fwrite);
REAL_FUNCTION(perror);

/* The program's text is read. Its length. */
static size_t read_text(const char *text, uintptr_t pc)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return 0;
    size_t length = text_length(text);
    access_range(self, pc, text, length + 1, false);
    rt_leave(self);
    return length;
}

/* More than a pipe is sure to take goes in pieces. */
static size_t write_pieces(const char *data, size_t bytes, FILE *file, uintptr_t pc)
{
    size_t done = 0;
    while (done < bytes) {
        size_t piece = bytes - done < PIPE_BUF ? bytes - done : PIPE_BUF;
        struct task *self = stdio_begin_output(file, pc, piece);
        size_t put = REAL(fwrite)(data + done, 1, piece, file);
        if (self != NULL)
            stdio_end_output(self, file);
        done += put;
        if (put < piece)
            break;
    }
    return done;
}

/* True if the text is so long that it goes in pieces; *result is then what fputs returns. */
static bool put_long_text(const char *text, size_t length, FILE *file, uintptr_t pc, int *result)
{
    if (length <= PIPE_BUF || rt_self == NULL || !stdio_drains_slowly(file))
        return false;
    *result = write_pieces(text, length, file, pc) == length ? 1 : EOF;
    return true;
}

RT_HOOK int fputs(const char *restrict text, FILE *restrict file)
{
    size_t length = read_text(text, CALLER);
    int result;
    if (put_long_text(text, length, file, CALLER, &result))
        return result;
    struct task *self = stdio_begin_output(file, CALLER, length);
    result = REAL(fputs)(text, file);
    if (self != NULL)
        stdio_end_output(self, file);
    return result;
}

RT_HOOK int puts(const char *text)
{
    size_t length = read_text(text, CALLER);
    struct task *self = stdio_begin_output(stdout, CALLER, length + 1);
    int result = REAL(puts)(text);
    if (self != NULL)
        stdio_end_output(self, stdout);
    return result;
}

static int put_character(int character, FILE *file, uintptr_t pc)
{
    struct task *self = stdio_begin_output(file, pc, 1);
    int result = REAL(fputc)(character, file);
    if (self != NULL)
        stdio_end_output(self, file);
    return result;
}

RT_HOOK int fputc(int character, FILE *file)
{
    return put_character(character, file, CALLER);
}

#undef putc
RT_HOOK int putc(int character, FILE *file)
{
    return put_character(character, file, CALLER);
}

int _IO_putc(int character, FILE *file);
RT_HOOK int _IO_putc(int character, FILE *file)
{
    return put_character(character, file, CALLER);
}

#undef putchar
RT_HOOK int putchar(int character)
{
    return put_character(character, stdout, CALLER);
}

RT_HOOK size_t fwrite(const void *restrict data, size_t size, size_t count, FILE *restrict file)
{
    struct task *self = rt_enter();
    size_t bytes;
    if (self == NULL || size == 0 || count == 0 || __builtin_mul_overflow(size, count, &bytes)) {
        if (self != NULL)
            rt_leave(self);
        return REAL(fwrite)(data, size, count, file);
    }
    access_range(self, CALLER, data, bytes, false);
    bool slow = bytes > PIPE_BUF && stdio_drains_slowly(file);
    rt_leave(self);
    if (slow)
        return write_pieces(data, bytes, file, CALLER) / size;
    self = stdio_begin_output(file, CALLER, bytes);
    size_t result = REAL(fwrite)(data, size, count, file);
    if (self != NULL)
        stdio_end_output(self, file);
    return result;
}

RT_HOOK void perror(const char *text)
{
    struct task *self = stdio_begin_output(stderr, CALLER, STDIO_SOME);
    REAL(perror)(text);
    if (self != NULL)
        stdio_end_output(self, stderr);
}

/* ---- flush, open, close ------------------------------------------------------------------------------------------ */

REAL_FUNCTION(fflush);
REAL_FUNCTION(fclose);
REAL_FUNCTION(fopen);

RT_HOOK int fflush(FILE *file)
{
    struct task *self = stdio_begin_output(file, CALLER, STDIO_ALL);
    int result = REAL(fflush)(file);
    if (self != NULL)
        stdio_end_output(self, file);
    return result;
}

RT_HOOK int fclose(FILE *file)
{
    struct task *self = stdio_begin_output(file, CALLER, STDIO_ALL);
    if (self == NULL)
        return REAL(fclose)(file);
    struct op op = io_operation(OP_IO_CLOSE, file->_fileno, CALLER);
    struct object *lock = object_find((uintptr_t)file, OBJECT_FILE);
    if (file->_fileno >= 0)
        io_point(self, &op);
    if (lock != NULL)
        object_drop(lock);
    int result = REAL(fclose)(file);
    int error = errno;
    inside_remove(op.fd);
    filelock_changed();
    io_done(self, &op, result != 0 ? -error : 0, IO_SENDS);
    errno = error;
    stdio_end(self);
    return result;
}

static FILE *open_random(const char *mode)
{
    bool close_on_exec = false;
    for (const char *letter = mode; *letter != '\0'; letter++)
        close_on_exec |= *letter == 'e';
    long fd = random_descriptor(close_on_exec);
    return fd < 0 ? NULL : fdopen((int)fd, "r");
}

static FILE *open_stream(const char *path, const char *mode, uintptr_t pc)
{
    struct task *self = rt_enter();
    if ((self != NULL || (rt.attached && !rt.controlled)) && random_is_device(path) && mode[0] == 'r') {
        FILE *file = open_random(mode);
        if (self != NULL)
            rt_leave(self);
        return file;
    }
    if (self == NULL)
        return REAL(fopen)(path, mode);
    bool creates = mode[0] != 'r';
    struct op op = io_operation(creates ? OP_IO_WRITE : OP_IO_READ, -1, pc);
    bool plus = mode[0] != '\0' && (mode[1] == '+' || (mode[1] != '\0' && mode[2] == '+'));
    bool waits = !plus && io_path_is_pipe(path);
    FILE *file;
    if (waits)
        sched_external_begin(self, "open of a named pipe");
    else
        io_point(self, &op);
    errno = self->saved_errno;
    file = REAL(fopen)(path, mode);
    int error = errno;
    if (waits)
        sched_external_end(self);
    if (file != NULL)
        io_note_opened(file->_fileno);
    io_done(self, &op, file == NULL ? -error : 0, creates ? IO_SENDS | IO_RECEIVES : IO_RECEIVES);
    self->saved_errno = error;
    rt_leave(self);
    return file;
}

RT_HOOK FILE *fopen(const char *restrict path, const char *restrict mode)
{
    return open_stream(path, mode, CALLER);
}

RT_HOOK FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    return open_stream(path, mode, CALLER);
}
