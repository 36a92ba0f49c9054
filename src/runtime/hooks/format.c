/* SPDX-License-Identifier: MIT
 *
 * format.c - the formats of printf and scanf: what is read and written through their arguments.  And the functions that print to memory or
 * read from it.
 *
 * A format with numbered arguments (%1$s) or conversions that we do not know is not followed any further: of what comes after it nothing is said.
 */
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "runtime/hooks/memory.h"
#include "runtime/hooks/pointer.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* ---- one conversion ------------------------------------------------------------------------------------------------------ */

struct conversion {
    char type;     /* 0: the format ends, or is not followed */
    bool assigned; /* scanf: not %*d */
    bool star_width, star_precision, has_precision, allocates;
    int width, precision;
    size_t size; /* of an integer; of a character */
    bool wide_float;
};

static int parse_number(const char **at)
{
    int number = 0;
    for (; **at >= '0' && **at <= '9'; ++*at)
        number = number < 100000000 ? number * 10 + (**at - '0') : number;
    return number;
}

static void parse_length(const char **at, struct conversion *c)
{
    c->size = sizeof(int);
    for (;; ++*at) {
        switch (**at) {
        case 'h':
            c->size = c->size == sizeof(short) ? 1 : sizeof(short);
            break;
        case 'l':
        case 'q':
        case 'j':
        case 'z':
        case 't':
            c->size = sizeof(long);
            break;
        case 'L':
            c->size = sizeof(long);
            c->wide_float = true;
            break;
        default:
            return;
        }
    }
}

/* Goes on to the next conversion that has an argument. */
static struct conversion next_conversion(const char **format, bool input)
{
    const char *at = *format;
    struct conversion c = {.assigned = true};
    for (;; at++) {
        while (*at != '\0' && *at != '%')
            at++;
        if (*at == '\0')
            return c;
        if (*++at != '%')
            break;
    }
    if (input && *at == '*') {
        c.assigned = false;
        at++;
    }
    while (!input && (*at == '-' || *at == '+' || *at == ' ' || *at == '#' || *at == '0' || *at == '\''))
        at++;
    c.star_width = !input && *at == '*';
    if (c.star_width)
        at++;
    c.width = parse_number(&at);
    if (!input && *at == '.') {
        at++;
        c.has_precision = true;
        c.star_precision = *at == '*';
        if (c.star_precision)
            at++;
        c.precision = parse_number(&at);
    }
    c.allocates = input && *at == 'm';
    if (c.allocates)
        at++;
    parse_length(&at, &c);
    c.type = *at != '$' ? *at : '\0';
    if (c.type == '[') { /* up to the bracket that is not the first character */
        at += at[1] == '^' ? 2 : 1;
        for (at += *at == ']'; *at != '\0' && *at != ']'; at++)
            continue;
    }
    *format = *at != '\0' ? at + 1 : at;
    return c;
}

static size_t text_bytes(const char *text, const struct conversion *c)
{
    size_t length = 0, limit = c->has_precision && c->precision >= 0 ? (size_t)c->precision : SIZE_MAX;
    if (c->size == sizeof(long)) {
        while (length < limit && ((const volatile wchar_t *)text)[length] != L'\0')
            length++;
        return (length < limit ? length + 1 : length) * sizeof(wchar_t);
    }
    while (length < limit && ((const volatile char *)text)[length] != '\0')
        length++;
    return length < limit ? length + 1 : length;
}

void format_add_output(struct pointer_call *call, const char *format, va_list arguments)
{
    va_list list;
    va_copy(list, arguments);
    for (;;) {
        struct conversion c = next_conversion(&format, false);
        if (c.type == '\0')
            break;
        if (c.star_width)
            (void)va_arg(list, int);
        if (c.star_precision)
            c.precision = va_arg(list, int);
        if (c.type == 's' || c.type == 'n' || c.type == 'p' || c.type == 'S') {
            const char *pointer = va_arg(list, const char *);
            if (c.type == 'S')
                c.size = sizeof(long);
            if ((c.type == 's' || c.type == 'S') && pointer != NULL)
                pointer_add(call, pointer, text_bytes(pointer, &c), ACCESS_READ);
            else if (c.type == 'n')
                pointer_add(call, pointer, c.size, ACCESS_WRITE);
        } else if (c.type == 'm') {
            continue; /* errno */
        } else if ((c.type >= 'e' && c.type <= 'g') || (c.type >= 'E' && c.type <= 'G') || c.type == 'a' ||
                   c.type == 'A') {
            if (c.wide_float)
                (void)va_arg(list, long double);
            else
                (void)va_arg(list, double);
        } else if (c.type == 'd' || c.type == 'i' || c.type == 'u' || c.type == 'o' || c.type == 'x' || c.type == 'X' ||
                   c.type == 'c' || c.type == 'C') {
            if (c.size == sizeof(long) && c.type != 'c')
                (void)va_arg(list, long);
            else
                (void)va_arg(list, int);
        } else {
            break;
        }
    }
    va_end(list);
}

/* What a conversion of scanf has written; 0: not known. */
static size_t input_size(const struct conversion *c, const char *target)
{
    bool is_float =
        (c->type >= 'e' && c->type <= 'g') || (c->type >= 'E' && c->type <= 'G') || c->type == 'a' || c->type == 'A';
    if (is_float)
        return c->wide_float ? sizeof(long double) : c->size == sizeof(long) ? sizeof(double) : sizeof(float);
    if (c->allocates || c->type == 'p')
        return sizeof(void *);
    if (c->type == 'c')
        return (size_t)(c->width != 0 ? c->width : 1) * (c->size == sizeof(long) ? sizeof(wchar_t) : 1);
    if (c->type == 's' || c->type == '[')
        return text_bytes(target, c);
    return c->size;
}

void format_add_input(struct pointer_call *call, const char *format, va_list arguments, int converted)
{
    static const char known[] = "diouxXeEfFgGaAcs[pn";
    va_list list;
    va_copy(list, arguments);
    for (;;) {
        struct conversion c = next_conversion(&format, true);
        bool is_known = false;
        for (const char *k = known; *k != '\0' && c.type != '\0'; k++)
            is_known |= *k == c.type;
        if (!is_known || (converted <= 0 && c.type != 'n'))
            break;
        if (!c.assigned)
            continue;
        char *target = va_arg(list, char *);
        pointer_add(call, target, input_size(&c, target), ACCESS_WRITE);
        converted -= c.type != 'n';
    }
    va_end(list);
}

/* ---- printing to memory ---------------------------------------------------------------------------------------------------- */

static size_t text_size(const char *text)
{
    const struct conversion all = {.size = 1};
    return text_bytes(text, &all);
}

void format_read(uintptr_t pc, const char *format, va_list arguments)
{
    struct pointer_call call;
    if (!pointer_begin(&call, pc))
        return;
    pointer_add(&call, format, text_size(format), ACCESS_READ);
    format_add_output(&call, format, arguments);
    pointer_end(&call);
}

/* Reads the format and what it names; then the text is made by `work`, which sets `result`; `written` bytes of `to`. */
#define PRINT(pc, format, list, work, to, written)                                                                     \
    do {                                                                                                               \
        struct pointer_call call;                                                                                      \
        bool counts = pointer_begin(&call, pc);                                                                        \
        if (counts) {                                                                                                  \
            pointer_add(&call, format, text_size(format), ACCESS_READ);                                                \
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

REAL_FUNCTION(vsnprintf);
REAL_FUNCTION(vsprintf);
REAL_FUNCTION(vasprintf);
typedef int scan_function(const char *text, const char *format, va_list list);
scan_function plain_vsscanf __asm__("vsscanf"), __isoc99_vsscanf; /* the header gives the plain name to the other one */
int plain_sscanf(const char *text, const char *format, ...) __asm__("sscanf");
int __isoc99_sscanf(const char *text, const char *format, ...);
static struct real_function real_plain_vsscanf __attribute__((section("raddle_real"), used)) = {"vsscanf", NULL};
REAL_FUNCTION(__isoc99_vsscanf);
int __vsnprintf_chk(char *to, size_t room, int flag, size_t known, const char *format, va_list list);
int __vsprintf_chk(char *to, int flag, size_t known, const char *format, va_list list);
REAL_FUNCTION(__vsnprintf_chk);
REAL_FUNCTION(__vsprintf_chk);

static int print(uintptr_t pc, char *to, size_t room, const char *format, va_list list)
{
    PRINT(pc, format, list, REAL(vsnprintf)(to, room, format, list), to, written_of(result, room));
}

static int print_all(uintptr_t pc, char *to, const char *format, va_list list)
{
    PRINT(pc, format, list, REAL(vsprintf)(to, format, list), to, written_of(result, SIZE_MAX));
}

static int print_checked(uintptr_t pc, char *to, size_t room, int flag, size_t known, const char *format, va_list list)
{
    PRINT(pc, format, list, REAL(__vsnprintf_chk)(to, room, flag, known, format, list), to, written_of(result, room));
}

static int print_all_checked(uintptr_t pc, char *to, int flag, size_t known, const char *format, va_list list)
{
    PRINT(pc, format, list, REAL(__vsprintf_chk)(to, flag, known, format, list), to, written_of(result, SIZE_MAX));
}

static int print_new(uintptr_t pc, char **to, const char *format, va_list list)
{
    PRINT(pc, format, list, REAL(vasprintf)(to, format, list), to, sizeof *to);
}

static int scan(uintptr_t pc, scan_function *real, const char *text, const char *format, va_list list)
{
    struct pointer_call call;
    if (!pointer_begin(&call, pc))
        return real(text, format, list);
    pointer_add(&call, text, text_size(text), ACCESS_READ);
    pointer_add(&call, format, text_size(format), ACCESS_READ);
    pointer_access(&call);
    va_list again;
    va_copy(again, list);
    errno = call.self->saved_errno;
    int result = real(text, format, list);
    call.self->saved_errno = errno;
    format_add_input(&call, format, again, result);
    va_end(again);
    pointer_end(&call);
    return result;
}

/* A function with a list of arguments, and the one with the arguments themselves. */
#define BOTH(listed, name, parameters, ...)                                                                            \
    RT_HOOK int listed(parameters, const char *format, va_list list)                                                   \
    {                                                                                                                  \
        return __VA_ARGS__;                                                                                            \
    }                                                                                                                  \
    RT_HOOK int name(parameters, const char *format, ...)                                                              \
    {                                                                                                                  \
        va_list list;                                                                                                  \
        va_start(list, format);                                                                                        \
        int made = __VA_ARGS__;                                                                                        \
        va_end(list);                                                                                                  \
        return made;                                                                                                   \
    }
#define P(...) __VA_ARGS__
BOTH(vsnprintf, snprintf, P(char *to, size_t room), print(CALLER, to, room, format, list))
BOTH(vsprintf, sprintf, P(char *to), print_all(CALLER, to, format, list))
BOTH(vasprintf, asprintf, P(char **to), print_new(CALLER, to, format, list))
BOTH(plain_vsscanf, plain_sscanf, P(const char *text), scan(CALLER, REAL(plain_vsscanf), text, format, list))
BOTH(__isoc99_vsscanf, __isoc99_sscanf, P(const char *text), scan(CALLER, REAL(__isoc99_vsscanf), text, format, list))
BOTH(__vsnprintf_chk, __snprintf_chk, P(char *to, size_t room, int flag, size_t known),
     print_checked(CALLER, to, room, flag, known, format, list))
BOTH(__vsprintf_chk, __sprintf_chk, P(char *to, int flag, size_t known),
     print_all_checked(CALLER, to, flag, known, format, list))
BOTH(__vasprintf_chk, __asprintf_chk, P(char **to, int flag), ((void)flag, print_new(CALLER, to, format, list)))
