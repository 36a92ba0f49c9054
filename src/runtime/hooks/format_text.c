/* SPDX-License-Identifier: MIT
 *
 * format_text.c - the functions of the printf and scanf families that print to memory or read from it, narrow and wide.
 */
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "runtime/hooks/memory.h"
#include "runtime/hooks/pointer.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* ---- printing ----------------------------------------------------------------------------------------------------------- */

/* Reads the format and what it names; then the text is made by `work`, which sets `result`; `written` bytes of `to`. */
#define PRINT(pc, format, list, work, to, written)                                                                     \
    do {                                                                                                               \
        struct pointer_call call;                                                                                      \
        bool counts = pointer_begin(&call, pc);                                                                        \
        if (counts) {                                                                                                  \
            format_add_text(&call, format);                                                                            \
            format_add_output(&call, format, list);                                                                    \
            pointer_access(&call);                                                                                     \
            errno = call.self->saved_errno;                                                                            \
        }                                                                                                              \
        int result = work;                                                                                             \
        if (counts) {                                                                                                  \
            call.self->saved_errno = errno;                                                                            \
            pointer_add(&call, to, written, ACCESS_WRITE);                                                             \
            pointer_end(&call);                                                                                        \
        }                                                                                                              \
        return result;                                                                                                 \
    } while (0)

/* How much of the buffer vsnprintf has written. */
static size_t written_of(int result, size_t room)
{
    return result < 0 || room == 0 ? 0 : (size_t)result < room ? (size_t)result + 1 : room;
}

/* vswprintf fails if not all has room; how much of it has been written is not known then. */
static size_t wide_written_of(int result)
{
    return result < 0 ? 0 : ((size_t)result + 1) * sizeof(wchar_t);
}

int __vsnprintf_chk(char *to, size_t room, int flag, size_t known, const char *format, va_list list);
int __vsprintf_chk(char *to, int flag, size_t known, const char *format, va_list list);
int __vswprintf_chk(wchar_t *to, size_t room, int flag, size_t known, const wchar_t *format, va_list list);
REAL_FUNCTION(vsnprintf);
REAL_FUNCTION(vsprintf);
REAL_FUNCTION(vasprintf);
REAL_FUNCTION(vswprintf);
REAL_FUNCTION(__vsnprintf_chk);
REAL_FUNCTION(__vsprintf_chk);
REAL_FUNCTION(__vswprintf_chk);

static int print(uintptr_t pc, char *to, size_t room, const char *format, va_list list)
{
    PRINT(pc, FORMAT(format), list, REAL(vsnprintf)(to, room, format, list), to, written_of(result, room));
}

static int print_all(uintptr_t pc, char *to, const char *format, va_list list)
{
    PRINT(pc, FORMAT(format), list, REAL(vsprintf)(to, format, list), to, written_of(result, SIZE_MAX));
}

static int print_new(uintptr_t pc, char **to, const char *format, va_list list)
{
    PRINT(pc, FORMAT(format), list, REAL(vasprintf)(to, format, list), to, sizeof *to);
}

static int print_wide(uintptr_t pc, wchar_t *to, size_t room, const wchar_t *format, va_list list)
{
    PRINT(pc, FORMAT_WIDE(format), list, REAL(vswprintf)(to, room, format, list), to, wide_written_of(result));
}

static int print_checked(uintptr_t pc, char *to, size_t room, int flag, size_t known, const char *format, va_list list)
{
    PRINT(pc, FORMAT(format), list, REAL(__vsnprintf_chk)(to, room, flag, known, format, list), to,
          written_of(result, room));
}

static int print_all_checked(uintptr_t pc, char *to, int flag, size_t known, const char *format, va_list list)
{
    PRINT(pc, FORMAT(format), list, REAL(__vsprintf_chk)(to, flag, known, format, list), to,
          written_of(result, SIZE_MAX));
}

static int print_wide_checked(uintptr_t pc, wchar_t *to, size_t room, int flag, size_t known, const wchar_t *format,
                              va_list list)
{
    PRINT(pc, FORMAT_WIDE(format), list, REAL(__vswprintf_chk)(to, room, flag, known, format, list), to,
          wide_written_of(result));
}

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

/* Reads the text and the format; then `work` sets `result`, and writes what the format says. */
#define SCAN(pc, text, format, list, work)                                                                             \
    do {                                                                                                               \
        struct pointer_call call;                                                                                      \
        if (!pointer_begin(&call, pc))                                                                                 \
            return work;                                                                                               \
        format_add_text(&call, text);                                                                                  \
        format_add_text(&call, format);                                                                                \
        pointer_access(&call);                                                                                         \
        va_list again;                                                                                                 \
        va_copy(again, list);                                                                                          \
        errno = call.self->saved_errno;                                                                                \
        int result = work;                                                                                             \
        call.self->saved_errno = errno;                                                                                \
        format_add_input(&call, format, again, result);                                                                \
        va_end(again);                                                                                                 \
        pointer_end(&call);                                                                                            \
        return result;                                                                                                 \
    } while (0)

typedef int scan_function(const char *text, const char *format, va_list list);
typedef int scan_wide_function(const wchar_t *text, const wchar_t *format, va_list list);

static int scan(uintptr_t pc, scan_function *real, const char *text, const char *format, va_list list)
{
    SCAN(pc, FORMAT(text), FORMAT(format), list, real(text, format, list));
}

static int scan_wide(uintptr_t pc, scan_wide_function *real, const wchar_t *text, const wchar_t *format, va_list list)
{
    SCAN(pc, FORMAT_WIDE(text), FORMAT_WIDE(format), list, real(text, format, list));
}

/* The headers give the plain names to the other ones. */
scan_function plain_vsscanf __asm__("vsscanf"), __isoc99_vsscanf;
scan_wide_function plain_vswscanf __asm__("vswscanf"), __isoc99_vswscanf;
int plain_sscanf(const char *text, const char *format, ...) __asm__("sscanf");
int plain_swscanf(const wchar_t *text, const wchar_t *format, ...) __asm__("swscanf");
static struct real_function real_plain_vsscanf __attribute__((section("raddle_real"), used)) = {"vsscanf", NULL};
static struct real_function real_plain_vswscanf __attribute__((section("raddle_real"), used)) = {"vswscanf", NULL};
REAL_FUNCTION(__isoc99_vsscanf);
REAL_FUNCTION(__isoc99_vswscanf);

/* ---- the hooks ---------------------------------------------------------------------------------------------------------- */

/* A function with a list of arguments, and the one with the arguments themselves. */
#define BOTH(character, listed, name, parameters, ...)                                                                 \
    RT_HOOK int listed(parameters, const character *format, va_list list)                                              \
    {                                                                                                                  \
        return __VA_ARGS__;                                                                                            \
    }                                                                                                                  \
    RT_HOOK int name(parameters, const character *format, ...)                                                         \
    {                                                                                                                  \
        va_list list;                                                                                                  \
        va_start(list, format);                                                                                        \
        int made = __VA_ARGS__;                                                                                        \
        va_end(list);                                                                                                  \
        return made;                                                                                                   \
    }
#define P(...) __VA_ARGS__
BOTH(char, vsnprintf, snprintf, P(char *to, size_t room), print(CALLER, to, room, format, list))
BOTH(char, vsprintf, sprintf, P(char *to), print_all(CALLER, to, format, list))
BOTH(char, vasprintf, asprintf, P(char **to), print_new(CALLER, to, format, list))
BOTH(wchar_t, vswprintf, swprintf, P(wchar_t *to, size_t room), print_wide(CALLER, to, room, format, list))
BOTH(char, plain_vsscanf, plain_sscanf, P(const char *text), scan(CALLER, REAL(plain_vsscanf), text, format, list))
BOTH(char, __isoc99_vsscanf, __isoc99_sscanf, P(const char *text),
     scan(CALLER, REAL(__isoc99_vsscanf), text, format, list))
BOTH(wchar_t, plain_vswscanf, plain_swscanf, P(const wchar_t *text),
     scan_wide(CALLER, REAL(plain_vswscanf), text, format, list))
BOTH(wchar_t, __isoc99_vswscanf, __isoc99_swscanf, P(const wchar_t *text),
     scan_wide(CALLER, REAL(__isoc99_vswscanf), text, format, list))
BOTH(char, __vsnprintf_chk, __snprintf_chk, P(char *to, size_t room, int flag, size_t known),
     print_checked(CALLER, to, room, flag, known, format, list))
BOTH(char, __vsprintf_chk, __sprintf_chk, P(char *to, int flag, size_t known),
     print_all_checked(CALLER, to, flag, known, format, list))
BOTH(char, __vasprintf_chk, __asprintf_chk, P(char **to, int flag), ((void)flag, print_new(CALLER, to, format, list)))
BOTH(wchar_t, __vswprintf_chk, __swprintf_chk, P(wchar_t *to, size_t room, int flag, size_t known),
     print_wide_checked(CALLER, to, room, flag, known, format, list))
