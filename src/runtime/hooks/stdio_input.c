/* SPDX-License-Identifier: MIT
 *
 * stdio_input.c - stdio functions that read.
 *
 * A stream on a regular file is read by libc. On a pipe, socket or terminal a call may need several refills of the
 * buffer, each of which may have to wait: there the functions below take what is buffered, wait for more, and go on,
 * with the stream locked.
 */
#include <stdarg.h>
#include <stdlib.h>

#include "runtime/hooks/pointer.h"
#include "runtime/hooks/stdio.h"
#include "runtime/model/thread.h"
#include "runtime/shadow.h"

REAL_FUNCTION(fgetc);
REAL_FUNCTION(fgets);
REAL_FUNCTION(fread);
REAL_FUNCTION(getdelim);
REAL_FUNCTION(vfscanf);

/* ---- character by character -------------------------------------------------------------------------------------- */

static int get_character(FILE *file, uintptr_t pc)
{
    bool failed;
    struct task *self = stdio_begin_input(file, pc, &failed);
    int result = failed ? EOF : REAL(fgetc)(file);
    if (self != NULL)
        stdio_end_input(self, file);
    return result;
}

RT_HOOK int fgetc(FILE *file)
{
    return get_character(file, CALLER);
}

#undef getc
RT_HOOK int getc(FILE *file)
{
    return get_character(file, CALLER);
}

int _IO_getc(FILE *file);
RT_HOOK int _IO_getc(FILE *file)
{
    return get_character(file, CALLER);
}

#undef getchar
RT_HOOK int getchar(void)
{
    return get_character(stdin, CALLER);
}

/* ---- from slow streams ------------------------------------------------------------------------------------------- */

/* A slow stream that this task reads: NULL if the stream is not slow, or there is no control. */
static struct task *begin_slow(FILE *file, uintptr_t pc)
{
    struct task *self = stdio_begin(file, pc);
    if (self == NULL)
        return NULL;
    if (!stdio_refills_slowly(file)) {
        stdio_end(self);
        return NULL;
    }
    stdio_lock(self, pc, file);
    return self;
}

static void end_slow(struct task *self, FILE *file)
{
    int error = errno;
    stdio_unlock(self, file);
    errno = error;
    stdio_end_input(self, file);
}

/* One character; the task may be cancelled while it waits for it. */
static int next_slow(struct task *self, FILE *file, uintptr_t pc)
{
    int error = stdio_await_input(self, pc, file);
    if (error == ECANCELED) {
        stdio_unlock(self, file);
        thread_cancel_here(self);
    }
    errno = self->saved_errno;
    return error != 0 ? EOF : REAL(fgetc)(file);
}

static size_t read_slow(struct task *self, char *buffer, size_t bytes, FILE *file, uintptr_t pc)
{
    size_t done = 0;
    while (done < bytes) {
        int character = next_slow(self, file, pc); /* fills the buffer with what there is */
        if (character == EOF)
            break;
        buffer[done++] = (char)character;
        size_t ready = stdio_buffered(file);
        if (ready > bytes - done)
            ready = bytes - done;
        done += ready > 0 ? REAL(fread)(buffer + done, 1, ready, file) : 0;
    }
    return done;
}

static char *get_line_slow(struct task *self, char *buffer, int size, FILE *file, uintptr_t pc)
{
    int done = 0, character = 0;
    while (done < size - 1 && character != '\n') {
        character = next_slow(self, file, pc);
        if (character == EOF)
            break;
        buffer[done++] = (char)character;
    }
    if (size > 0 && (done > 0 || size == 1))
        buffer[done] = '\0';
    return (done == 0 && size != 1) || (character == EOF && ferror_unlocked(file)) ? NULL : buffer;
}

/* Room for one more character and the end. */
static bool make_room(char **line, size_t *room, size_t done)
{
    if (*line != NULL && done + 2 <= *room)
        return true;
    size_t more = *room < 120 ? 120 : *room * 2;
    char *bigger = realloc(*line, more); /* the program frees it: from the same heap */
    if (bigger == NULL)
        return false;
    *line = bigger;
    *room = more;
    return true;
}

static ssize_t get_delimited_slow(struct task *self, char **line, size_t *room, int delimiter, FILE *file, uintptr_t pc)
{
    size_t done = 0;
    int character;
    do {
        character = next_slow(self, file, pc);
        if (character == EOF)
            break;
        if (!make_room(line, room, done)) {
            errno = ENOMEM;
            return -1;
        }
        (*line)[done++] = (char)character;
    } while (character != delimiter);
    if (done == 0)
        return -1;
    (*line)[done] = '\0';
    return (ssize_t)done;
}

/* ---- blocks and lines -------------------------------------------------------------------------------------------- */

/* The program's buffer has been filled. */
static void wrote(const void *buffer, size_t size, uintptr_t pc)
{
    struct task *self = size > 0 ? rt_enter() : NULL;
    if (self == NULL)
        return;
    access_range(self, pc, buffer, size, true);
    rt_leave(self);
}

static size_t text_size(const char *text)
{
    size_t size = 0;
    while (text[size++] != '\0')
        continue;
    return size;
}

static size_t read_block(void *buffer, size_t size, size_t count, FILE *file, uintptr_t pc)
{
    size_t bytes, result;
    bool sane = size > 0 && count > 0 && !__builtin_mul_overflow(size, count, &bytes);
    struct task *self = sane ? begin_slow(file, pc) : NULL;
    if (self != NULL) {
        result = read_slow(self, buffer, bytes, file, pc) / size;
        end_slow(self, file);
    } else {
        self = stdio_begin(file, pc);
        result = REAL(fread)(buffer, size, count, file);
        if (self != NULL)
            stdio_end(self);
    }
    wrote(buffer, result * size, pc);
    return result;
}

static char *read_line(char *buffer, int size, FILE *file, uintptr_t pc)
{
    char *result;
    struct task *self = begin_slow(file, pc);
    if (self != NULL) {
        result = get_line_slow(self, buffer, size, file, pc);
        end_slow(self, file);
    } else {
        self = stdio_begin(file, pc);
        result = REAL(fgets)(buffer, size, file);
        if (self != NULL)
            stdio_end(self);
    }
    if (result != NULL && rt_self != NULL)
        wrote(result, text_size(result), pc);
    return result;
}

static ssize_t read_delimited(char **line, size_t *room, int delimiter, FILE *file, uintptr_t pc)
{
    ssize_t result;
    struct task *self = line != NULL && room != NULL ? begin_slow(file, pc) : NULL;
    if (self != NULL) {
        if (*line == NULL)
            *room = 0;
        result = get_delimited_slow(self, line, room, delimiter, file, pc);
        end_slow(self, file);
    } else {
        self = stdio_begin(file, pc);
        result = REAL(getdelim)(line, room, delimiter, file);
        if (self != NULL)
            stdio_end(self);
    }
    if (result > 0 && line != NULL) {
        wrote(line, sizeof *line, pc);
        wrote(room, sizeof *room, pc);
        wrote(*line, (size_t)result + 1, pc);
    }
    return result;
}

RT_HOOK size_t fread(void *restrict buffer, size_t size, size_t count, FILE *restrict file)
{
    return read_block(buffer, size, count, file, CALLER);
}

RT_HOOK char *fgets(char *restrict buffer, int size, FILE *restrict file)
{
    return read_line(buffer, size, file, CALLER);
}

RT_HOOK ssize_t getdelim(char **restrict line, size_t *restrict room, int delimiter, FILE *restrict file)
{
    return read_delimited(line, room, delimiter, file, CALLER);
}

RT_HOOK ssize_t __getdelim(char **restrict line, size_t *restrict room, int delimiter, FILE *restrict file)
{
    return read_delimited(line, room, delimiter, file, CALLER);
}

RT_HOOK ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict file)
{
    return read_delimited(line, room, '\n', file, CALLER);
}

size_t __fread_chk(void *buffer, size_t room, size_t size, size_t count, FILE *file);
char *__fgets_chk(char *buffer, size_t room, int size, FILE *file);
REAL_FUNCTION(__fread_chk);
REAL_FUNCTION(__fgets_chk);

RT_HOOK size_t __fread_chk(void *buffer, size_t room, size_t size, size_t count, FILE *file)
{
    size_t bytes;
    if (__builtin_mul_overflow(size, count, &bytes) || bytes > room)
        return REAL(__fread_chk)(buffer, room, size, count, file); /* ends the program */
    return read_block(buffer, size, count, file, CALLER);
}

RT_HOOK char *__fgets_chk(char *buffer, size_t room, int size, FILE *file)
{
    if (size <= 0 || (size_t)size > room)
        return REAL(__fgets_chk)(buffer, room, size, file);
    return read_line(buffer, size, file, CALLER);
}

/* ---- scanf: waits for the first piece of input only -------------------------------------------------------------- */

int __isoc99_vfscanf(FILE *restrict file, const char *restrict format, va_list arguments);
int __isoc99_vscanf(const char *restrict format, va_list arguments);
int __isoc99_fscanf(FILE *restrict file, const char *restrict format, ...);
int __isoc99_scanf(const char *restrict format, ...);
REAL_FUNCTION(__isoc99_vfscanf);

/* The header gives the plain names to the ones above. */
int plain_vfscanf(FILE *restrict file, const char *restrict format, va_list arguments) __asm__("vfscanf");
int plain_vscanf(const char *restrict format, va_list arguments) __asm__("vscanf");
int plain_fscanf(FILE *restrict file, const char *restrict format, ...) __asm__("fscanf");
int plain_scanf(const char *restrict format, ...) __asm__("scanf");

typedef int scan_function(FILE *restrict, const char *restrict, va_list);

static int scan(scan_function *real, FILE *file, uintptr_t pc, const char *format, va_list arguments)
{
    bool failed;
    struct task *self = stdio_begin_input(file, pc, &failed);
    va_list again;
    va_copy(again, arguments);
    int result = failed ? EOF : real(file, format, arguments);
    if (self != NULL)
        stdio_end_input(self, file);
    struct pointer_call call;
    if (pointer_begin(&call, pc)) {
        format_add_input(&call, FORMAT(format), again, result);
        pointer_end(&call);
    }
    va_end(again);
    return result;
}

#define WITH_ARGUMENTS(call)                                                                                           \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    int result = call;                                                                                                 \
    va_end(arguments);                                                                                                 \
    return result

/* The four of one dialect, by the one of libc that can do the work of all. */
#define SCAN_HOOKS(dialect, real)                                                                                      \
    RT_HOOK int dialect##vfscanf(FILE *restrict file, const char *restrict format, va_list arguments)                  \
    {                                                                                                                  \
        return scan(real, file, CALLER, format, arguments);                                                            \
    }                                                                                                                  \
    RT_HOOK int dialect##vscanf(const char *restrict format, va_list arguments)                                        \
    {                                                                                                                  \
        return scan(real, stdin, CALLER, format, arguments);                                                           \
    }                                                                                                                  \
    RT_HOOK int dialect##fscanf(FILE *restrict file, const char *restrict format, ...)                                 \
    {                                                                                                                  \
        WITH_ARGUMENTS(scan(real, file, CALLER, format, arguments));                                                   \
    }                                                                                                                  \
    RT_HOOK int dialect##scanf(const char *restrict format, ...)                                                       \
    {                                                                                                                  \
        WITH_ARGUMENTS(scan(real, stdin, CALLER, format, arguments));                                                  \
    }

SCAN_HOOKS(plain_, REAL(vfscanf))
SCAN_HOOKS(__isoc99_, REAL(__isoc99_vfscanf))
