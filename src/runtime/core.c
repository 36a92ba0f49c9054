/* SPDX-License-Identifier: MIT
 *
 * core.c - the runtime's own memory, text formatting, real functions and last words.
 *
 * Nothing here calls libc for memory or output: the program under test may be inside malloc or stdio when we run.
 */
#include "runtime/rt.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/arch/arch.h"
#include "runtime/debug.h"
#include "runtime/init.h"
#include "runtime/restart.h"

RT_TABLE struct rt rt;
__thread struct task *rt_self;
intptr_t rt_errno_distance;

/* ---- memory: bump allocation from big mappings, freed pieces kept per size class ---------------------------------- */

enum { CHUNK = 1 << 20, CLASSES = 64, CLASS_STEP = 16, LARGE = 4096, MIDDLE_SIZES = 16 };

static struct {
    char *next, *end;
    void *free_list[CLASSES + 1]; /* [i]: pieces of i * CLASS_STEP bytes */
    struct {
        size_t size; /* 0: not in use */
        void *free;
    } middle[MIDDLE_SIZES]; /* larger ones that come again and again: clocks of many tasks, frames */
} memory;

/* The list of freed pieces of this size; NULL: they are not kept. */
static void **free_list_of(size_t size)
{
    if (size / CLASS_STEP <= CLASSES)
        return &memory.free_list[size / CLASS_STEP];
    if (size > CHUNK / 4)
        return NULL;
    for (unsigned i = 0; i < MIDDLE_SIZES; i++) {
        if (memory.middle[i].size == 0)
            memory.middle[i].size = size;
        if (memory.middle[i].size == size)
            return &memory.middle[i].free;
    }
    return NULL;
}

static void *map_pages(size_t size)
{
    long address = syscall_raw(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address < 0 && address > -4096)
        rt_die("out of memory: mmap of %lu bytes failed with error %d", (unsigned long)size, (int)-address);
    restart_note_map((uintptr_t)address, size);
    return (void *)address;
}

void *rt_alloc(size_t size)
{
    size = (size + CLASS_STEP - 1) & ~(size_t)(CLASS_STEP - 1);
    void **list = free_list_of(size);
    if (list != NULL && *list != NULL) {
        void **piece = *list;
        *list = *piece;
        for (size_t i = 0; i < size / sizeof(void *); i++)
            piece[i] = NULL;
        return piece;
    }
    if (size > CHUNK / 4)
        return map_pages((size + 4095) & ~(size_t)4095);
    if ((size_t)(memory.end - memory.next) < size) {
        memory.next = map_pages(CHUNK);
        memory.end = memory.next + CHUNK;
    }
    if (size >= LARGE) /* from the other end: small pieces stay close together */
        return memory.end -= size;
    void *result = memory.next;
    memory.next += size;
    return result;
}

void rt_free(void *piece, size_t size)
{
    if (piece == NULL)
        return;
    size = (size + CLASS_STEP - 1) & ~(size_t)(CLASS_STEP - 1);
    void **list = free_list_of(size);
    if (list != NULL) {
        *(void **)piece = *list;
        *list = piece;
    } else if (size > CHUNK / 4) {
        size = (size + 4095) & ~(size_t)4095;
        restart_note_unmap((uintptr_t)piece, size);
        syscall_raw(SYS_munmap, (long)piece, (long)size, 0, 0, 0, 0);
    } /* else of a size that is rare: left where it is */
}

/* ---- text ---------------------------------------------------------------------------------------------------------- */

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

void rt_end_process(int status)
{
    for (;;)
        syscall_raw(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

void rt_die(const char *format, ...)
{
    char text[WIRE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    rt_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    if (rt.wire != NULL) {
        struct wire_result *result = &rt.wire->result;
        rt_format(result->text, sizeof result->text, "%s", text);
        result->end = END_INTERNAL;
        if (debug_wanted)
            debug_stop_end();
    } else {
        size_t length = 0;
        while (text[length] != '\0')
            length++;
        text[length++] = '\n'; /* the terminator's place: not needed any more */
        syscall_raw(SYS_write, 2, (long)"raddle: ", 8, 0, 0, 0);
        syscall_raw(SYS_write, 2, (long)text, (long)length, 0, 0, 0);
    }
    rt_end_process(RT_EXIT_INTERNAL);
}

/* ---- real functions ------------------------------------------------------------------------------------------------ */

extern struct real_function __start_raddle_real[], __stop_raddle_real[];

void *real_find(struct real_function *function)
{
    if (function->address == NULL)
        function->address = dlsym(RTLD_NEXT, function->name);
    if (function->address == NULL)
        rt_die("the C library has no function %s", function->name);
    return function->address;
}

/* All at once, while nothing is under control; some exist only in some libraries. */
void real_find_all(void)
{
    for (struct real_function *f = __start_raddle_real; f < __stop_raddle_real; f++)
        if (f->address == NULL)
            f->address = dlsym(RTLD_NEXT, f->name);
}
