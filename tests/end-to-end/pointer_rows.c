// SPDX-License-Identifier: MIT
// pointer_rows.c - one race per function of libc that reads or writes through its arguments; used by pointers.test.
//
// pointer_rows --list       prints "NUMBER LINE reads|writes NAME" of each row
// pointer_rows N            one thread makes call N, the other one accesses the same memory
// pointer_rows N locked     the same with a mutex around both
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <net/if.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wordexp.h>

// What _FORTIFY_SOURCE calls; the headers name them only then.
int __xpg_strerror_r(int, char *, size_t);
wchar_t *__wcscpy_chk(wchar_t *, const wchar_t *, size_t), *__wcpcpy_chk(wchar_t *, const wchar_t *, size_t);
wchar_t *__wcsncpy_chk(wchar_t *, const wchar_t *, size_t, size_t), *__wcscat_chk(wchar_t *, const wchar_t *, size_t);
wchar_t *__wmemcpy_chk(wchar_t *, const wchar_t *, size_t, size_t),
    *__wcsncat_chk(wchar_t *, const wchar_t *, size_t, size_t);
wchar_t *__wmemmove_chk(wchar_t *, const wchar_t *, size_t, size_t), *__wmemset_chk(wchar_t *, wchar_t, size_t, size_t);
size_t __mbstowcs_chk(wchar_t *, const char *, size_t, size_t), __wcstombs_chk(char *, const wchar_t *, size_t, size_t);
char *__realpath_chk(const char *, char *, size_t), *__getcwd_chk(char *, size_t, size_t);
int __gethostname_chk(char *, size_t, size_t);
size_t __confstr_chk(int, char *, size_t, size_t);
ssize_t __readlink_chk(const char *, char *, size_t, size_t);

static int chosen, locked;
static char *value, text[256], other[256], path[5000], *pointer;
static wchar_t wide[64], other_wide[64], *wide_end;
static int numbers[8] = {3, 1, 2}, number;
static long big;
static double real;
static unsigned seed;
static float single;
static long double extended;
static unsigned short parameters[7];
static locale_t ways;
static struct timespec moments[2];
static struct dirent64 **entries64;
static unsigned short state[3];
static struct tm broken;
static time_t moment;
static struct timespec spec;
static struct stat status;
static struct statvfs volume;
static struct stat64 status64;
static struct statvfs64 volume64;
static struct utsname names;
static struct passwd user, *user_found;
static struct group group, *group_found;
static wordexp_t words;
static glob_t names_found;
static glob64_t names_found64;
static sigset_t set;
static regex_t regex;
static regmatch_t match[1];
static struct in_addr address;
static mbstate_t shift;
static size_t count, room;
static void *root;
static fpos_t position;
static fpos64_t position64;
static struct hsearch_data table, empty_table;
static void *tree;
static struct dirent **entries;
static gid_t groups[64];
static FILE *file, *wide_file;
static iconv_t converter;
static struct sockaddr_storage name;
static socklen_t name_size;
static int sockets[2];
static struct {
    void *next, *previous;
} element, second;

static int order(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
static int order_r(const void *a, const void *b, void *own)
{
    (void)own;
    return order(a, b);
}
static void visit(const void *node, VISIT when, int depth)
{
    (void)node, (void)when, (void)depth;
}
static void visit_r(const void *node, VISIT when, void *own)
{
    (void)node, (void)when, (void)own;
}
static void keep(void *key)
{
    (void)key;
}
static int visit_file(const char *at, const struct stat *found, int kind)
{
    (void)at, (void)found;
    return kind == -1;
}
static int visit_file64(const char *at, const struct stat64 *found, int kind)
{
    (void)at, (void)found;
    return kind == -1;
}
static int visit_file_base(const char *at, const struct stat *found, int kind, struct FTW *where)
{
    (void)at, (void)found, (void)where;
    return kind == -1;
}
static int visit_file_base64(const char *at, const struct stat64 *found, int kind, struct FTW *where)
{
    (void)at, (void)found, (void)where;
    return kind == -1;
}
static int none_of(const struct dirent *entry)
{
    return entry == NULL;
}
static int none_of64(const struct dirent64 *entry)
{
    return entry == NULL;
}
static int open_terminal(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    return master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0 ? open(ptsname(master), O_RDWR | O_NOCTTY) : -1;
}
static int print_wide_list(wchar_t *to, const wchar_t *format, ...)
{
    va_list list;
    va_start(list, format);
    int made = vswprintf(to, 64, format, list);
    va_end(list);
    return made;
}
static int scan_wide_list(const wchar_t *from, const wchar_t *format, ...)
{
    va_list list;
    va_start(list, format);
    int found = vswscanf(from, format, list);
    va_end(list);
    return found;
}
static int print_list(char *to, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int made = vsnprintf(to, 64, format, list);
    va_end(list);
    return made;
}

// ROW(name, whether the call reads or writes what the other one accesses, the call, the other's access)
// clang-format off
static _Thread_local volatile long sink;
#define USE(value) (sink += (long)(value))

static int run_row(int row, int side)
{
    int next = 0;
#define ROW(title, kind, call, access)                                                                                 \
    if (row == -1)                                                                                                     \
        printf("%d %d %s %s\n", next, __LINE__, #kind, #title);                                                        \
    if (next++ == row) { if (side == 0) { call; } else { access; } return 1; }

    ROW(memcpy, reads, memcpy(other, text, 20), text[3] = 'x')
    ROW(memcpy, writes, memcpy(text, other, 20), text[3] = 'x')
    ROW(memset, writes, memset(text, 0, 20), USE(text[3]))
    ROW(memccpy, writes, memccpy(text, other, 'z', 20), USE(text[3]))
    ROW(memchr, reads, USE(memchr(text, 'z', 20) != NULL), text[0] = 'x')
    ROW(memrchr, reads, USE(memrchr(text, 'z', 20) != NULL), text[0] = 'x')
    ROW(memmem, reads, USE(memmem(text, 20, "zz", 2) != NULL), text[0] = 'x')
    ROW(strlen, reads, USE(strlen(text)), text[0] = 'x')
    ROW(strcpy, writes, strcpy(text, other), USE(text[0]))
    ROW(strcat, writes, strcat(other, text), USE(other[10]))
    ROW(strspn, reads, USE(strspn(text, other)), text[0] = 'x')
    ROW(strcspn, reads, USE(strcspn(other, text)), text[0] = 'x')
    ROW(strpbrk, reads, USE(strpbrk(text, other) != NULL), text[0] = 'x')
    ROW(strcasestr, reads, USE(strcasestr(text, other) != NULL), text[0] = 'x')
    ROW(strcoll, reads, USE(strcoll(text, other)), text[0] = 'x')
    ROW(strxfrm, writes, USE(strxfrm(text, other, 20)), USE(text[0]))
    ROW(strtok_r, writes, USE(strtok_r(text, "5", &pointer) != NULL), USE(text[4]))
    ROW(strtok_r, writes, USE(strtok_r(other, "5", &pointer) != NULL), USE(pointer != NULL))
    ROW(strsep, writes, USE(strsep(&pointer, "5") != NULL), USE(pointer != NULL))
    ROW(strerror_r, writes, USE(strerror_r(12345, text, 200) != NULL), USE(text[0]))
    ROW(strtol, reads, USE(strtol(text, NULL, 10)), text[1] = '7')
    ROW(strtol, writes, USE(strtol(other, &pointer, 10)), USE(pointer != NULL))
    ROW(strtoull, reads, USE(strtoull(text, NULL, 10)), text[1] = '7')
    ROW(strtod, reads, USE(strtod(text, &pointer)), text[1] = '7')
    ROW(atoi, reads, USE(atoi(text)), text[1] = '7')
    ROW(atof, reads, USE(atof(text)), text[1] = '7')
    ROW(rand_r, writes, USE(rand_r(&seed)), USE(seed))
    ROW(nrand48, writes, USE(nrand48(state)), USE(state[1]))
    ROW(frexp, writes, USE(frexp(1.5 + sink, &number)), USE(number))
    ROW(modf, writes, USE(modf(1.5 + sink, &real)), USE(real))
    ROW(sprintf, writes, sprintf(text, "%d", number), USE(text[0]))
    ROW(sprintf, reads, sprintf(other, "%d %s", number, text), text[2] = '7')
    ROW(snprintf, writes, snprintf(text, 8, "%d", number), USE(text[0]))
    ROW(snprintf, reads, snprintf(other, 8, "%*d %.*s %f", 3, number, 4, text, real), text[2] = '7')
    ROW(snprintf, writes, snprintf(other, 8, "%s%ln", "abc", &big), USE(big))
    ROW(vsnprintf, reads, print_list(other, "%Lf %lc %s", 1.0L, L'x', text), text[2] = '7')
    ROW(asprintf, writes, USE(asprintf(&pointer, "%d", number)), USE(pointer != NULL))
    ROW(asprintf, reads, char *made; USE(asprintf(&made, "%s", text)); free(made), text[2] = '7')
    ROW(fprintf, reads, fprintf(file, "%s", text), text[2] = '7')
    ROW(dprintf, reads, dprintf(fileno(file), "%s", text), text[2] = '7')
    ROW(sscanf, reads, int own; USE(sscanf(text, "%d", &own)), text[2] = '7')
    ROW(sscanf, writes, USE(sscanf("17 abc", "%d %s", &number, other)), USE(number))
    ROW(sscanf, writes, USE(sscanf("17 abc", "%*d %3[a-c]", text)), USE(text[1]))
    ROW(sscanf, writes, USE(sscanf("17.5", "%lf", &real)), USE(real))
    ROW(fscanf, writes, rewind(file); USE(fscanf(file, "%d", &number)), USE(number))
    ROW(fread, writes, rewind(file); USE(fread(text, 1, 4, file)), USE(text[1]))
    ROW(fwrite, reads, USE(fwrite(text, 1, 4, file)), text[1] = '7')
    ROW(fgets, writes, rewind(file); USE(fgets(text, 20, file) != NULL), USE(text[1]))
    ROW(fputs, reads, USE(fputs(text, file)), text[1] = '7')
    ROW(getline, writes, rewind(file); char *own = NULL; USE(getline(&own, &room, file)), USE(room))
    ROW(fgetpos, writes, USE(fgetpos(file, &position)), USE(((char *)&position)[0]))
    ROW(write, reads, USE(write(fileno(file), text, 4)), text[1] = '7')
    ROW(pread, writes, USE(pread(fileno(file), text, 4, 0)), USE(text[1]))
    ROW(writev, reads, struct iovec v; v.iov_base = text; v.iov_len = 4; USE(writev(fileno(file), &v, 1)), text[1] = '7')
    ROW(swab, writes, swab(other, text, 8), USE(text[1]))
    ROW(swab, reads, swab(text, other, 8), text[1] = '7')
    ROW(qsort, writes, qsort(numbers, 3, sizeof numbers[0], order), USE(numbers[1]))
    ROW(qsort_r, writes, qsort_r(numbers, 3, sizeof numbers[0], order_r, NULL), USE(numbers[1]))
    ROW(lfind, reads, USE(lfind(&number, numbers, &count, sizeof(int), order) != NULL), count = 2)
    ROW(lsearch, writes, USE(lsearch(&number, numbers, &count, sizeof(int), order) != NULL), USE(count))
    ROW(tsearch, writes, USE(tsearch(&number, &root, order) != NULL), USE(root != NULL))
    ROW(insque, writes, insque(&element, &second), USE(second.next != NULL))
    ROW(wcslen, reads, USE(wcslen(wide)), wide[1] = L'x')
    ROW(wcscpy, writes, wcscpy(wide, other_wide), USE(wide[1]))
    ROW(wcsncpy, reads, wcsncpy(other_wide, wide, 5), wide[1] = L'x')
    ROW(wcscat, writes, wcscat(other_wide, wide), USE(other_wide[10]))
    ROW(wcscmp, reads, USE(wcscmp(wide, other_wide)), wide[0] = L'x')
    ROW(wcschr, reads, USE(wcschr(wide, L'9') != NULL), wide[0] = L'x')
    ROW(wmemcpy, writes, wmemcpy(wide, other_wide, 5), USE(wide[1]))
    ROW(wmemset, writes, wmemset(wide, L'x', 5), USE(wide[1]))
    ROW(wcstol, writes, USE(wcstol(L"12", &wide_end, 10)), USE(wide_end != NULL))
    ROW(mbstowcs, writes, USE(mbstowcs(wide, "abc", 20)), USE(wide[1]))
    ROW(wcstombs, writes, USE(wcstombs(text, other_wide, 20)), USE(text[1]))
    ROW(mbrtowc, writes, USE(mbrtowc(wide, "abc", 3, &shift)), USE(wide[0]))
    ROW(gmtime_r, writes, USE(gmtime_r(&moment, &broken) != NULL), USE(broken.tm_year))
    ROW(localtime_r, reads, struct tm own; USE(localtime_r(&moment, &own) != NULL), moment = 5)
    ROW(gmtime, writes, USE(gmtime(&moment) != NULL), USE(gmtime(&spec.tv_sec)->tm_year))
    ROW(mktime, writes, USE(mktime(&broken)), USE(broken.tm_wday))
    ROW(strftime, writes, USE(strftime(text, 20, "%Y", &broken)), USE(text[1]))
    ROW(strftime, reads, USE(strftime(other, 20, "%Y", &broken)), broken.tm_year = 3)
    ROW(strptime, writes, USE(strptime("2001", "%Y", &broken) != NULL), USE(broken.tm_year))
    ROW(asctime_r, writes, USE(asctime_r(&broken, text) != NULL), USE(text[1]))
    ROW(ctime_r, writes, USE(ctime_r(&moment, text) != NULL), USE(text[1]))
    ROW(clock_getres, writes, USE(clock_getres(CLOCK_REALTIME, &spec)), USE(spec.tv_nsec))
    ROW(getcwd, writes, USE(getcwd(text, sizeof text) != NULL), USE(text[0]))
    ROW(realpath, writes, USE(realpath("/", path) != NULL), USE(path[0]))
    ROW(gethostname, writes, USE(gethostname(text, sizeof text)), USE(text[0]))
    ROW(confstr, writes, USE(confstr(_CS_PATH, text, sizeof text)), USE(text[0]))
    ROW(readlink, writes, USE(readlink("/proc/self", text, sizeof text)), USE(text[0]))
    ROW(stat, writes, USE(stat("/", &status)), USE(status.st_mode))
    ROW(fstat, writes, USE(fstat(0, &status)), USE(status.st_mode))
    ROW(statvfs, writes, USE(statvfs("/", &volume)), USE(volume.f_bsize))
    ROW(uname, writes, USE(uname(&names)), USE(names.sysname[0]))
    ROW(getenv, reads, USE(getenv(text) != NULL), text[0] = 'x')
    ROW(inet_pton, writes, USE(inet_pton(AF_INET, "1.2.3.4", &address)), USE(address.s_addr))
    ROW(inet_ntop, writes, USE(inet_ntop(AF_INET, &address, text, sizeof text) != NULL), USE(text[0]))
    ROW(getsockname, writes, USE(getsockname(sockets[0], (struct sockaddr *)&name, &name_size)), USE(name_size))
    ROW(sigaddset, writes, USE(sigaddset(&set, SIGUSR1)), USE(((char *)&set)[0]))
    ROW(sigismember, reads, USE(sigismember(&set, SIGUSR1)), ((char *)&set)[0] = 0)
    ROW(regcomp, reads, regex_t own; USE(regcomp(&own, text, REG_EXTENDED)); regfree(&own), text[0] = 'x')
    ROW(regexec, writes, USE(regexec(&regex, "abc", 1, match, 0)), USE(match[0].rm_so))
    ROW(regexec, reads, regmatch_t own; USE(regexec(&regex, text, 1, &own, 0)), text[0] = 'x')
    ROW(fnmatch, reads, USE(fnmatch("*5*", text, 0)), text[0] = 'x')
    ROW(iconv, writes, char *in = other; char *out = text; size_t left = 4; size_t space = 20; USE(iconv(converter, &in, &left, &out, &space)), USE(text[0]))
    ROW(mkdtemp, reads, USE(mkdtemp(text) != NULL), text[0] = 'x')
    ROW(mkstemp, reads, USE(mkstemp(text)), text[0] = 'x')
    ROW(getpwuid_r, writes, char texts[1000]; USE(getpwuid_r(0, &user, texts, sizeof texts, &user_found)), USE(user_found != NULL))
    ROW(getpwnam_r, reads, char texts[1000]; struct passwd own; struct passwd *found; USE(getpwnam_r(text, &own, texts, sizeof texts, &found)), text[0] = 'x')
    ROW(getgrgid_r, writes, char texts[1000]; USE(getgrgid_r(0, &group, texts, sizeof texts, &group_found)), USE(group_found != NULL))
    ROW(getgrnam_r, reads, char texts[1000]; struct group own; struct group *found; USE(getgrnam_r(text, &own, texts, sizeof texts, &found)), text[0] = 'x')
    ROW(wordexp, writes, USE(wordexp("a b", &words, WRDE_NOCMD)), USE(words.we_wordc))
    ROW(glob, writes, USE(glob("/", 0, NULL, &names_found)), USE(names_found.gl_pathc))
    ROW(strdup, reads, char *copy = strdup(text); free(copy), text[0] = 'x')
    ROW(memcmp, reads, USE(memcmp(text, other, 20)), text[0] = 'x')
    // the rest of the table, in its order
    ROW(rawmemchr, reads, USE(rawmemchr(text, '5') != NULL), text[0] = 'x')
    ROW(strchrnul, reads, USE(strchrnul(text, '5') != NULL), text[0] = 'x')
    ROW(__strtok_r, writes, USE(__strtok_r(text, "5", &pointer) != NULL), USE(text[4]))
    ROW(__xpg_strerror_r, writes, USE(__xpg_strerror_r(2, text, 200)), USE(text[0]))
    ROW(getsubopt, writes, static char *none[] = {NULL}; char *value; USE(getsubopt(&pointer, none, &value)), USE(pointer != NULL))
    ROW(strtoul, reads, USE(strtoul(text, NULL, 10)), text[1] = '7')
    ROW(strtoll, reads, USE(strtoll(text, NULL, 10)), text[1] = '7')
    ROW(strtoimax, reads, USE(strtoimax(text, NULL, 10)), text[1] = '7')
    ROW(strtoumax, reads, USE(strtoumax(text, NULL, 10)), text[1] = '7')
    ROW(strtof, reads, USE(strtof(text, NULL)), text[1] = '7')
    ROW(strtold, writes, USE(strtold(other, &pointer)), USE(pointer != NULL))
    ROW(atol, reads, USE(atol(text)), text[1] = '7')
    ROW(atoll, reads, USE(atoll(text)), text[1] = '7')
    ROW(a64l, reads, USE(a64l(text)), text[1] = '7')
    ROW(erand48, writes, USE(erand48(state)), USE(state[1]))
    ROW(jrand48, writes, USE(jrand48(state)), USE(state[1]))
    ROW(wcstoul, writes, USE(wcstoul(L"12", &wide_end, 10)), USE(wide_end != NULL))
    ROW(wcstoll, reads, wchar_t *end; USE(wcstoll(wide, &end, 10)), wide[1] = L'7')
    ROW(wcstoull, writes, USE(wcstoull(L"12", &wide_end, 10)), USE(wide_end != NULL))
    ROW(wcstod, reads, wchar_t *end; USE(wcstod(wide, &end)), wide[1] = L'7')
    ROW(wcstof, writes, USE(wcstof(L"12", &wide_end)), USE(wide_end != NULL))
    ROW(wcstold, writes, USE(wcstold(L"12", &wide_end)), USE(wide_end != NULL))
    ROW(wcsdup, reads, wchar_t *copy = wcsdup(wide); free(copy), wide[1] = L'x')
    ROW(wcpcpy, writes, wcpcpy(wide, other_wide), USE(wide[1]))
    ROW(wcsncat, writes, wcsncat(other_wide, wide, 3), USE(other_wide[13]))
    ROW(wcscasecmp, reads, USE(wcscasecmp(wide, other_wide)), wide[0] = L'x')
    ROW(wcsncasecmp, reads, USE(wcsncasecmp(wide, other_wide, 3)), wide[0] = L'x')
    ROW(wcstok, writes, USE(wcstok(wide, L"5", &wide_end) != NULL), USE(wide[4]))
    ROW(mbsrtowcs, writes, const char *in = "abc"; USE(mbsrtowcs(wide, &in, 20, NULL)), USE(wide[1]))
    ROW(wcsrtombs, writes, const wchar_t *in = L"abc"; USE(wcsrtombs(text, &in, 20, NULL)), USE(text[1]))
    ROW(mbrlen, writes, USE(mbrlen("abc", 3, &shift)), USE(((char *)&shift)[0]))
    ROW(wctomb, writes, USE(wctomb(text, L'x')), USE(text[0]))
    ROW(wcsftime, writes, struct tm own = {0}; USE(wcsftime(wide, 20, L"%Y", &own)), USE(wide[1]))
    ROW(wcsnlen, reads, USE(wcsnlen(wide, 5)), wide[1] = L'x')
    ROW(wcsncmp, reads, USE(wcsncmp(wide, other_wide, 3)), wide[0] = L'x')
    ROW(wcscoll, reads, USE(wcscoll(wide, other_wide)), wide[0] = L'x')
    ROW(wcsrchr, reads, USE(wcsrchr(wide, L'5') != NULL), wide[9] = L'x')
    ROW(wcsstr, reads, USE(wcsstr(wide, L"zz") != NULL), wide[0] = L'x')
    ROW(wcspbrk, reads, USE(wcspbrk(wide, L"5") != NULL), wide[0] = L'x')
    ROW(wcsspn, reads, USE(wcsspn(wide, L"12")), wide[0] = L'x')
    ROW(wcscspn, reads, USE(wcscspn(wide, L"5")), wide[0] = L'x')
    ROW(wmemmove, writes, wmemmove(wide, other_wide, 5), USE(wide[1]))
    ROW(wmemcmp, reads, USE(wmemcmp(wide, other_wide, 5)), wide[0] = L'x')
    ROW(wmemchr, reads, USE(wmemchr(wide, L'5', 9) != NULL), wide[0] = L'x')
    ROW(mbtowc, writes, USE(mbtowc(wide, "abc", 3)), USE(wide[0]))
    ROW(wcrtomb, writes, USE(wcrtomb(text, L'x', &shift)), USE(text[0]))
    ROW(localtime, reads, USE(localtime(&moment) != NULL), moment = 5)
    ROW(asctime, reads, USE(asctime(&broken) != NULL), broken.tm_year = 5)
    ROW(ctime, reads, USE(ctime(&moment) != NULL), moment = 5)
    ROW(timegm, writes, USE(timegm(&broken)), USE(broken.tm_wday))
    ROW(ttyname_r, writes, USE(ttyname_r(open_terminal(), text, sizeof text)), USE(text[0]))
    ROW(getgroups, writes, USE(getgroups(64, groups)), USE(groups[0]))
    ROW(readlinkat, writes, USE(readlinkat(-100, "/proc/self", text, sizeof text)), USE(text[0]))
    ROW(stat64, writes, USE(stat64("/", &status64)), USE(status64.st_mode))
    ROW(lstat, writes, USE(lstat("/", &status)), USE(status.st_mode))
    ROW(lstat64, writes, USE(lstat64("/", &status64)), USE(status64.st_mode))
    ROW(fstat64, writes, USE(fstat64(0, &status64)), USE(status64.st_mode))
    ROW(fstatat, writes, USE(fstatat(-100, "/", &status, 0)), USE(status.st_mode))
    ROW(fstatat64, writes, USE(fstatat64(-100, "/", &status64, 0)), USE(status64.st_mode))
    ROW(statvfs64, writes, USE(statvfs64("/", &volume64)), USE(volume64.f_bsize))
    ROW(fstatvfs, writes, USE(fstatvfs(fileno(file), &volume)), USE(volume.f_bsize))
    ROW(fstatvfs64, writes, USE(fstatvfs64(fileno(file), &volume64)), USE(volume64.f_bsize))
    ROW(mkstemp64, reads, USE(mkstemp64(text)), text[0] = 'x')
    ROW(fsetpos, reads, USE(fsetpos(file, &position)), ((char *)&position)[0] = 0)
    ROW(fgetpos64, writes, USE(fgetpos64(file, &position64)), USE(((char *)&position64)[0]))
    ROW(fsetpos64, reads, USE(fsetpos64(file, &position64)), ((char *)&position64)[0] = 0)
    ROW(getpeername, writes, USE(getpeername(sockets[0], (struct sockaddr *)&name, &name_size)), USE(name_size))
    ROW(inet_aton, writes, USE(inet_aton("1.2.3.4", &address)), USE(address.s_addr))
    ROW(sigemptyset, writes, USE(sigemptyset(&set)), USE(((char *)&set)[0]))
    ROW(sigfillset, writes, USE(sigfillset(&set)), USE(((char *)&set)[0]))
    ROW(sigdelset, writes, USE(sigdelset(&set, SIGUSR1)), USE(((char *)&set)[0]))
    ROW(__wcscpy_chk, writes, __wcscpy_chk(wide, other_wide, 64), USE(wide[1]))
    ROW(__wcpcpy_chk, writes, __wcpcpy_chk(wide, other_wide, 64), USE(wide[1]))
    ROW(__wcsncpy_chk, writes, __wcsncpy_chk(wide, other_wide, 5, 64), USE(wide[1]))
    ROW(__wcscat_chk, writes, __wcscat_chk(other_wide, wide, 64), USE(other_wide[10]))
    ROW(__wcsncat_chk, writes, __wcsncat_chk(other_wide, wide, 3, 64), USE(other_wide[13]))
    ROW(__wmemcpy_chk, writes, __wmemcpy_chk(wide, other_wide, 5, 64), USE(wide[1]))
    ROW(__wmemmove_chk, writes, __wmemmove_chk(wide, other_wide, 5, 64), USE(wide[1]))
    ROW(__wmemset_chk, writes, __wmemset_chk(wide, L'x', 5, 64), USE(wide[1]))
    ROW(__mbstowcs_chk, writes, USE(__mbstowcs_chk(wide, "abc", 20, 64)), USE(wide[1]))
    ROW(__wcstombs_chk, writes, USE(__wcstombs_chk(text, other_wide, 20, 256)), USE(text[1]))
    ROW(__realpath_chk, writes, USE(__realpath_chk("/", path, sizeof path) != NULL), USE(path[0]))
    ROW(__getcwd_chk, writes, USE(__getcwd_chk(text, 200, 256) != NULL), USE(text[0]))
    ROW(__gethostname_chk, writes, USE(__gethostname_chk(text, 200, 256)), USE(text[0]))
    ROW(__confstr_chk, writes, USE(__confstr_chk(_CS_PATH, text, 200, 256)), USE(text[0]))
    ROW(__readlink_chk, writes, USE(__readlink_chk("/proc/self", text, 200, 256)), USE(text[0]))
    ROW(regerror, writes, USE(regerror(REG_NOMATCH, &regex, text, 100)), USE(text[0]))
    ROW(regfree, writes, regfree(&regex), USE(((char *)&regex)[0]))
    ROW(remque, reads, remque(&element), element.next = NULL)
    ROW(getenv, reads, USE(getenv("POINTER_ROWS") != NULL), setenv("POINTER_ROWS", "2", 1))
    ROW(secure_getenv, reads, USE(secure_getenv("POINTER_ROWS") != NULL), setenv("POINTER_ROWS_TOO", "2", 1))
    ROW(setenv, writes, setenv("POINTER_ROWS", "2", 1), USE(value[0]))
    ROW(setenv, reads, setenv("POINTER_ROWS", text, 1), text[0] = 'x')
    ROW(putenv, writes, putenv("POINTER_ROWS=2"), USE(getenv("POINTER_ROWS") != NULL))
    ROW(unsetenv, writes, unsetenv("POINTER_ROWS"), USE(value[0]))
    ROW(clearenv, writes, clearenv(), USE(getenv("POINTER_ROWS") != NULL))
    ROW(hcreate_r, writes, USE(hcreate_r(8, &empty_table)), USE(empty_table.size))
    ROW(hsearch_r, writes, ENTRY entry = {"new"}; ENTRY *found; USE(hsearch_r(entry, ENTER, &found, &table)), \
        ENTRY entry = {"old"}; ENTRY *found; USE(hsearch_r(entry, FIND, &found, &table)))
    ROW(hsearch_r, reads, ENTRY entry = {text}; ENTRY *found; USE(hsearch_r(entry, FIND, &found, &table)), text[0] = 'x')
    ROW(hdestroy_r, writes, hdestroy_r(&table), USE(table.size))
    ROW(tsearch, writes, USE(tsearch(&numbers[4], &tree, order) != NULL), USE(tfind(&numbers[0], &tree, order) != NULL))
    ROW(tfind, reads, USE(tfind(&numbers[0], &tree, order) != NULL), tree = NULL)
    ROW(tdelete, writes, USE(tdelete(&numbers[1], &tree, order) != NULL), USE(tfind(&numbers[0], &tree, order) != NULL))
    ROW(twalk, reads, twalk(tree, visit), tsearch(&numbers[4], &tree, order))
    ROW(twalk_r, reads, twalk_r(tree, visit_r, NULL), tsearch(&numbers[4], &tree, order))
    ROW(tdestroy, writes, tdestroy(tree, keep), if (!locked) USE(tfind(&numbers[0], &tree, order) != NULL))
    ROW(glob64, writes, USE(glob64("/", 0, NULL, &names_found64)), USE(names_found64.gl_pathc))
    ROW(ftw, reads, USE(ftw(text, visit_file, 3)), text[9] = 'x')
    ROW(ftw64, reads, USE(ftw64(text, visit_file64, 3)), text[9] = 'x')
    ROW(nftw, reads, USE(nftw(text, visit_file_base, 3, 0)), text[9] = 'x')
    ROW(nftw64, reads, USE(nftw64(text, visit_file_base64, 3, 0)), text[9] = 'x')
    ROW(scandir, writes, USE(scandir("/", &entries, none_of, NULL)), USE(entries != NULL))
    // the rest of what POSIX lists
    ROW(strtok, writes, USE(strtok(text, "5") != NULL), USE(text[4]))
    ROW(strverscmp, reads, USE(strverscmp(text, other)), text[0] = 'x')
    ROW(strcoll_l, reads, USE(strcoll_l(text, other, ways)), text[0] = 'x')
    ROW(strxfrm_l, writes, USE(strxfrm_l(text, other, 100, ways)), USE(text[0]))
    ROW(strcasecmp_l, reads, USE(strcasecmp_l(text, other, ways)), text[0] = 'x')
    ROW(strftime_l, writes, struct tm own = {0}; USE(strftime_l(text, 100, "%Y", &own, ways)), USE(text[0]))
    ROW(mblen, reads, USE(mblen(text, 3)), text[0] = 'x')
    ROW(ftok, reads, USE(ftok(text, 1)), text[0] = 'x')
    ROW(inet_addr, reads, USE(inet_addr(text)), text[0] = 'x')
    ROW(frexpf, writes, USE(frexpf(8.5f, &number)), USE(number))
    ROW(frexpl, writes, USE(frexpl(8.5L, &number)), USE(number))
    ROW(modff, writes, USE(modff(8.5f, &single)), USE(single))
    ROW(modfl, writes, USE(modfl(8.5L, &extended)), USE(((char *)&extended)[0]))
    ROW(remquo, writes, USE(remquo(8.5, 3, &number)), USE(number))
    ROW(remquof, writes, USE(remquof(8.5f, 3, &number)), USE(number))
    ROW(remquol, writes, USE(remquol(8.5L, 3, &number)), USE(number))
    ROW(lgamma_r, writes, USE(lgamma_r(8.5, &number)), USE(number))
    ROW(seed48, reads, seed48(state), state[1] = 5)
    ROW(lcong48, reads, lcong48(parameters), parameters[3] = 5)
    ROW(wcstoimax, reads, wchar_t *end; USE(wcstoimax(wide, &end, 10)), wide[1] = L'7')
    ROW(wcstoumax, reads, wchar_t *end; USE(wcstoumax(wide, &end, 10)), wide[1] = L'7')
    ROW(wcpncpy, writes, wcpncpy(wide, other_wide, 5), USE(wide[1]))
    ROW(wmempcpy, writes, wmempcpy(wide, other_wide, 5), USE(wide[1]))
    ROW(wcsxfrm, writes, USE(wcsxfrm(wide, other_wide, 30)), USE(wide[1]))
    ROW(wcswidth, reads, USE(wcswidth(wide, 5)), wide[1] = L'x')
    ROW(mbsnrtowcs, writes, const char *in = "abc"; USE(mbsnrtowcs(wide, &in, 3, 20, NULL)), USE(wide[1]))
    ROW(wcsnrtombs, writes, const wchar_t *in = L"abc"; USE(wcsnrtombs(text, &in, 3, 20, NULL)), USE(text[1]))
    ROW(getsockopt, writes, socklen_t room = sizeof number; USE(getsockopt(sockets[0], SOL_SOCKET, SO_TYPE, &number, &room)), USE(number))
    ROW(setsockopt, reads, USE(setsockopt(sockets[0], SOL_SOCKET, SO_RCVLOWAT, &number, sizeof number)), number = 1)
    ROW(ptsname_r, writes, USE(ptsname_r(posix_openpt(O_RDWR | O_NOCTTY), text, 100)), USE(text[0]))
    ROW(if_indextoname, writes, USE(if_indextoname(1, text) != NULL), USE(text[0]))
    ROW(if_nametoindex, reads, USE(if_nametoindex(text)), text[0] = 'x')
    ROW(utimensat, reads, USE(utimensat(-100, text, NULL, 0)), text[0] = 'x')
    ROW(futimens, reads, USE(futimens(fileno(file), moments)), moments[1].tv_sec = 1)
    ROW(sigandset, writes, sigset_t a; sigset_t b; sigemptyset(&a); sigemptyset(&b); USE(sigandset(&set, &a, &b)), USE(((char *)&set)[0]))
    ROW(sigorset, writes, sigset_t a; sigset_t b; sigemptyset(&a); sigemptyset(&b); USE(sigorset(&set, &a, &b)), USE(((char *)&set)[0]))
    ROW(scandir64, writes, USE(scandir64("/", &entries64, none_of64, NULL)), USE(entries64 != NULL))
    // wide formats
    ROW(swprintf, writes, swprintf(wide, 64, L"%d", number), USE(wide[0]))
    ROW(swprintf, reads, swprintf(other_wide, 64, L"%d %lc %ls", number, L'x', wide), wide[2] = L'7')
    ROW(swprintf, reads, swprintf(other_wide, 64, L"%5.1f %*d %s", real, 3, number, text), text[2] = '7')
    ROW(swprintf, writes, swprintf(other_wide, 64, L"%S%ln", L"abc", &big), USE(big))
    ROW(vswprintf, reads, print_wide_list(other_wide, L"%Lf %ls", 1.0L, wide), wide[2] = L'7')
    ROW(fwprintf, reads, fwprintf(wide_file, L"%ls", wide), wide[2] = L'7')
    ROW(wprintf, reads, freopen("/dev/null", "w", stdout); wprintf(L"%s", text), text[2] = '7')
    ROW(swscanf, reads, int own; USE(swscanf(wide, L"%d", &own)), wide[2] = L'7')
    ROW(swscanf, writes, USE(swscanf(L"17 abc", L"%d %ls", &number, other_wide)), USE(number))
    ROW(swscanf, writes, USE(swscanf(L"17 abc", L"%*d %3l[a-c]", wide)), USE(wide[1]))
    ROW(swscanf, writes, USE(swscanf(L"17 abc", L"%*d %s", text)), USE(text[1]))
    ROW(vswscanf, writes, USE(scan_wide_list(L"17.5", L"%lf", &real)), USE(real))
    ROW(fwscanf, writes, rewind(wide_file); USE(fwscanf(wide_file, L"%d", &number)), USE(number))
    ROW(wscanf, writes, freopen("/proc/self/stat", "r", stdin); USE(wscanf(L"%d", &number)), USE(number))
    ROW(fputws, reads, USE(fputws(wide, wide_file)), wide[1] = L'7')
    ROW(fgetws, writes, rewind(wide_file); USE(fgetws(wide, 20, wide_file) != NULL), USE(wide[1]))
#undef ROW
    return 0;
}
// clang-format on

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *side(void *which)
{
    if (locked)
        pthread_mutex_lock(&mutex);
    run_row(chosen, which != NULL);
    if (locked)
        pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--list") == 0)
        return run_row(-1, 0);
    chosen = atoi(argv[1]);
    locked = argc > 2;
    strcpy(text, "1234567890");
    strcpy(other, "1234567890");
    wcscpy(wide, L"1234567890");
    wcscpy(other_wide, L"1234567890");
    pointer = other;
    count = 3;
    name_size = sizeof name;
    ways = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    regcomp(&regex, "b", REG_EXTENDED);
    converter = iconv_open("UTF-8", "ASCII");
    file = tmpfile();
    fputs("12345 abc\n", file);
    fflush(file);
    socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
    wide_file = tmpfile();
    fputws(L"12345 abc\n", wide_file);
    fflush(wide_file);
    setgroups(2, (gid_t[]){0, 1});
    localtime(&moment);
    setenv("POINTER_ROWS", "1", 1);
    value = getenv("POINTER_ROWS");
    hcreate_r(8, &table);
    for (int i = 0; i < 3; i++)
        tsearch(&numbers[i], &tree, order);
    numbers[4] = 9;
    pthread_t a, b;
    pthread_create(&a, NULL, side, NULL);
    pthread_create(&b, NULL, side, &b);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
