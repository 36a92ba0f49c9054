/* SPDX-License-Identifier: MIT
 *
 * pointer_table.h - functions of libc that read or write the caller's memory: what of it, and how much.
 *
 * A row: type of the result, name, parameters, arguments, what is accessed (known before the call), what is accessed (known after it, with
 * `result`).  Accesses: READ and WRITTEN (pointer, bytes), READ_TEXT, READ_WIDE (a whole string), READ_SOME (text, at most).  NULL and no
 * bytes at all are no access.  CHANGES_FILE(name): a run that has done it cannot be held (lasting.c).  VOIDS has the functions without a result; CALLBACK and VOID_CALLBACK those that call the program back: its code runs
 * under control, outside of the runtime.
 */
#ifndef RADDLE_HOOKS_POINTER_TABLE_H
#define RADDLE_HOOKS_POINTER_TABLE_H

/* clang-format off */
#define TEXT_FUNCTIONS(ROW) \
    ROW(void *, memccpy, (void *to, const void *from, int c, size_t n), (to, from, c, n), \
        size_t moved = bytes_until(from, c, n); READ(from, moved) WRITTEN(to, moved), ) \
    ROW(void *, memrchr, (const void *s, int c, size_t n), (s, c, n), , \
        READ(result != NULL ? result : s, result != NULL ? n - (size_t)((char *)result - (char *)s) : n)) \
    ROW(void *, memmem, (const void *s, size_t n, const void *part, size_t m), (s, n, part, m), READ(part, m), \
        READ(s, result != NULL ? (size_t)((char *)result - (char *)s) + m : n)) \
    ROW(void *, rawmemchr, (const void *s, int c), (s, c), READ(s, bytes_until(s, c, SIZE_MAX)), ) \
    ROW(char *, strchrnul, (const char *s, int c), (s, c), READ(s, least(bytes_until(s, c, text_size(s)), text_size(s))), ) \
    ROW(char *, strcasestr, (const char *s, const char *part), (s, part), READ_TEXT(part), \
        READ(s, result != NULL ? (size_t)(result - s) + text_length(part) : text_size(s))) \
    ROW(size_t, strspn, (const char *s, const char *set), (s, set), READ(s, characters(s, set, true) + 1) READ_TEXT(set), ) \
    ROW(size_t, strcspn, (const char *s, const char *set), (s, set), READ(s, characters(s, set, false) + 1) READ_TEXT(set), ) \
    ROW(char *, strpbrk, (const char *s, const char *set), (s, set), READ(s, characters(s, set, false) + 1) READ_TEXT(set), ) \
    ROW(int, strcoll, (const char *a, const char *b), (a, b), READ_TEXT(a) READ_TEXT(b), ) \
    ROW(size_t, strxfrm, (char *to, const char *from, size_t n), (to, from, n), READ_TEXT(from), WRITTEN(to, least(result + 1, n))) \
    ROW(char *, strtok_r, (char *s, const char *set, char **rest), (s, set, rest), \
        if (s == NULL) READ(rest, sizeof *rest) READ_TEXT(s != NULL ? s : *rest) READ_TEXT(set), \
        WRITTEN(rest, sizeof *rest) WRITTEN(*rest - 1, result != NULL && *rest == result + text_length(result) + 1)) \
    ROW(char *, __strtok_r, (char *s, const char *set, char **rest), (s, set, rest), \
        if (s == NULL) READ(rest, sizeof *rest) READ_TEXT(s != NULL ? s : *rest) READ_TEXT(set), \
        WRITTEN(rest, sizeof *rest) WRITTEN(*rest - 1, result != NULL && *rest == result + text_length(result) + 1)) \
    ROW(char *, strsep, (char **rest, const char *set), (rest, set), READ(rest, sizeof *rest) READ_TEXT(*rest) READ_TEXT(set), \
        WRITTEN(rest, sizeof *rest) WRITTEN(*rest - 1, *rest != NULL)) \
    ROW(int, __xpg_strerror_r, (int number, char *to, size_t n), (number, to, n), , WRITTEN(to, result == 0 ? text_length(to) + 1 : 0)) \
    ROW(char *, strerror_r, (int number, char *to, size_t n), (number, to, n), , WRITTEN(to, result == to ? text_length(to) + 1 : 0)) \
    ROW(int, getsubopt, (char **option, char *const *tokens, char **value), (option, tokens, value), \
        READ(option, sizeof *option) READ_TEXT(*option), WRITTEN(option, sizeof *option) WRITTEN(value, sizeof *value))

/* The rest of what POSIX lists.  Not here, since they read and write nothing of the caller's themselves: bsearch, whose order function does. */
#define MORE_TEXT_FUNCTIONS(ROW) \
    ROW(char *, strtok, (char *s, const char *set), (s, set), READ_TEXT(set) \
        if (s != NULL) { READ_TEXT(s) char *end = s + characters(s, set, true); end += characters(end, set, false); WRITTEN(end, *end != 0) }, ) \
    ROW(int, strverscmp, (const char *a, const char *b), (a, b), READ_TEXT(a) READ_TEXT(b), ) \
    ROW(int, strcoll_l, (const char *a, const char *b, locale_t how), (a, b, how), READ_TEXT(a) READ_TEXT(b), ) \
    ROW(size_t, strxfrm_l, (char *to, const char *from, size_t n, locale_t how), (to, from, n, how), READ_TEXT(from), \
        WRITTEN(to, least(result + 1, n))) \
    ROW(int, strcasecmp_l, (const char *a, const char *b, locale_t how), (a, b, how), READ_TEXT(a) READ_TEXT(b), ) \
    ROW(size_t, strftime_l, (char *to, size_t n, const char *format, const struct tm *t, locale_t how), (to, n, format, t, how), \
        READ_TEXT(format) READ(t, sizeof *t), WRITTEN(to, result != 0 ? result + 1 : 0)) \
    ROW(int, mblen, (const char *s, size_t n), (s, n), , READ(s, result > 0 ? (size_t)result : 0)) \
    ROW(key_t, ftok, (const char *path, int number), (path, number), READ_TEXT(path), ) \
    ROW(in_addr_t, inet_addr, (const char *s), (s), READ_TEXT(s), )

#define NUMBER(ROW, type, name) \
    ROW(type, name, (const char *s, char **end), (s, end), , char *last = end != NULL ? *end : (char *)number_end(s); \
        READ(s, last - s + 1) WRITTEN(end, sizeof *end))
#define NUMBER_BASE(ROW, type, name) \
    ROW(type, name, (const char *s, char **end, int base), (s, end, base), , char *last = end != NULL ? *end : (char *)number_end(s); \
        READ(s, last - s + 1) WRITTEN(end, sizeof *end))
#define NUMBER_ONLY(ROW, type, name) ROW(type, name, (const char *s), (s), READ(s, number_end(s) - s + 1), )
#define NUMBER_FUNCTIONS(ROW) \
    NUMBER_BASE(ROW, long, strtol) NUMBER_BASE(ROW, unsigned long, strtoul) NUMBER_BASE(ROW, long long, strtoll) \
    NUMBER_BASE(ROW, unsigned long long, strtoull) NUMBER_BASE(ROW, intmax_t, strtoimax) NUMBER_BASE(ROW, uintmax_t, strtoumax) \
    NUMBER(ROW, double, strtod) NUMBER(ROW, float, strtof) NUMBER(ROW, long double, strtold) \
    NUMBER_ONLY(ROW, int, atoi) NUMBER_ONLY(ROW, long, atol) NUMBER_ONLY(ROW, long long, atoll) NUMBER_ONLY(ROW, double, atof) \
    ROW(long, a64l, (const char *s), (s), READ_SOME(s, 6), ) \
    ROW(int, rand_r, (unsigned *seed), (seed), READ(seed, sizeof *seed) WRITTEN(seed, sizeof *seed), ) \
    ROW(double, erand48, (unsigned short state[3]), (state), READ(state, 6) WRITTEN(state, 6), ) \
    ROW(long, nrand48, (unsigned short state[3]), (state), READ(state, 6) WRITTEN(state, 6), ) \
    ROW(long, jrand48, (unsigned short state[3]), (state), READ(state, 6) WRITTEN(state, 6), ) \
    ROW(double, frexp, (double value, int *exponent), (value, exponent), WRITTEN(exponent, sizeof *exponent), ) \
    ROW(double, modf, (double value, double *whole), (value, whole), WRITTEN(whole, sizeof *whole), ) \
    ROW(float, frexpf, (float value, int *exponent), (value, exponent), WRITTEN(exponent, sizeof *exponent), ) \
    ROW(long double, frexpl, (long double value, int *exponent), (value, exponent), WRITTEN(exponent, sizeof *exponent), ) \
    ROW(float, modff, (float value, float *whole), (value, whole), WRITTEN(whole, sizeof *whole), ) \
    ROW(long double, modfl, (long double value, long double *whole), (value, whole), WRITTEN(whole, sizeof *whole), ) \
    ROW(double, remquo, (double a, double b, int *quotient), (a, b, quotient), WRITTEN(quotient, sizeof *quotient), ) \
    ROW(float, remquof, (float a, float b, int *quotient), (a, b, quotient), WRITTEN(quotient, sizeof *quotient), ) \
    ROW(long double, remquol, (long double a, long double b, int *quotient), (a, b, quotient), WRITTEN(quotient, sizeof *quotient), ) \
    ROW(double, lgamma_r, (double value, int *sign), (value, sign), WRITTEN(sign, sizeof *sign), ) \
    ROW(unsigned short *, seed48, (unsigned short state[3]), (state), READ(state, 6), )

#define WIDE(count) ((count) * sizeof(wchar_t))
#define WIDE_TO(found, more) (found != NULL ? (size_t)((char *)found - (char *)s) + WIDE(more) : wide_bytes(s))
#define WIDE_END WRITTEN(end, sizeof *end) READ(s, end != NULL ? (size_t)((char *)*end - (char *)s) + WIDE(1) : WIDE(1))
#define WIDE_NUMBER(ROW, type, name)      ROW(type, name, (const wchar_t *s, wchar_t **end), (s, end), , WIDE_END)
#define WIDE_NUMBER_BASE(ROW, type, name) ROW(type, name, (const wchar_t *s, wchar_t **end, int base), (s, end, base), , WIDE_END)
#define WIDE_APPENDED \
    size_t more = wide_some(from, n); READ(from, more) READ_WIDE(to) \
    WRITTEN((char *)to + wide_bytes(to) - WIDE(1), more + (more == WIDE(n) ? WIDE(1) : 0))
#define WIDE_FUNCTIONS(ROW) \
    WIDE_NUMBER_BASE(ROW, long, wcstol) WIDE_NUMBER_BASE(ROW, unsigned long, wcstoul) WIDE_NUMBER_BASE(ROW, long long, wcstoll) \
    WIDE_NUMBER_BASE(ROW, unsigned long long, wcstoull) WIDE_NUMBER(ROW, double, wcstod) WIDE_NUMBER(ROW, float, wcstof) \
    WIDE_NUMBER(ROW, long double, wcstold) \
    WIDE_NUMBER_BASE(ROW, intmax_t, wcstoimax) WIDE_NUMBER_BASE(ROW, uintmax_t, wcstoumax) \
    ROW(wchar_t *, wcpncpy, (wchar_t *to, const wchar_t *from, size_t n), (to, from, n), \
        READ(from, wide_some(from, n)) WRITTEN(to, WIDE(n)), ) \
    ROW(wchar_t *, wmempcpy, (wchar_t *to, const wchar_t *from, size_t n), (to, from, n), READ(from, WIDE(n)) WRITTEN(to, WIDE(n)), ) \
    ROW(size_t, wcsxfrm, (wchar_t *to, const wchar_t *from, size_t n), (to, from, n), READ_WIDE(from), WRITTEN(to, WIDE(least(result + 1, n)))) \
    ROW(int, wcswidth, (const wchar_t *s, size_t n), (s, n), READ(s, wide_some(s, n)), ) \
    ROW(size_t, mbsnrtowcs, (wchar_t *to, const char **from, size_t bytes, size_t n, mbstate_t *state), (to, from, bytes, n, state), \
        READ(from, sizeof *from) READ_SOME(*from, bytes) READ(state, sizeof *state), \
        WRITTEN(to, result != (size_t)-1 ? WIDE(least(result, n)) : 0) WRITTEN(from, to != NULL ? sizeof *from : 0) \
        WRITTEN(state, sizeof *state)) \
    ROW(size_t, wcsnrtombs, (char *to, const wchar_t **from, size_t count, size_t n, mbstate_t *state), (to, from, count, n, state), \
        READ(from, sizeof *from) READ(*from, wide_some(*from, count)) READ(state, sizeof *state), \
        WRITTEN(to, result != (size_t)-1 ? least(result, n) : 0) WRITTEN(from, to != NULL ? sizeof *from : 0) \
        WRITTEN(state, sizeof *state)) \
    ROW(wchar_t *, wcsdup, (const wchar_t *s), (s), READ_WIDE(s), ) \
    ROW(wchar_t *, wcpcpy, (wchar_t *to, const wchar_t *from), (to, from), READ_WIDE(from) WRITTEN(to, wide_bytes(from)), ) \
    ROW(wchar_t *, wcsncat, (wchar_t *to, const wchar_t *from, size_t n), (to, from, n), WIDE_APPENDED, ) \
    ROW(int, wcscasecmp, (const wchar_t *a, const wchar_t *b), (a, b), READ_WIDE(a) READ_WIDE(b), ) \
    ROW(int, wcsncasecmp, (const wchar_t *a, const wchar_t *b, size_t n), (a, b, n), READ(a, wide_some(a, n)) READ(b, wide_some(b, n)), ) \
    ROW(wchar_t *, wcstok, (wchar_t *s, const wchar_t *set, wchar_t **rest), (s, set, rest), \
        if (s == NULL) READ(rest, sizeof *rest) READ_WIDE(s != NULL ? s : *rest) READ_WIDE(set), \
        WRITTEN(rest, sizeof *rest) WRITTEN(result != NULL && *rest != NULL ? *rest - 1 : NULL, WIDE(1))) \
    ROW(size_t, mbsrtowcs, (wchar_t *to, const char **from, size_t n, mbstate_t *state), (to, from, n, state), \
        READ(from, sizeof *from) READ_TEXT(*from) READ(state, sizeof *state), \
        WRITTEN(to, result != (size_t)-1 ? WIDE(least(result + 1, n)) : 0) WRITTEN(from, to != NULL ? sizeof *from : 0) \
        WRITTEN(state, sizeof *state)) \
    ROW(size_t, wcsrtombs, (char *to, const wchar_t **from, size_t n, mbstate_t *state), (to, from, n, state), \
        READ(from, sizeof *from) READ_WIDE(*from) READ(state, sizeof *state), \
        WRITTEN(to, result != (size_t)-1 ? least(result + 1, n) : 0) WRITTEN(from, to != NULL ? sizeof *from : 0) \
        WRITTEN(state, sizeof *state)) \
    ROW(size_t, mbrlen, (const char *s, size_t n, mbstate_t *state), (s, n, state), READ(state, sizeof *state), \
        READ(s, result + 2 > 2 ? least(result, n) : 0) WRITTEN(state, sizeof *state)) \
    ROW(int, wctomb, (char *to, wchar_t c), (to, c), , WRITTEN(to, result > 0 ? (size_t)result : 0)) \
    ROW(size_t, wcsftime, (wchar_t *to, size_t n, const wchar_t *format, const struct tm *t), (to, n, format, t), \
        READ_WIDE(format) READ(t, sizeof *t), WRITTEN(to, result != 0 ? WIDE(result + 1) : 0)) \
    ROW(size_t, wcslen, (const wchar_t *s), (s), READ_WIDE(s), ) \
    ROW(size_t, wcsnlen, (const wchar_t *s, size_t n), (s, n), , READ(s, WIDE(least(result + 1, n)))) \
    ROW(wchar_t *, wcscpy, (wchar_t *to, const wchar_t *from), (to, from), READ_WIDE(from) WRITTEN(to, wide_bytes(from)), ) \
    ROW(wchar_t *, wcsncpy, (wchar_t *to, const wchar_t *from, size_t n), (to, from, n), \
        READ(from, wide_some(from, n)) WRITTEN(to, WIDE(n)), ) \
    ROW(wchar_t *, wcscat, (wchar_t *to, const wchar_t *from), (to, from), \
        READ_WIDE(from) READ_WIDE(to) WRITTEN((char *)to + wide_bytes(to) - WIDE(1), wide_bytes(from)), ) \
    ROW(int, wcscmp, (const wchar_t *a, const wchar_t *b), (a, b), \
        READ(a, wide_common(a, b, SIZE_MAX)) READ(b, wide_common(a, b, SIZE_MAX)), ) \
    ROW(int, wcsncmp, (const wchar_t *a, const wchar_t *b, size_t n), (a, b, n), \
        READ(a, wide_common(a, b, n)) READ(b, wide_common(a, b, n)), ) \
    ROW(int, wcscoll, (const wchar_t *a, const wchar_t *b), (a, b), READ_WIDE(a) READ_WIDE(b), ) \
    ROW(wchar_t *, wcschr, (const wchar_t *s, wchar_t c), (s, c), , READ(s, WIDE_TO(result, 1))) \
    ROW(wchar_t *, wcsrchr, (const wchar_t *s, wchar_t c), (s, c), READ_WIDE(s), ) \
    ROW(wchar_t *, wcsstr, (const wchar_t *s, const wchar_t *part), (s, part), READ_WIDE(part), READ(s, WIDE_TO(result, 0))) \
    ROW(wchar_t *, wcspbrk, (const wchar_t *s, const wchar_t *set), (s, set), READ_WIDE(set), READ(s, WIDE_TO(result, 1))) \
    ROW(size_t, wcsspn, (const wchar_t *s, const wchar_t *set), (s, set), READ_WIDE(set), READ(s, WIDE(result + 1))) \
    ROW(size_t, wcscspn, (const wchar_t *s, const wchar_t *set), (s, set), READ_WIDE(set), READ(s, WIDE(result + 1))) \
    ROW(wchar_t *, wmemcpy, (wchar_t *to, const wchar_t *from, size_t n), (to, from, n), READ(from, WIDE(n)) WRITTEN(to, WIDE(n)), ) \
    ROW(wchar_t *, wmemmove, (wchar_t *to, const wchar_t *from, size_t n), (to, from, n), READ(from, WIDE(n)) WRITTEN(to, WIDE(n)), ) \
    ROW(wchar_t *, wmemset, (wchar_t *to, wchar_t c, size_t n), (to, c, n), WRITTEN(to, WIDE(n)), ) \
    ROW(int, wmemcmp, (const wchar_t *a, const wchar_t *b, size_t n), (a, b, n), READ(a, WIDE(n)) READ(b, WIDE(n)), ) \
    ROW(wchar_t *, wmemchr, (const wchar_t *s, wchar_t c, size_t n), (s, c, n), , \
        READ(s, result != NULL ? (size_t)((char *)result - (char *)s) + WIDE(1) : WIDE(n))) \
    ROW(size_t, mbstowcs, (wchar_t *to, const char *from, size_t n), (to, from, n), READ_TEXT(from), \
        WRITTEN(to, result != (size_t)-1 ? WIDE(least(result + 1, n)) : 0)) \
    ROW(size_t, wcstombs, (char *to, const wchar_t *from, size_t n), (to, from, n), READ_WIDE(from), \
        WRITTEN(to, result != (size_t)-1 ? least(result + 1, n) : 0)) \
    ROW(int, mbtowc, (wchar_t *to, const char *from, size_t n), (to, from, n), , \
        READ(from, from != NULL && result > 0 ? (size_t)result : 0) WRITTEN(to, from != NULL && result >= 0 ? WIDE(1) : 0)) \
    ROW(size_t, mbrtowc, (wchar_t *to, const char *from, size_t n, mbstate_t *state), (to, from, n, state), \
        READ(state, sizeof *state), READ(from, result + 2 > 2 ? least(result, n) : 0) \
        WRITTEN(to, from != NULL && result + 2 >= 2 ? WIDE(1) : 0) WRITTEN(state, sizeof *state)) \
    ROW(size_t, wcrtomb, (char *to, wchar_t c, mbstate_t *state), (to, c, state), READ(state, sizeof *state), \
        WRITTEN(to, result != (size_t)-1 ? result : 0) WRITTEN(state, sizeof *state))

#define TIME_FUNCTIONS(ROW) \
    ROW(struct tm *, gmtime_r, (const time_t *t, struct tm *to), (t, to), READ(t, sizeof *t) WRITTEN(to, sizeof *to), ) \
    ROW(struct tm *, localtime_r, (const time_t *t, struct tm *to), (t, to), READ(t, sizeof *t) WRITTEN(to, sizeof *to), ) \
    ROW(struct tm *, gmtime, (const time_t *t), (t), READ(t, sizeof *t), WRITTEN(result, sizeof *result)) \
    ROW(struct tm *, localtime, (const time_t *t), (t), READ(t, sizeof *t), WRITTEN(result, sizeof *result)) \
    ROW(char *, asctime_r, (const struct tm *t, char *to), (t, to), READ(t, sizeof *t), WRITTEN(to, result != NULL ? text_length(to) + 1 : 0)) \
    ROW(char *, ctime_r, (const time_t *t, char *to), (t, to), READ(t, sizeof *t), WRITTEN(to, result != NULL ? text_length(to) + 1 : 0)) \
    ROW(char *, asctime, (const struct tm *t), (t), READ(t, sizeof *t), WRITTEN(result, result != NULL ? text_length(result) + 1 : 0)) \
    ROW(char *, ctime, (const time_t *t), (t), READ(t, sizeof *t), WRITTEN(result, result != NULL ? text_length(result) + 1 : 0)) \
    ROW(time_t, mktime, (struct tm *t), (t), READ(t, sizeof *t) WRITTEN(t, sizeof *t), ) \
    ROW(time_t, timegm, (struct tm *t), (t), READ(t, sizeof *t) WRITTEN(t, sizeof *t), ) \
    ROW(size_t, strftime, (char *to, size_t n, const char *format, const struct tm *t), (to, n, format, t), \
        READ_TEXT(format) READ(t, sizeof *t), WRITTEN(to, result != 0 ? result + 1 : 0)) \
    ROW(char *, strptime, (const char *s, const char *format, struct tm *to), (s, format, to), READ_TEXT(format), \
        READ(s, result != NULL ? (size_t)(result - s) : 0) WRITTEN(to, result != NULL ? sizeof *to : 0)) \
    ROW(int, clock_getres, (clockid_t clock, struct timespec *to), (clock, to), WRITTEN(to, sizeof *to), )

/* With the plain names, and with those that _FILE_OFFSET_BITS=64 gives them. */
#define FILE_FUNCTIONS(ROW, stat, lstat, fstat, fstatat, statvfs, fstatvfs, mkstemp, fgetpos, fsetpos, bits, position) \
    ROW(int, stat, (const char *path, STAT(bits) *to), (path, to), READ_TEXT(path), WRITTEN(to, result == 0 ? sizeof *to : 0)) \
    ROW(int, lstat, (const char *path, STAT(bits) *to), (path, to), READ_TEXT(path), WRITTEN(to, result == 0 ? sizeof *to : 0)) \
    ROW(int, fstat, (int fd, STAT(bits) *to), (fd, to), , WRITTEN(to, result == 0 ? sizeof *to : 0)) \
    ROW(int, fstatat, (int fd, const char *path, STAT(bits) *to, int flags), (fd, path, to, flags), READ_TEXT(path), \
        WRITTEN(to, result == 0 ? sizeof *to : 0)) \
    ROW(int, statvfs, (const char *path, STATVFS(bits) *to), (path, to), READ_TEXT(path), WRITTEN(to, result == 0 ? sizeof *to : 0)) \
    ROW(int, fstatvfs, (int fd, STATVFS(bits) *to), (fd, to), , WRITTEN(to, result == 0 ? sizeof *to : 0)) \
    ROW(int, mkstemp, (char *name), (name), CHANGES_FILE("mkstemp") READ_TEXT(name), WRITTEN(name, result >= 0 ? text_length(name) : 0)) \
    ROW(int, fgetpos, (FILE *file, position *to), (file, to), WRITTEN(to, sizeof *to), ) \
    ROW(int, fsetpos, (FILE *file, const position *from), (file, from), READ(from, sizeof *from), )
#define STAT(bits)    struct stat##bits
#define STATVFS(bits) struct statvfs##bits

#define SYSTEM_FUNCTIONS(ROW) \
    ROW(char *, realpath, (const char *path, char *to), (path, to), READ_TEXT(path), WRITTEN(to, result != NULL ? text_length(result) + 1 : 0)) \
    ROW(char *, getcwd, (char *to, size_t n), (to, n), , WRITTEN(to, result != NULL ? text_length(result) + 1 : 0)) \
    ROW(int, gethostname, (char *to, size_t n), (to, n), , WRITTEN(to, result == 0 ? bytes_until(to, 0, n) : 0)) \
    ROW(int, ttyname_r, (int fd, char *to, size_t n), (fd, to, n), , WRITTEN(to, result == 0 ? text_length(to) + 1 : 0)) \
    ROW(size_t, confstr, (int name, char *to, size_t n), (name, to, n), , WRITTEN(to, least(result, n))) \
    ROW(int, getgroups, (int n, gid_t *to), (n, to), , WRITTEN(to, n > 0 && result > 0 ? (size_t)result * sizeof *to : 0)) \
    ROW(ssize_t, readlink, (const char *path, char *to, size_t n), (path, to, n), READ_TEXT(path), WRITTEN(to, result > 0 ? (size_t)result : 0)) \
    ROW(ssize_t, readlinkat, (int fd, const char *path, char *to, size_t n), (fd, path, to, n), READ_TEXT(path), \
        WRITTEN(to, result > 0 ? (size_t)result : 0)) \
    FILE_FUNCTIONS(ROW, stat, lstat, fstat, fstatat, statvfs, fstatvfs, mkstemp, fgetpos, fsetpos, , fpos_t) \
    FILE_FUNCTIONS(ROW, stat64, lstat64, fstat64, fstatat64, statvfs64, fstatvfs64, mkstemp64, fgetpos64, fsetpos64, 64, fpos64_t) \
    ROW(int, uname, (struct utsname *to), (to), WRITTEN(to, sizeof *to), ) \
    ROW(int, getsockopt, (int fd, int level, int name, void *to, socklen_t *n), (fd, level, name, to, n), READ(n, sizeof *n), \
        WRITTEN(to, result == 0 ? *n : 0) WRITTEN(n, result == 0 ? sizeof *n : 0)) \
    ROW(int, setsockopt, (int fd, int level, int name, const void *from, socklen_t n), (fd, level, name, from, n), READ(from, n), ) \
    ROW(int, ptsname_r, (int fd, char *to, size_t n), (fd, to, n), , WRITTEN(to, result == 0 ? text_length(to) + 1 : 0)) \
    ROW(char *, if_indextoname, (unsigned number, char to[IF_NAMESIZE]), (number, to), , WRITTEN(to, result != NULL ? text_length(to) + 1 : 0)) \
    ROW(unsigned, if_nametoindex, (const char *name), (name), READ_TEXT(name), ) \
    ROW(int, utimensat, (int fd, const char *path, const struct timespec times[2], int flags), (fd, path, times, flags), \
        CHANGES_FILE("utimensat") READ_TEXT(path) READ(times, 2 * sizeof *times), ) \
    ROW(int, futimens, (int fd, const struct timespec times[2]), (fd, times), CHANGES_FILE("futimens") READ(times, 2 * sizeof *times), ) \
    ROW(int, sigandset, (sigset_t *to, const sigset_t *a, const sigset_t *b), (to, a, b), \
        READ(a, sizeof *a) READ(b, sizeof *b) WRITTEN(to, sizeof *to), ) \
    ROW(int, sigorset, (sigset_t *to, const sigset_t *a, const sigset_t *b), (to, a, b), \
        READ(a, sizeof *a) READ(b, sizeof *b) WRITTEN(to, sizeof *to), ) \
    ROW(int, getsockname, (int fd, struct sockaddr *to, socklen_t *n), (fd, to, n), READ(n, sizeof *n); socklen_t space = n != NULL ? *n : 0, \
        WRITTEN(to, result == 0 ? least(*n, space) : 0) WRITTEN(n, result == 0 ? sizeof *n : 0)) \
    ROW(int, getpeername, (int fd, struct sockaddr *to, socklen_t *n), (fd, to, n), READ(n, sizeof *n); socklen_t space = n != NULL ? *n : 0, \
        WRITTEN(to, result == 0 ? least(*n, space) : 0) WRITTEN(n, result == 0 ? sizeof *n : 0)) \
    ROW(int, inet_pton, (int family, const char *s, void *to), (family, s, to), READ_TEXT(s), \
        WRITTEN(to, result == 1 ? (family == AF_INET ? 4 : 16) : 0)) \
    ROW(const char *, inet_ntop, (int family, const void *from, char *to, socklen_t n), (family, from, to, n), \
        READ(from, family == AF_INET ? 4 : 16), WRITTEN(to, result != NULL ? text_length(to) + 1 : 0)) \
    ROW(int, inet_aton, (const char *s, struct in_addr *to), (s, to), READ_TEXT(s), WRITTEN(to, result != 0 ? sizeof *to : 0)) \
    ROW(int, sigemptyset, (sigset_t *set), (set), WRITTEN(set, sizeof *set), ) \
    ROW(int, sigfillset, (sigset_t *set), (set), WRITTEN(set, sizeof *set), ) \
    ROW(int, sigaddset, (sigset_t *set, int number), (set, number), READ(set, sizeof *set) WRITTEN(set, sizeof *set), ) \
    ROW(int, sigdelset, (sigset_t *set, int number), (set, number), READ(set, sizeof *set) WRITTEN(set, sizeof *set), ) \
    ROW(int, sigismember, (const sigset_t *set, int number), (set, number), READ(set, sizeof *set), ) \
    ROW(char *, mkdtemp, (char *name), (name), CHANGES_FILE("mkdtemp") READ_TEXT(name), WRITTEN(name, result != NULL ? text_length(name) : 0)) \
    ROW(int, getpwnam_r, (const char *key, struct passwd *to, char *texts, size_t n, struct passwd **found), (key, to, texts, n, found), \
        READ_TEXT(key), WRITTEN(found, sizeof *found) WRITTEN(to, *found != NULL ? sizeof *to : 0)) \
    ROW(int, getpwuid_r, (uid_t key, struct passwd *to, char *texts, size_t n, struct passwd **found), (key, to, texts, n, found), \
        , WRITTEN(found, sizeof *found) WRITTEN(to, *found != NULL ? sizeof *to : 0)) \
    ROW(int, getgrnam_r, (const char *key, struct group *to, char *texts, size_t n, struct group **found), (key, to, texts, n, found), \
        READ_TEXT(key), WRITTEN(found, sizeof *found) WRITTEN(to, *found != NULL ? sizeof *to : 0)) \
    ROW(int, getgrgid_r, (gid_t key, struct group *to, char *texts, size_t n, struct group **found), (key, to, texts, n, found), \
        , WRITTEN(found, sizeof *found) WRITTEN(to, *found != NULL ? sizeof *to : 0))

/* What _FORTIFY_SOURCE makes of some of the above: with the room that is known (in characters, where they are wide). */
#define CHECKED_FUNCTIONS(ROW) \
    ROW(wchar_t *, __wcscpy_chk, (wchar_t *to, const wchar_t *from, size_t room), (to, from, room), \
        READ_WIDE(from) WRITTEN(to, wide_bytes(from)), ) \
    ROW(wchar_t *, __wcpcpy_chk, (wchar_t *to, const wchar_t *from, size_t room), (to, from, room), \
        READ_WIDE(from) WRITTEN(to, wide_bytes(from)), ) \
    ROW(wchar_t *, __wcsncpy_chk, (wchar_t *to, const wchar_t *from, size_t n, size_t room), (to, from, n, room), \
        READ(from, wide_some(from, n)) WRITTEN(to, WIDE(n)), ) \
    ROW(wchar_t *, __wcscat_chk, (wchar_t *to, const wchar_t *from, size_t room), (to, from, room), \
        READ_WIDE(from) READ_WIDE(to) WRITTEN((char *)to + wide_bytes(to) - WIDE(1), wide_bytes(from)), ) \
    ROW(wchar_t *, __wcsncat_chk, (wchar_t *to, const wchar_t *from, size_t n, size_t room), (to, from, n, room), WIDE_APPENDED, ) \
    ROW(wchar_t *, __wmemcpy_chk, (wchar_t *to, const wchar_t *from, size_t n, size_t room), (to, from, n, room), \
        READ(from, WIDE(n)) WRITTEN(to, WIDE(n)), ) \
    ROW(wchar_t *, __wmemmove_chk, (wchar_t *to, const wchar_t *from, size_t n, size_t room), (to, from, n, room), \
        READ(from, WIDE(n)) WRITTEN(to, WIDE(n)), ) \
    ROW(wchar_t *, __wmemset_chk, (wchar_t *to, wchar_t c, size_t n, size_t room), (to, c, n, room), WRITTEN(to, WIDE(n)), ) \
    ROW(size_t, __mbstowcs_chk, (wchar_t *to, const char *from, size_t n, size_t room), (to, from, n, room), READ_TEXT(from), \
        WRITTEN(to, result != (size_t)-1 ? WIDE(least(result + 1, n)) : 0)) \
    ROW(size_t, __wcstombs_chk, (char *to, const wchar_t *from, size_t n, size_t room), (to, from, n, room), READ_WIDE(from), \
        WRITTEN(to, result != (size_t)-1 ? least(result + 1, n) : 0)) \
    ROW(char *, __realpath_chk, (const char *path, char *to, size_t room), (path, to, room), READ_TEXT(path), \
        WRITTEN(to, result != NULL ? text_length(result) + 1 : 0)) \
    ROW(char *, __getcwd_chk, (char *to, size_t n, size_t room), (to, n, room), , WRITTEN(to, result != NULL ? text_length(result) + 1 : 0)) \
    ROW(int, __gethostname_chk, (char *to, size_t n, size_t room), (to, n, room), , WRITTEN(to, result == 0 ? bytes_until(to, 0, n) : 0)) \
    ROW(size_t, __confstr_chk, (int name, char *to, size_t n, size_t room), (name, to, n, room), , WRITTEN(to, least(result, n))) \
    ROW(ssize_t, __readlink_chk, (const char *path, char *to, size_t n, size_t room), (path, to, n, room), READ_TEXT(path), \
        WRITTEN(to, result > 0 ? (size_t)result : 0))

#define PATTERN_FUNCTIONS(ROW) \
    ROW(int, regcomp, (regex_t *to, const char *pattern, int flags), (to, pattern, flags), READ_TEXT(pattern) WRITTEN(to, sizeof *to), ) \
    ROW(int, regexec, (const regex_t *regex, const char *s, size_t n, regmatch_t to[restrict n], int flags), (regex, s, n, to, flags), \
        READ(regex, sizeof *regex) READ_TEXT(flags & REG_STARTEND ? NULL : s), \
        WRITTEN(to, result == 0 && !regex->no_sub ? n * sizeof *to : 0)) \
    ROW(size_t, regerror, (int code, const regex_t *regex, char *to, size_t n), (code, regex, to, n), , WRITTEN(to, least(result, n))) \
    ROW(int, fnmatch, (const char *pattern, const char *s, int flags), (pattern, s, flags), READ_TEXT(pattern) READ_TEXT(s), ) \
    ROW(int, wordexp, (const char *s, wordexp_t *to, int flags), (s, to, flags), READ_TEXT(s), WRITTEN(to, sizeof *to)) \
    ROW(size_t, iconv, (iconv_t how, char **from, size_t *left, char **to, size_t *room), (how, from, left, to, room), \
        char *in = from != NULL ? *from : NULL; char *out = to != NULL ? *to : NULL; \
        READ(from, sizeof *from) READ(left, sizeof *left) READ(to, sizeof *to) READ(room, sizeof *room), \
        READ(in, in != NULL ? (size_t)(*from - in) : 0) WRITTEN(out, out != NULL ? (size_t)(*to - out) : 0) \
        WRITTEN(from, sizeof *from) WRITTEN(left, sizeof *left) WRITTEN(to, sizeof *to) WRITTEN(room, sizeof *room))

#define VOID_FUNCTIONS(VOIDS) \
    VOIDS(swab, (const void *from, void *to, ssize_t n), (from, to, n), \
        READ(from, n > 0 ? (size_t)(n & ~1l) : 0) WRITTEN(to, n > 0 ? (size_t)(n & ~1l) : 0), ) \
    VOIDS(regfree, (regex_t *regex), (regex), READ(regex, sizeof *regex) WRITTEN(regex, sizeof *regex), ) \
    VOIDS(insque, (void *element, void *before), (element, before), \
        WRITTEN(element, 16) READ(before, before != NULL ? 8 : 0) WRITTEN(before, before != NULL ? 8 : 0), ) \
    VOIDS(remque, (void *element), (element), READ(element, 16), ) \
    VOIDS(lcong48, (unsigned short state[7]), (state), READ(state, 14), )

/* The environment is one object, the list, beside its texts: what getenv has returned is overwritten when that variable is set. */
#define LOOKED_UP(name) READ(&environ, sizeof environ) READ_TEXT(name)
#define REPLACED(name, replace) \
    char *old = environment_entry(name); \
    if (old == NULL || (replace)) WRITTEN(&environ, sizeof environ) else READ(&environ, sizeof environ) \
    if (replace) WRITTEN(old, text_size(old))
#define ENVIRONMENT_FUNCTIONS(ROW) \
    ROW(char *, getenv, (const char *name), (name), LOOKED_UP(name), ) \
    ROW(char *, secure_getenv, (const char *name), (name), LOOKED_UP(name), ) \
    ROW(int, setenv, (const char *name, const char *value, int replace), (name, value, replace), \
        READ_TEXT(name) READ_TEXT(value) REPLACED(name, replace != 0), ) \
    ROW(int, putenv, (char *text), (text), READ_TEXT(text) REPLACED(text, true), ) \
    ROW(int, unsetenv, (const char *name), (name), READ_TEXT(name); char *old = environment_entry(name); \
        if (old != NULL) WRITTEN(&environ, sizeof environ) else READ(&environ, sizeof environ) WRITTEN(old, text_size(old)), ) \
    ROW(int, clearenv, (void), (), WRITTEN(&environ, sizeof environ), )

/* A tree: what its root links to stands for all that is below it.  Its nodes are a key of the program's and two links of libc's. */
#define READ_TREE(node)    READ((node) != NULL ? (char *)(node) + sizeof(void *) : NULL, 2 * sizeof(void *))
#define WRITTEN_TREE(node) WRITTEN((node) != NULL ? (char *)(node) + sizeof(void *) : NULL, 2 * sizeof(void *))
#define ROOT_READ \
    READ(root, sizeof *root); void *before = root != NULL ? *root : NULL; READ_TREE(before)
#define ROOT_WRITTEN(changed) \
    if (root != NULL && (changed)) { WRITTEN_TREE(*root) WRITTEN(root, *root != before ? sizeof *root : 0) }
#define SEARCH_FUNCTIONS(ROW, VOIDS, CALLBACK, VOID_CALLBACK) \
    ROW(int, hcreate_r, (size_t n, struct hsearch_data *table), (n, table), READ(table, sizeof *table), \
        WRITTEN(table, result != 0 ? sizeof *table : 0)) \
    ROW(int, hsearch_r, (ENTRY entry, ACTION action, ENTRY **to, struct hsearch_data *table), (entry, action, to, table), \
        READ_TEXT(entry.key) READ(table, sizeof *table); unsigned before = table->filled, \
        WRITTEN(to, sizeof *to) WRITTEN(table, table->filled != before ? sizeof *table : 0)) \
    VOIDS(hdestroy_r, (struct hsearch_data *table), (table), WRITTEN(table, sizeof *table), ) \
    CALLBACK(void *, tsearch, (const void *key, void **root, int (*order)(const void *, const void *)), (key, root, order), \
        ROOT_READ, ROOT_WRITTEN(result != NULL && *(const void **)result == key)) \
    CALLBACK(void *, tfind, (const void *key, void *const *root, int (*order)(const void *, const void *)), (key, root, order), \
        ROOT_READ, ) \
    CALLBACK(void *, tdelete, (const void *key, void **root, int (*order)(const void *, const void *)), (key, root, order), \
        ROOT_READ, ROOT_WRITTEN(result != NULL)) \
    VOID_CALLBACK(twalk, (const void *root, __action_fn_t action), (root, action), READ_TREE(root), ) \
    VOID_CALLBACK(twalk_r, (const void *root, void (*action)(const void *, VISIT, void *), void *own), (root, action, own), \
        READ_TREE(root), ) \
    VOID_CALLBACK(tdestroy, (void *root, void (*release)(void *)), (root, release), WRITTEN_TREE(root), )

#define CALLBACK_FUNCTIONS(CALLBACK, VOID_CALLBACK) \
    CALLBACK(int, glob, (const char *pattern, int flags, int (*failed)(const char *, int), glob_t *to), (pattern, flags, failed, to), \
        READ_TEXT(pattern) WRITTEN(to, sizeof *to), ) \
    CALLBACK(int, glob64, (const char *pattern, int flags, int (*failed)(const char *, int), glob64_t *to), (pattern, flags, failed, to), \
        READ_TEXT(pattern) WRITTEN(to, sizeof *to), ) \
    CALLBACK(int, ftw, (const char *path, __ftw_func_t visit, int most), (path, visit, most), READ_TEXT(path), ) \
    CALLBACK(int, ftw64, (const char *path, __ftw64_func_t visit, int most), (path, visit, most), READ_TEXT(path), ) \
    CALLBACK(int, nftw, (const char *path, __nftw_func_t visit, int most, int flags), (path, visit, most, flags), READ_TEXT(path), ) \
    CALLBACK(int, nftw64, (const char *path, __nftw64_func_t visit, int most, int flags), (path, visit, most, flags), READ_TEXT(path), ) \
    CALLBACK(int, scandir64, (const char *path, struct dirent64 ***to, int (*wanted)(const struct dirent64 *), \
        int (*order)(const struct dirent64 **, const struct dirent64 **)), (path, to, wanted, order), READ_TEXT(path), \
        WRITTEN(to, result >= 0 ? sizeof *to : 0)) \
    CALLBACK(int, scandir, (const char *path, struct dirent ***to, int (*wanted)(const struct dirent *), \
        int (*order)(const struct dirent **, const struct dirent **)), (path, to, wanted, order), READ_TEXT(path), \
        WRITTEN(to, result >= 0 ? sizeof *to : 0)) \
    VOID_CALLBACK(qsort, (void *base, size_t n, size_t size, int (*order)(const void *, const void *)), (base, n, size, order), \
        READ(base, n * size) WRITTEN(base, n > 1 ? n * size : 0), ) \
    VOID_CALLBACK(qsort_r, (void *base, size_t n, size_t size, int (*order)(const void *, const void *, void *), void *own), \
        (base, n, size, order, own), READ(base, n * size) WRITTEN(base, n > 1 ? n * size : 0), ) \
    CALLBACK(void *, lfind, (const void *key, const void *base, size_t *n, size_t size, int (*same)(const void *, const void *)), \
        (key, base, n, size, same), READ(n, sizeof *n), ) \
    CALLBACK(void *, lsearch, (const void *key, void *base, size_t *n, size_t size, int (*same)(const void *, const void *)), \
        (key, base, n, size, same), READ(n, sizeof *n); size_t before = *n, \
        WRITTEN(n, *n != before ? sizeof *n : 0) WRITTEN(result, *n != before ? size : 0) READ(key, *n != before ? size : 0))
/* clang-format on */

#endif
