// SPDX-License-Identifier: MIT
// pointer_rows.c - one race per function of libc that reads or writes through its arguments; used by pointers.test.
//
// pointer_rows --list       prints "NUMBER LINE reads|writes NAME" of each row
// pointer_rows N            one thread makes call N, the other one accesses the same memory
// pointer_rows N locked     the same with a mutex around both
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fnmatch.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wordexp.h>

static char text[256], other[256], path[5000], *pointer;
static wchar_t wide[64], other_wide[64], *wide_end;
static int numbers[8] = {3, 1, 2}, number;
static long big;
static double real;
static unsigned seed;
static unsigned short state[3];
static struct tm broken;
static time_t moment;
static struct timespec spec;
static struct stat status;
static struct statvfs volume;
static struct utsname names;
static struct passwd user, *user_found;
static struct group group, *group_found;
static wordexp_t words;
static glob_t names_found;
static sigset_t set;
static regex_t regex;
static regmatch_t match[1];
static struct in_addr address;
static mbstate_t shift;
static size_t count, room;
static void *root;
static fpos_t position;
static gid_t groups[64];
static FILE *file;
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
#undef ROW
    return 0;
}
// clang-format on

static int chosen, locked;
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
    regcomp(&regex, "b", REG_EXTENDED);
    converter = iconv_open("UTF-8", "ASCII");
    file = tmpfile();
    fputs("12345 abc\n", file);
    fflush(file);
    socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
    localtime(&moment);
    pthread_t a, b;
    pthread_create(&a, NULL, side, NULL);
    pthread_create(&b, NULL, side, &b);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
