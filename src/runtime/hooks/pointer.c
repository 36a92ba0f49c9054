/* SPDX-License-Identifier: MIT
 *
 * pointer.c - what libc reads and writes through the program's pointers, as accesses of the program: hooks made from pointer_table.h.
 *
 * DESIGN
 *   Calls from instrumented code only.  What is known before the call is one operation: a scheduling point if any of it is shared, heap checks,
 *   races, events.  What only the call can tell (how far a number goes, how much text was made) follows it as a second one.
 *   The formats of printf and scanf are in format.c.
 */
#include "runtime/hooks/pointer.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fnmatch.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <net/if.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ipc.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <wchar.h>
#include <wordexp.h>

#include "runtime/checkpoint.h"
#include "runtime/hooks/memory.h"
#include "runtime/hooks/pointer_table.h"
#include "runtime/model/time.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* ---- how much --------------------------------------------------------------------------------------------------------- */

static inline size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t text_length(const char *text)
{
    size_t length = 0;
    while (((const volatile char *)text)[length] != '\0')
        length++;
    return length;
}

/* With the terminator; of no text 0. */
static size_t text_size(const char *text)
{
    return text != NULL ? text_length(text) + 1 : 0;
}

/* Up to and with the byte, at most `limit`. */
static size_t bytes_until(const void *memory, int byte, size_t limit)
{
    const volatile unsigned char *at = memory;
    size_t i = 0;
    while (i < limit && at[i++] != (unsigned char)byte)
        continue;
    return i;
}

static size_t wide_bytes(const wchar_t *text)
{
    size_t length = 0;
    if (text == NULL)
        return 0;
    while (((const volatile wchar_t *)text)[length] != L'\0')
        length++;
    return WIDE(length + 1);
}

/* At most `limit` characters, with the terminator if it is among them. */
static size_t wide_some(const wchar_t *text, size_t limit)
{
    size_t length = 0;
    while (length < limit && ((const volatile wchar_t *)text)[length++] != L'\0')
        continue;
    return WIDE(length);
}

/* As far as a comparison looks. */
static size_t wide_common(const wchar_t *a, const wchar_t *b, size_t limit)
{
    size_t i = 0;
    while (i < limit && a[i] == b[i] && a[i] != L'\0')
        i++;
    return WIDE(i < limit ? i + 1 : limit);
}

/* How many characters at the beginning of the text are in the set, or are not. */
static size_t characters(const char *text, const char *set, bool in)
{
    for (size_t i = 0;; i++) {
        bool found = false;
        for (const char *c = set; *c != '\0'; c++)
            found |= *c == text[i];
        if (text[i] == '\0' || found != in)
            return i;
    }
}

/* Where a number in text ends, at the earliest; what may come before it is passed over. */
static const char *number_end(const char *text)
{
    while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
        text++;
    if (*text == '+' || *text == '-')
        text++;
    while (*text >= '0' && *text <= '9')
        text++;
    return text;
}

/* The text of the variable that `name` (or NAME=VALUE) names; NULL: not set. */
static char *environment_entry(const char *name)
{
    size_t length = 0;
    while (name[length] != '\0' && name[length] != '=')
        length++;
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        size_t same = 0;
        while (same < length && (*entry)[same] == name[same])
            same++;
        if (same == length && (*entry)[same] == '=')
            return *entry;
    }
    return NULL;
}

/* ---- a call ------------------------------------------------------------------------------------------------------------ */

bool pointer_begin(struct pointer_call *call, uintptr_t pc)
{
    call->self = memory_enter(pc);
    call->pc = pc;
    call->count = 0;
    return call->self != NULL;
}

void pointer_add(struct pointer_call *call, const void *address, size_t size, unsigned flags)
{
    if (address == NULL || size == 0)
        return;
    if (call->count == ACCESS_SPANS)
        pointer_access(call);
    call->spans[call->count++] = (struct span){(uintptr_t)address, size, flags};
}

void pointer_access(struct pointer_call *call)
{
    unsigned count = call->count;
    call->count = 0;
    access_probe_pc = 0; /* others may run now */
    if (count != 0)
        access_spans(call->self, call->pc, call->spans, count);
    access_probe_pc = call->pc;
}

void pointer_end(struct pointer_call *call)
{
    pointer_access(call);
    memory_leave(call->self);
}

/* ---- the hooks --------------------------------------------------------------------------------------------------------- */

#define READ(address, size)    pointer_add(&call, address, size, ACCESS_READ);
#define WRITTEN(address, size) pointer_add(&call, address, size, ACCESS_WRITE);
#define READ_TEXT(text)        pointer_add(&call, text, text_size(text), ACCESS_READ);
#define READ_SOME(text, most)  pointer_add(&call, text, bytes_until(text, 0, most), ACCESS_READ);
#define CHANGES_FILE(name)     checkpoint_forbid(name);
#define READ_WIDE(text)        pointer_add(&call, text, wide_bytes(text), ACCESS_READ);

/* Before the call and after it.  The accesses of the work itself are the program's: a crash in there is at its call.  Where libc calls the program
   back, the program's code runs outside of the runtime. */
static void call_libc(struct pointer_call *call, bool calls_back)
{
    pointer_access(call);
    if (calls_back)
        memory_leave(call->self);
    else
        errno = call->self->saved_errno;
}

static bool called_libc(struct pointer_call *call, bool calls_back)
{
    if (calls_back)
        return pointer_begin(call, call->pc);
    call->self->saved_errno = errno;
    return true;
}

#define HOOK(calls_back, type, keep, give, name, parameters, arguments, before, after)                                 \
    REAL_FUNCTION(name);                                                                                               \
    RT_HOOK type name parameters                                                                                       \
    {                                                                                                                  \
        struct pointer_call call;                                                                                      \
        if (likely(!pointer_begin(&call, CALLER)))                                                                     \
            return REAL(name) arguments;                                                                               \
        before;                                                                                                        \
        call_libc(&call, calls_back);                                                                                  \
        keep REAL(name) arguments;                                                                                     \
        if (called_libc(&call, calls_back)) {                                                                          \
            after;                                                                                                     \
            pointer_end(&call);                                                                                        \
        }                                                                                                              \
        give;                                                                                                          \
    }

#define ROW(type, ...)      HOOK(false, type, type result =, return result, __VA_ARGS__)
#define CALLBACK(type, ...) HOOK(true, type, type result =, return result, __VA_ARGS__)
#define VOIDS(...)          HOOK(false, void, , return, __VA_ARGS__)
#define VOID_CALLBACK(...)  HOOK(true, void, , return, __VA_ARGS__)

/* clang-format off */
TEXT_FUNCTIONS(ROW)
MORE_TEXT_FUNCTIONS(ROW)
NUMBER_FUNCTIONS(ROW)
WIDE_FUNCTIONS(ROW)
TIME_FUNCTIONS(ROW)
SYSTEM_FUNCTIONS(ROW)
CHECKED_FUNCTIONS(ROW)
PATTERN_FUNCTIONS(ROW)
ENVIRONMENT_FUNCTIONS(ROW)
VOID_FUNCTIONS(VOIDS)
SEARCH_FUNCTIONS(ROW, VOIDS, CALLBACK, VOID_CALLBACK)
CALLBACK_FUNCTIONS(CALLBACK, VOID_CALLBACK)
