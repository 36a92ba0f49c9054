/* SPDX-License-Identifier: MIT
 *
 * memory.c - memory and string functions of libc as accesses of the program that calls them.
 *
 * DESIGN
 *   Only calls from instrumented code count; all others, and everything while not under control, go directly to libc.  A call
 *   is one operation: one scheduling point if any byte is shared, then all its accesses, then the work.  How far a string
 *   function reads is determined first, with the memory as it is then.
 *   Before libc is ready (these names are used very early) simple loops do the work.
 */
#include "runtime/hooks/memory.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "runtime/init.h"
#include "runtime/oracle/heap.h"
#include "runtime/raw.h"
#include "runtime/record.h"
#include "runtime/rt.h"
#include "runtime/shadow.h"
#include "runtime/tear.h"

void __chk_fail(void) __attribute__((noreturn));
char *__strdup(const char *text);

/* ---- until libc is ready ---------------------------------------------------------------------------------------------- */

static void *early_memmove(void *to, const void *from, size_t size)
{
    if ((uintptr_t)to - (uintptr_t)from < size)
        raw_copy_backward(to, from, size);
    else
        raw_copy(to, from, size);
    return to;
}

static void *early_memset(void *to, int byte, size_t size)
{
    raw_fill(to, byte, size);
    return to;
}

static int early_memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < size; i++)
        if (x[i] != y[i])
            return x[i] - y[i];
    return 0;
}

static void *early_memchr(const void *memory, int byte, size_t size)
{
    const unsigned char *at = memory;
    for (size_t i = 0; i < size; i++)
        if (at[i] == (unsigned char)byte)
            return (void *)(at + i);
    return NULL;
}

static size_t early_strlen(const char *text)
{
    size_t length = 0;
    while (((const volatile char *)text)[length] != '\0')
        length++;
    return length;
}

static size_t early_strnlen(const char *text, size_t limit)
{
    size_t length = 0;
    while (length < limit && ((const volatile char *)text)[length] != '\0')
        length++;
    return length;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* How many characters of both are the same, at most limit; not counting a terminator. */
static size_t common_length(const char *a, const char *b, size_t limit, bool fold)
{
    size_t i = 0;
    while (i < limit && a[i] != '\0' && (a[i] == b[i] || (fold && lower(a[i]) == lower(b[i]))))
        i++;
    return i;
}

static int early_strncmp(const char *a, const char *b, size_t limit)
{
    size_t i = common_length(a, b, limit, false);
    return i == limit ? 0 : (unsigned char)a[i] - (unsigned char)b[i];
}

static int early_strcmp(const char *a, const char *b)
{
    return early_strncmp(a, b, SIZE_MAX);
}

static int early_strncasecmp(const char *a, const char *b, size_t limit)
{
    size_t i = common_length(a, b, limit, true);
    return i == limit ? 0 : (unsigned char)lower(a[i]) - (unsigned char)lower(b[i]);
}

static int early_strcasecmp(const char *a, const char *b)
{
    return early_strncasecmp(a, b, SIZE_MAX);
}

static char *early_strchr(const char *text, int c)
{
    for (;; text++) {
        if (*text == (char)c)
            return (char *)text;
        if (*text == '\0')
            return NULL;
    }
}

static char *early_strrchr(const char *text, int c)
{
    const char *found = NULL;
    do
        if (*text == (char)c)
            found = text;
    while (*text++ != '\0');
    return (char *)found;
}

static char *early_strstr(const char *text, const char *part)
{
    size_t length = early_strlen(part);
    for (;; text++) {
        if (common_length(text, part, length, false) == length)
            return (char *)text;
        if (*text == '\0')
            return NULL;
    }
}

/* ---- libc's, if ready -------------------------------------------------------------------------------------------------- */

/* X(function, early version) */
/* clang-format off */
#define LIBC_FUNCTIONS(X)                                                                                              \
    X(memmove, early_memmove) X(memcpy, early_memmove) X(memset, early_memset) X(memcmp, early_memcmp)                 \
    X(memchr, early_memchr) X(strlen, early_strlen) X(strnlen, early_strnlen) X(strcmp, early_strcmp)                  \
    X(strncmp, early_strncmp) X(strcasecmp, early_strcasecmp) X(strncasecmp, early_strncasecmp)                        \
    X(strchr, early_strchr) X(strrchr, early_strrchr) X(strstr, early_strstr)
/* clang-format on */

#define FIND(f, early)                                                                                                 \
    REAL_FUNCTION(f);                                                                                                  \
    static inline __attribute__((always_inline)) __typeof__(&f) libc_##f(void)                                         \
    {                                                                                                                  \
        return likely(real_##f.address != NULL) ? (__typeof__(&f))real_##f.address : early;                            \
    }
LIBC_FUNCTIONS(FIND)

void memory_resolve(void)
{
#define RESOLVE(f, early) real_find(&real_##f);
    if (real_memcpy.address == NULL) {
        LIBC_FUNCTIONS(RESOLVE)
    }
#undef RESOLVE
}

/* ---- accesses ---------------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) void settle_torn(struct task *self)
{
    task_go_inside(self);
    self->saved_errno = errno;
    tear_finish(self);
    rt_leave(self);
}

/* NULL: not an access of the program's. */
static inline __attribute__((always_inline)) struct task *enter(uintptr_t pc)
{
    struct task *self = rt_self;
    if (likely(self == NULL || task_is_inside(self)))
        return NULL;
    if (unlikely(self->torn != NULL))
        settle_torn(self);
    if (!init_pc_instrumented(pc))
        return NULL;
    task_go_inside(self);
    self->saved_errno = errno;
    access_probe_pc = pc; /* the runtime reads the program's strings */
    return self;
}

/* After the accesses the work itself still accesses the program's memory. */
static void accesses(struct task *self, uintptr_t pc, const struct span *spans, unsigned count)
{
    access_probe_pc = 0; /* other tasks may run now */
    access_spans(self, pc, spans, count);
    access_probe_pc = pc;
}

static void leave(struct task *self)
{
    access_probe_pc = 0;
    rt_leave(self);
}

struct task *memory_enter(uintptr_t pc)
{
    return enter(pc);
}

void memory_leave(struct task *self)
{
    leave(self);
}

static void reads(struct task *self, uintptr_t pc, const void *a, size_t a_size, const void *b, size_t b_size)
{
    struct span spans[] = {{(uintptr_t)a, a_size, ACCESS_READ}, {(uintptr_t)b, b_size, ACCESS_READ}};
    accesses(self, pc, spans, b_size != 0 ? 2 : 1);
}

/* ---- copying and filling ----------------------------------------------------------------------------------------------- */

/* Reads `from`, writes `to`; then `size` bytes are copied.  False: the caller has to do it. */
static bool copy_torn(struct task *self, uintptr_t pc, struct span to, struct span from, size_t size)
{
    struct access access = {.self = self, .pc = pc, .count = 2, .spans = {from, to}};
    void *target = (void *)to.address;
    const void *source = (const void *)from.address;
    access_probe_pc = 0; /* other tasks may run now */
    bool done =
        access_begin(&access, tear_copy_middles(target, source, size)) && tear_copy(&access, target, source, size);
    access_probe_pc = pc;
    return done;
}

static void *copy_under_control(struct task *self, uintptr_t pc, void *to, const void *from, size_t size)
{
    struct span read = {(uintptr_t)from, size, ACCESS_READ}, written = {(uintptr_t)to, size, ACCESS_WRITE};
    if (size != 0 && !copy_torn(self, pc, written, read, size))
        libc_memmove()(to, from, size);
    leave(self);
    return to;
}

static void *fill_under_control(struct task *self, uintptr_t pc, void *to, int byte, size_t size)
{
    struct access access = {.self = self, .pc = pc, .count = 1, .spans = {{(uintptr_t)to, size, ACCESS_WRITE}}};
    access_probe_pc = 0;
    bool done = size == 0 || (access_begin(&access, tear_fill_middles(to, size)) && tear_fill(&access, to, byte, size));
    access_probe_pc = pc;
    if (!done)
        libc_memset()(to, byte, size);
    leave(self);
    return to;
}

void *memory_copy(uintptr_t pc, void *to, const void *from, size_t size)
{
    struct task *self = enter(pc);
    return self != NULL ? copy_under_control(self, pc, to, from, size) : libc_memmove()(to, from, size);
}

void *memory_fill(uintptr_t pc, void *to, int byte, size_t size)
{
    struct task *self = enter(pc);
    return self != NULL ? fill_under_control(self, pc, to, byte, size) : libc_memset()(to, byte, size);
}

RT_HOOK void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    struct task *self = enter(CALLER);
    return unlikely(self != NULL) ? copy_under_control(self, CALLER, to, from, size) : libc_memcpy()(to, from, size);
}

RT_HOOK void *memmove(void *to, const void *from, size_t size)
{
    struct task *self = enter(CALLER);
    return unlikely(self != NULL) ? copy_under_control(self, CALLER, to, from, size) : libc_memmove()(to, from, size);
}

RT_HOOK void *mempcpy(void *restrict to, const void *restrict from, size_t size)
{
    return (char *)memory_copy(CALLER, to, from, size) + size;
}

RT_HOOK void bcopy(const void *from, void *to, size_t size)
{
    memory_copy(CALLER, to, from, size);
}

RT_HOOK void *memset(void *to, int byte, size_t size)
{
    struct task *self = enter(CALLER);
    return unlikely(self != NULL) ? fill_under_control(self, CALLER, to, byte, size) : libc_memset()(to, byte, size);
}

RT_HOOK void bzero(void *to, size_t size)
{
    memory_fill(CALLER, to, 0, size);
}

/* ---- looking ----------------------------------------------------------------------------------------------------------- */

static int compare_under_control(struct task *self, uintptr_t pc, const void *a, const void *b, size_t size)
{
    size_t same = 0;
    while (same < size && ((const char *)a)[same] == ((const char *)b)[same])
        same++;
    if (size != 0) {
        size_t looked = same < size ? same + 1 : size;
        reads(self, pc, a, looked, b, looked);
    }
    int result = libc_memcmp()(a, b, size);
    leave(self);
    return result;
}

RT_HOOK int memcmp(const void *a, const void *b, size_t size)
{
    struct task *self = enter(CALLER);
    return unlikely(self != NULL) ? compare_under_control(self, CALLER, a, b, size) : libc_memcmp()(a, b, size);
}

RT_HOOK int bcmp(const void *a, const void *b, size_t size)
{
    struct task *self = enter(CALLER);
    return unlikely(self != NULL) ? compare_under_control(self, CALLER, a, b, size) : libc_memcmp()(a, b, size);
}

RT_HOOK void *memchr(const void *memory, int byte, size_t size)
{
    struct task *self = enter(CALLER);
    if (likely(self == NULL))
        return libc_memchr()(memory, byte, size);
    const char *found = early_memchr(memory, byte, size);
    if (size != 0)
        reads(self, CALLER, memory, found != NULL ? (size_t)(found - (const char *)memory) + 1 : size, NULL, 0);
    found = libc_memchr()(memory, byte, size);
    leave(self);
    return (void *)found;
}

RT_HOOK size_t strlen(const char *text)
{
    struct task *self = enter(CALLER);
    if (likely(self == NULL))
        return libc_strlen()(text);
    reads(self, CALLER, text, early_strlen(text) + 1, NULL, 0);
    size_t length = libc_strlen()(text);
    leave(self);
    return length;
}

/* Characters of the text that a function with a limit reads, the terminator included. */
static size_t looked_at(const char *text, size_t limit)
{
    size_t length = early_strnlen(text, limit);
    return length < limit ? length + 1 : length;
}

RT_HOOK size_t strnlen(const char *text, size_t limit)
{
    struct task *self = enter(CALLER);
    if (likely(self == NULL))
        return libc_strnlen()(text, limit);
    size_t looked = looked_at(text, limit);
    if (looked != 0)
        reads(self, CALLER, text, looked, NULL, 0);
    size_t length = libc_strnlen()(text, limit);
    leave(self);
    return length;
}

static void compared(struct task *self, uintptr_t pc, const char *a, const char *b, size_t limit, bool fold)
{
    size_t same = common_length(a, b, limit, fold);
    size_t looked = same < limit ? same + 1 : limit;
    if (looked != 0)
        reads(self, pc, a, looked, b, looked);
}

#define COMPARE(name, limit, fold, parameters, arguments)                                                              \
    RT_HOOK int name parameters                                                                                        \
    {                                                                                                                  \
        struct task *self = enter(CALLER);                                                                             \
        if (likely(self == NULL))                                                                                      \
            return libc_##name() arguments;                                                                            \
        compared(self, CALLER, a, b, limit, fold);                                                                     \
        int result = libc_##name() arguments;                                                                          \
        leave(self);                                                                                                   \
        return result;                                                                                                 \
    }
COMPARE(strcmp, SIZE_MAX, false, (const char *a, const char *b), (a, b))
COMPARE(strncmp, size, false, (const char *a, const char *b, size_t size), (a, b, size))
COMPARE(strcasecmp, SIZE_MAX, true, (const char *a, const char *b), (a, b))
COMPARE(strncasecmp, size, true, (const char *a, const char *b, size_t size), (a, b, size))

RT_HOOK char *strchr(const char *text, int c)
{
    struct task *self = enter(CALLER);
    if (likely(self == NULL))
        return libc_strchr()(text, c);
    const char *found = early_strchr(text, c);
    reads(self, CALLER, text, found != NULL ? (size_t)(found - text) + 1 : early_strlen(text) + 1, NULL, 0);
    found = libc_strchr()(text, c);
    leave(self);
    return (char *)found;
}

RT_HOOK char *strrchr(const char *text, int c)
{
    struct task *self = enter(CALLER);
    if (likely(self == NULL))
        return libc_strrchr()(text, c);
    reads(self, CALLER, text, early_strlen(text) + 1, NULL, 0);
    char *found = libc_strrchr()(text, c);
    leave(self);
    return found;
}

RT_HOOK char *strstr(const char *text, const char *part)
{
    struct task *self = enter(CALLER);
    if (likely(self == NULL))
        return libc_strstr()(text, part);
    size_t length = early_strlen(part);
    const char *found = early_strstr(text, part);
    size_t looked = found != NULL ? (size_t)(found - text) + length : early_strlen(text) + 1;
    reads(self, CALLER, part, length + 1, text, looked);
    found = libc_strstr()(text, part);
    leave(self);
    return (char *)found;
}

/* ---- copying strings --------------------------------------------------------------------------------------------------- */

/* After `length` characters have been copied. */
static size_t end_string(char *to, size_t length, bool ends, size_t filled)
{
    if (ends)
        to[length] = '\0';
    if (length < filled)
        libc_memset()(to + length, 0, filled - length);
    return length;
}

static size_t put_string(char *to, const char *from, size_t length, bool ends, size_t filled)
{
    libc_memmove()(to, from, length);
    return end_string(to, length, ends, filled);
}

/* Copies up to `limit` characters to `to`, with a terminator if `ends`; then zeros until `filled` bytes are written.
   The text may be shorter or longer when it is read than when its length was published: what is copied is what is there. */
static size_t copy_string(struct task *self, uintptr_t pc, char *to, const char *from, size_t limit, bool ends,
                          size_t filled)
{
    size_t looked = looked_at(from, limit), length = early_strnlen(from, limit);
    size_t written = length + (ends ? 1 : 0);
    if (filled > written)
        written = filled;
    struct span read = {(uintptr_t)from, looked, ACCESS_READ}, target = {(uintptr_t)to, written, ACCESS_WRITE};
    if (written != 0 && copy_torn(self, pc, target, read, length))
        return end_string(to, length, ends, filled);
    return put_string(to, from, early_strnlen(from, limit), ends, filled);
}

/* The same when not under control: self is NULL and nothing is published. */
static size_t string_to(struct task *self, uintptr_t pc, char *to, const char *from, size_t limit, bool ends,
                        size_t filled)
{
    if (self != NULL) {
        size_t length = copy_string(self, pc, to, from, limit, ends, filled);
        leave(self);
        return length;
    }
    size_t length = limit == SIZE_MAX ? libc_strlen()(from) : libc_strnlen()(from, limit);
    return put_string(to, from, length, ends, filled);
}

RT_HOOK char *strcpy(char *restrict to, const char *restrict from)
{
    string_to(enter(CALLER), CALLER, to, from, SIZE_MAX, true, 0);
    return to;
}

RT_HOOK char *stpcpy(char *restrict to, const char *restrict from)
{
    return to + string_to(enter(CALLER), CALLER, to, from, SIZE_MAX, true, 0);
}

RT_HOOK char *strncpy(char *restrict to, const char *restrict from, size_t size)
{
    string_to(enter(CALLER), CALLER, to, from, size, false, size);
    return to;
}

RT_HOOK char *stpncpy(char *restrict to, const char *restrict from, size_t size)
{
    return to + string_to(enter(CALLER), CALLER, to, from, size, false, size);
}

/* Reads the text up to its end, then writes after it. */
static char *append(struct task *self, uintptr_t pc, char *to, const char *from, size_t limit)
{
    if (self == NULL) {
        string_to(NULL, pc, to + libc_strlen()(to), from, limit, true, 0);
        return to;
    }
    size_t old = early_strlen(to), added = early_strnlen(from, limit);
    struct span spans[] = {{(uintptr_t)to, old + 1, ACCESS_READ},
                           {(uintptr_t)from, looked_at(from, limit), ACCESS_READ},
                           {(uintptr_t)to + old, added + 1, ACCESS_WRITE}};
    accesses(self, pc, spans, 3);
    string_to(NULL, pc, to + early_strlen(to), from, limit, true, 0);
    leave(self);
    return to;
}

RT_HOOK char *strcat(char *restrict to, const char *restrict from)
{
    return append(enter(CALLER), CALLER, to, from, SIZE_MAX);
}

RT_HOOK char *strncat(char *restrict to, const char *restrict from, size_t size)
{
    return append(enter(CALLER), CALLER, to, from, size);
}

static char *duplicate(struct task *self, uintptr_t pc, const char *text, size_t limit)
{
    if (self != NULL)
        reads(self, pc, text, looked_at(text, limit), NULL, 0);
    size_t length = limit == SIZE_MAX ? libc_strlen()(text) : libc_strnlen()(text, limit);
    char *copy = heap_malloc(length + 1, pc);
    if (copy != NULL) {
        libc_memmove()(copy, text, length);
        copy[length] = '\0';
    }
    if (self != NULL) {
        if (copy == NULL)
            self->saved_errno = ENOMEM;
        else
            record_allocation(self, pc, (uintptr_t)copy, length + 1, 1);
        leave(self);
    }
    return copy;
}

RT_HOOK char *strdup(const char *text)
{
    return duplicate(enter(CALLER), CALLER, text, SIZE_MAX);
}

RT_HOOK char *__strdup(const char *text)
{
    return duplicate(enter(CALLER), CALLER, text, SIZE_MAX);
}

RT_HOOK char *strndup(const char *text, size_t size)
{
    return duplicate(enter(CALLER), CALLER, text, size);
}

/* ---- _FORTIFY_SOURCE --------------------------------------------------------------------------------------------------- */

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

static void check_room(size_t needed, size_t room)
{
    if (unlikely(needed > room))
        __chk_fail();
}

RT_HOOK void *__memcpy_chk(void *to, const void *from, size_t size, size_t room)
{
    check_room(size, room);
    return memory_copy(CALLER, to, from, size);
}

RT_HOOK void *__memmove_chk(void *to, const void *from, size_t size, size_t room)
{
    check_room(size, room);
    return memory_copy(CALLER, to, from, size);
}

RT_HOOK void *__mempcpy_chk(void *to, const void *from, size_t size, size_t room)
{
    check_room(size, room);
    return (char *)memory_copy(CALLER, to, from, size) + size;
}

RT_HOOK void *__memset_chk(void *to, int byte, size_t size, size_t room)
{
    check_room(size, room);
    return memory_fill(CALLER, to, byte, size);
}

RT_HOOK char *__strcpy_chk(char *to, const char *from, size_t room)
{
    check_room(libc_strlen()(from) + 1, room);
    string_to(enter(CALLER), CALLER, to, from, SIZE_MAX, true, 0);
    return to;
}

RT_HOOK char *__stpcpy_chk(char *to, const char *from, size_t room)
{
    check_room(libc_strlen()(from) + 1, room);
    return to + string_to(enter(CALLER), CALLER, to, from, SIZE_MAX, true, 0);
}

RT_HOOK char *__strncpy_chk(char *to, const char *from, size_t size, size_t room)
{
    check_room(size, room);
    string_to(enter(CALLER), CALLER, to, from, size, false, size);
    return to;
}

RT_HOOK char *__stpncpy_chk(char *to, const char *from, size_t size, size_t room)
{
    check_room(size, room);
    return to + string_to(enter(CALLER), CALLER, to, from, size, false, size);
}

RT_HOOK char *__strcat_chk(char *to, const char *from, size_t room)
{
    check_room(libc_strlen()(to) + libc_strlen()(from) + 1, room);
    return append(enter(CALLER), CALLER, to, from, SIZE_MAX);
}

RT_HOOK char *__strncat_chk(char *to, const char *from, size_t size, size_t room)
{
    check_room(libc_strlen()(to) + libc_strnlen()(from, size) + 1, room);
    return append(enter(CALLER), CALLER, to, from, size);
}
