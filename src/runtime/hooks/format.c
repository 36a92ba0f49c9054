/* SPDX-License-Identifier: MIT
 *
 * format.c - the formats of printf and scanf, narrow and wide: what is read and written through their arguments.
 *
 * A format with numbered arguments (%1$s) or conversions that we do not know is not followed any further: of what comes after it nothing is said.
 */
#include <stdarg.h>
#include <wchar.h>

#include "runtime/hooks/pointer.h"

/* ---- one conversion ------------------------------------------------------------------------------------------------------ */

struct conversion {
    char type;     /* 0: the format ends, or is not followed */
    bool assigned; /* scanf: not %*d */
    bool star_width, star_precision, has_precision, allocates;
    int width, precision;
    size_t size; /* of an integer; of a character */
    bool wide_float;
};

/* Characters that mean something in a format are ASCII. */
static char peek(const struct format *format)
{
    if (format->text != NULL)
        return *format->text;
    return *format->wide >= 0 && *format->wide < 128 ? (char)*format->wide : '?';
}

static void skip(struct format *format)
{
    if (format->text != NULL)
        format->text++;
    else
        format->wide++;
}

static bool skip_if(struct format *format, bool expected, char c)
{
    bool is = expected && peek(format) == c;
    if (is)
        skip(format);
    return is;
}

static bool is_one_of(char c, const char *set)
{
    while (*set != '\0' && *set != c)
        set++;
    return c != '\0' && *set == c;
}

static int parse_number(struct format *format)
{
    int number = 0;
    for (; peek(format) >= '0' && peek(format) <= '9'; skip(format))
        number = number < 100000000 ? number * 10 + (peek(format) - '0') : number;
    return number;
}

static void parse_length(struct format *format, struct conversion *c)
{
    c->size = sizeof(int);
    for (;; skip(format)) {
        char length = peek(format);
        if (!is_one_of(length, "hlqjztL"))
            return;
        if (length == 'h')
            c->size = c->size == sizeof(short) ? 1 : sizeof(short);
        else
            c->size = sizeof(long);
        c->wide_float |= length == 'L';
    }
}

/* Up to the bracket that is not the first character. */
static void skip_set(struct format *format)
{
    skip(format);
    skip_if(format, true, '^');
    skip_if(format, true, ']');
    while (peek(format) != '\0' && peek(format) != ']')
        skip(format);
}

/* Passes over text and %%, up to what follows a percent sign.  False: the format has ended. */
static bool skip_text(struct format *format)
{
    for (;; skip(format)) {
        while (peek(format) != '\0' && peek(format) != '%')
            skip(format);
        if (!skip_if(format, true, '%'))
            return false;
        if (peek(format) != '%')
            return true;
    }
}

/* Goes on to the next conversion that has an argument. */
static struct conversion next_conversion(struct format *format, bool input)
{
    struct conversion c = {.assigned = true};
    if (!skip_text(format))
        return c;
    c.assigned = !skip_if(format, input, '*');
    while (!input && is_one_of(peek(format), "-+ #0'"))
        skip(format);
    c.star_width = skip_if(format, !input, '*');
    c.width = parse_number(format);
    c.has_precision = skip_if(format, !input, '.');
    if (c.has_precision) {
        c.star_precision = skip_if(format, true, '*');
        c.precision = parse_number(format);
    }
    c.allocates = skip_if(format, input, 'm');
    parse_length(format, &c);
    c.type = peek(format) != '$' ? peek(format) : '\0';
    if (c.type == 'S' || c.type == 'C') {
        c.size = sizeof(long);
        c.type = c.type == 'S' ? 's' : 'c';
    }
    if (c.type == '[')
        skip_set(format);
    if (peek(format) != '\0')
        skip(format);
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

static bool is_float(char type)
{
    return is_one_of(type, "eEfFgGaA");
}

static void pass_number(va_list list, const struct conversion *c)
{
    if (is_float(c->type) && c->wide_float)
        (void)va_arg(list, long double);
    else if (is_float(c->type))
        (void)va_arg(list, double);
    else if (c->size == sizeof(long) && c->type != 'c')
        (void)va_arg(list, long);
    else
        (void)va_arg(list, int);
}

void format_add_output(struct pointer_call *call, struct format format, va_list arguments)
{
    va_list list;
    va_copy(list, arguments);
    for (;;) {
        struct conversion c = next_conversion(&format, false);
        if (c.star_width)
            (void)va_arg(list, int);
        if (c.star_precision)
            c.precision = va_arg(list, int);
        if (is_one_of(c.type, "snp")) {
            const char *pointer = va_arg(list, const char *);
            if (c.type == 's' && pointer != NULL)
                pointer_add(call, pointer, text_bytes(pointer, &c), ACCESS_READ);
            else if (c.type == 'n')
                pointer_add(call, pointer, c.size, ACCESS_WRITE);
        } else if (is_float(c.type) || is_one_of(c.type, "diuoxXc")) {
            pass_number(list, &c);
        } else if (c.type != 'm') { /* errno */
            break;
        }
    }
    va_end(list);
}

/* What a conversion of scanf has written; 0: not known. */
static size_t input_size(const struct conversion *c, const char *target)
{
    if (is_float(c->type))
        return c->wide_float ? sizeof(long double) : c->size == sizeof(long) ? sizeof(double) : sizeof(float);
    if (c->allocates || c->type == 'p')
        return sizeof(void *);
    if (c->type == 'c')
        return (size_t)(c->width != 0 ? c->width : 1) * (c->size == sizeof(long) ? sizeof(wchar_t) : 1);
    if (c->type == 's' || c->type == '[')
        return text_bytes(target, c);
    return c->size;
}

void format_add_input(struct pointer_call *call, struct format format, va_list arguments, int converted)
{
    va_list list;
    va_copy(list, arguments);
    for (;;) {
        struct conversion c = next_conversion(&format, true);
        if (!is_one_of(c.type, "diouxXeEfFgGaAcs[pn") || (converted <= 0 && c.type != 'n'))
            break;
        if (!c.assigned)
            continue;
        char *target = va_arg(list, char *);
        pointer_add(call, target, input_size(&c, target), ACCESS_WRITE);
        converted -= c.type != 'n';
    }
    va_end(list);
}

/* ---- the format itself ----------------------------------------------------------------------------------------------- */

void format_add_text(struct pointer_call *call, struct format text)
{
    const struct conversion all = {.size = text.text != NULL ? 1 : sizeof(long)};
    const char *at = text.text != NULL ? text.text : (const char *)text.wide;
    pointer_add(call, at, text_bytes(at, &all), ACCESS_READ);
}

void format_read(uintptr_t pc, struct format format, va_list arguments)
{
    struct pointer_call call;
    if (!pointer_begin(&call, pc))
        return;
    format_add_text(&call, format);
    format_add_output(&call, format, arguments);
    pointer_end(&call);
}
