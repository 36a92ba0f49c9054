/* SPDX-License-Identifier: MIT
 *
 * format.c - formatting of text, without libc: the program may be inside stdio.
 */
#include <stdarg.h>

#include "runtime/init.h"
#include "runtime/rt.h"

struct output {
    char *next, *end; /* end: room for the terminator is kept */
};

static void put_char(struct output *out, char c)
{
    if (out->next < out->end)
        *out->next++ = c;
}

static void put_number(struct output *out, uint64_t number, unsigned base)
{
    char digits[24];
    int count = 0;
    do {
        digits[count++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    while (count > 0)
        put_char(out, digits[--count]);
}

static void put_conversion(struct output *out, char conversion, bool is_long, va_list *arguments)
{
    switch (conversion) {
    case 's': {
        const char *text = va_arg(*arguments, const char *);
        for (text = text != NULL ? text : "(null)"; *text != '\0'; text++)
            put_char(out, *text);
        break;
    }
    case 'd': {
        long number = is_long ? va_arg(*arguments, long) : va_arg(*arguments, int);
        if (number < 0)
            put_char(out, '-');
        put_number(out, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10);
        break;
    }
    case 'u':
    case 'x':
        put_number(out, is_long ? va_arg(*arguments, unsigned long) : va_arg(*arguments, unsigned),
                   conversion == 'u' ? 10 : 16);
        break;
    case 'p':
        put_char(out, '0');
        put_char(out, 'x');
        put_number(out, (uintptr_t)va_arg(*arguments, void *), 16);
        break;
    case 'c':
        put_char(out, (char)va_arg(*arguments, int));
        break;
    default:
        put_char(out, conversion);
    }
}

void rt_format_list(char *buffer, size_t size, const char *format, va_list arguments)
{
    struct output out = {buffer, buffer + size - 1};
    va_list copy;
    va_copy(copy, arguments);
    for (const char *p = format; *p != '\0'; p++) {
        if (*p != '%') {
            put_char(&out, *p);
            continue;
        }
        p++;
        bool is_long = false;
        while (*p == 'l' || *p == 'z') {
            is_long = true;
            p++;
        }
        if (*p == '\0')
            break;
        put_conversion(&out, *p, is_long, &copy);
    }
    va_end(copy);
    *out.next = '\0';
}

void rt_format(char *buffer, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    rt_format_list(buffer, size, format, arguments);
    va_end(arguments);
}
