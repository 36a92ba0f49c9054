/* SPDX-License-Identifier: MIT
 *
 * stdio_wide.c - stdio functions that write and read wide characters.
 *
 * As those of stdio_output.c and stdio_input.c, with one difference: of a pipe or the like, what reads waits for the first piece of input only.
 */
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "runtime/hooks/pointer.h"
#include "runtime/hooks/stdio.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* ---- writing ------------------------------------------------------------------------------------------------------------ */

int __vfwprintf_chk(FILE *file, int flag, const wchar_t *format, va_list arguments);
REAL_FUNCTION(vfwprintf);
REAL_FUNCTION(__vfwprintf_chk);
REAL_FUNCTION(fputws);

static int print(FILE *file, uintptr_t pc, const wchar_t *format, va_list list)
{
    format_read(pc, FORMAT_WIDE(format), list);
    struct task *self = stdio_begin_output(file, pc, STDIO_SOME);
    int result = REAL(vfwprintf)(file, format, list);
    if (self != NULL)
        stdio_end_output(self, file);
    return result;
}

static int print_checked(FILE *file, uintptr_t pc, int flag, const wchar_t *format, va_list list)
{
    format_read(pc, FORMAT_WIDE(format), list);
    struct task *self = stdio_begin_output(file, pc, STDIO_SOME);
    int result = REAL(__vfwprintf_chk)(file, flag, format, list);
    if (self != NULL)
        stdio_end_output(self, file);
    return result;
}

RT_HOOK int fputws(const wchar_t *restrict text, FILE *restrict file)
{
    struct pointer_call call;
    if (pointer_begin(&call, CALLER)) {
        format_add_text(&call, FORMAT_WIDE(text));
        pointer_end(&call);
    }
    struct task *self = stdio_begin_output(file, CALLER, STDIO_SOME);
    int result = REAL(fputws)(text, file);
    if (self != NULL)
        stdio_end_output(self, file);
    return result;
}

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

typedef int scan_function(FILE *file, const wchar_t *format, va_list list);
scan_function __isoc99_vfwscanf;
REAL_FUNCTION(vfwscanf);
REAL_FUNCTION(__isoc99_vfwscanf);
REAL_FUNCTION(fgetws);

static int scan(scan_function *real, FILE *file, uintptr_t pc, const wchar_t *format, va_list list)
{
    bool failed;
    struct task *self = stdio_begin_input(file, pc, &failed);
    va_list again;
    va_copy(again, list);
    int result = failed ? EOF : real(file, format, list);
    if (self != NULL)
        stdio_end_input(self, file);
    struct pointer_call call;
    if (pointer_begin(&call, pc)) {
        format_add_input(&call, FORMAT_WIDE(format), again, result);
        pointer_end(&call);
    }
    va_end(again);
    return result;
}

RT_HOOK wchar_t *fgetws(wchar_t *restrict to, int room, FILE *restrict file)
{
    bool failed;
    struct task *self = stdio_begin_input(file, CALLER, &failed);
    wchar_t *result = failed ? NULL : REAL(fgetws)(to, room, file);
    if (self != NULL)
        stdio_end_input(self, file);
    struct pointer_call call;
    if (result != NULL && pointer_begin(&call, CALLER)) {
        size_t length = 0;
        while (result[length++] != L'\0')
            continue;
        pointer_add(&call, result, length * sizeof *result, ACCESS_WRITE);
        pointer_end(&call);
    }
    return result;
}

/* ---- the hooks with formats --------------------------------------------------------------------------------------------- */

/* A function with a list of arguments, and the one with the arguments themselves; both with a stream, and without it. */
#define LISTED(listed, name, parameters, ...)                                                                          \
    RT_HOOK int listed(parameters, va_list list)                                                                       \
    {                                                                                                                  \
        return __VA_ARGS__;                                                                                            \
    }                                                                                                                  \
    RT_HOOK int name(parameters, ...)                                                                                  \
    {                                                                                                                  \
        va_list list;                                                                                                  \
        va_start(list, format);                                                                                        \
        int result = __VA_ARGS__;                                                                                      \
        va_end(list);                                                                                                  \
        return result;                                                                                                 \
    }
#define P(...) __VA_ARGS__
LISTED(vfwprintf, fwprintf, P(FILE *file, const wchar_t *format), print(file, CALLER, format, list))
LISTED(vwprintf, wprintf, P(const wchar_t *format), print(stdout, CALLER, format, list))
LISTED(__vfwprintf_chk, __fwprintf_chk, P(FILE *file, int flag, const wchar_t *format),
       print_checked(file, CALLER, flag, format, list))
LISTED(__vwprintf_chk, __wprintf_chk, P(int flag, const wchar_t *format),
       print_checked(stdout, CALLER, flag, format, list))

/* The header gives the plain names to the ones of C99. */
scan_function plain_vfwscanf __asm__("vfwscanf");
int plain_vwscanf(const wchar_t *format, va_list list) __asm__("vwscanf");
int plain_fwscanf(FILE *file, const wchar_t *format, ...) __asm__("fwscanf");
int plain_wscanf(const wchar_t *format, ...) __asm__("wscanf");
LISTED(plain_vfwscanf, plain_fwscanf, P(FILE *file, const wchar_t *format),
       scan(REAL(vfwscanf), file, CALLER, format, list))
LISTED(plain_vwscanf, plain_wscanf, P(const wchar_t *format), scan(REAL(vfwscanf), stdin, CALLER, format, list))
LISTED(__isoc99_vfwscanf, __isoc99_fwscanf, P(FILE *file, const wchar_t *format),
       scan(REAL(__isoc99_vfwscanf), file, CALLER, format, list))
LISTED(__isoc99_vwscanf, __isoc99_wscanf, P(const wchar_t *format),
       scan(REAL(__isoc99_vfwscanf), stdin, CALLER, format, list))
