/* SPDX-License-Identifier: MIT
 *
 * restart.c - snapshot and restore of a process by its own means.
 *
 * DESIGN
 *   At the fork point the pages of all private writable mappings that are present and not plain file pages are copied aside.
 *   To restart, each of them is compared with its copy and written back where it differs; everything else in those mappings was
 *   untouched then, so it is given back to the kernel (MADV_DONTNEED), which makes it zero or file content again.  Comparing beats
 *   write protection and soft-dirty bits here: both cost a fault per page and run, and a small program has about a hundred pages.
 *
 *   The restorer has a stack and data of its own that are not part of the snapshot, and calls nothing but system calls: while
 *   it works, no other memory of the process can be trusted.
 *
 *   What lies in the kernel (descriptors, mappings, handlers, threads) is not put back: hooks that change any of it call
 *   restart_forbid, and the process ends after that run; the fork server then makes a new one.
 */
#include "runtime/restart.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/arch/context.h"
#include "runtime/init.h"
#include "runtime/rt.h"

enum {
    PAGE = 4096,
    REGIONS = 512,
    MAPS = 1024,
    STACK = 64 << 10,
    RUNS = 20000, /* then a new process: whatever might creep in does not stay */
};

struct directory_entry { /* as getdents64 gives it */
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

struct region {
    uintptr_t lo, hi;
    uint32_t first_page, page_count; /* in pages[] */
};

/* Everything the restorer needs, in one mapping of its own. */
struct snapshot {
    struct arch_context main, own;
    struct region regions[REGIONS];
    uint32_t region_count;
    struct { uintptr_t address; size_t size; } maps[MAPS]; /* made during the run */
    uint32_t map_count;
    uint32_t page_count, page_limit;
    uintptr_t brk;
    int descriptors;      /* the directory of open descriptors */
    uint64_t fingerprint; /* of what was open */
    uint64_t runs;
    bool taken, forbidden;
    uintptr_t *pages; /* addresses; the copies follow */
    char *copies;
    char stack[STACK] __attribute__((aligned(16)));
};

static struct snapshot *snapshot; /* the pointer is the same before and after: it is set before the snapshot is taken */

static void *map_own(size_t size)
{
    long address = syscall_raw(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return address < 0 && address > -PAGE ? NULL : (void *)address;
}

/* ---- which pages ------------------------------------------------------------------------------------------------------ */

/* /proc/self/maps is read piece by piece; a line is "lo-hi perms offset dev inode path". */
struct reader {
    int fd;
    char buffer[2048];
    long at, end;
};

static int next_char(struct reader *reader)
{
    if (reader->at == reader->end) {
        reader->end = syscall_raw(SYS_read, reader->fd, (long)reader->buffer, sizeof reader->buffer, 0, 0, 0);
        reader->at = 0;
        if (reader->end <= 0)
            return -1;
    }
    return (unsigned char)reader->buffer[reader->at++];
}

static uintptr_t read_hex(struct reader *reader, int *stopped_at)
{
    uintptr_t value = 0;
    int c;
    for (;;) {
        c = next_char(reader);
        if (c >= '0' && c <= '9')
            value = value * 16 + (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value * 16 + (uintptr_t)(c - 'a' + 10);
        else
            break;
    }
    *stopped_at = c;
    return value;
}

/* The kernel joins neighbouring mappings of the same kind: ours may be the tail or head of a line. */
static bool add_region(struct snapshot *s, uintptr_t lo, uintptr_t hi)
{
    uintptr_t own[3][2] = {
        {(uintptr_t)s, (uintptr_t)s + sizeof *s},
        {(uintptr_t)s->pages, (uintptr_t)s->pages + s->page_limit * sizeof(uintptr_t)},
        {(uintptr_t)s->copies, (uintptr_t)s->copies + (uintptr_t)s->page_limit * PAGE},
    };
    for (int i = 0; i < 3; i++) {
        uintptr_t own_lo = own[i][0], own_hi = (own[i][1] + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
        if (own_hi <= lo || own_lo >= hi)
            continue;
        bool good = true;
        if (own_lo > lo)
            good = add_region(s, lo, own_lo);
        if (own_hi < hi)
            good = good && add_region(s, own_hi, hi);
        return good;
    }
    if (s->region_count == REGIONS)
        return false;
    s->regions[s->region_count++] = (struct region){.lo = lo, .hi = hi};
    return true;
}

static bool list_regions(struct snapshot *s)
{
    struct reader reader = {.fd = (int)syscall_raw(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0)};
    if (reader.fd < 0)
        return false;
    bool good = true;
    int c;
    while (good) {
        uintptr_t lo = read_hex(&reader, &c);
        if (c != '-')
            break;
        uintptr_t hi = read_hex(&reader, &c);
        char permissions[4];
        for (int i = 0; i < 4; i++)
            permissions[i] = (char)next_char(&reader);
        if (permissions[0] == 'r' && permissions[1] == 'w' && permissions[3] == 'p')
            good = add_region(s, lo, hi);
        while (c != '\n' && c != -1)
            c = next_char(&reader);
    }
    syscall_raw(SYS_close, reader.fd, 0, 0, 0, 0, 0);
    return good;
}

static void copy_page(void *to, const void *from)
{
    uint64_t *target = to;
    const uint64_t *source = from;
    for (int i = 0; i < PAGE / 8; i++)
        target[i] = source[i];
}

static bool page_differs(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    for (int i = 0; i < PAGE / 8; i += 8)
        if ((x[i] ^ y[i]) | (x[i + 1] ^ y[i + 1]) | (x[i + 2] ^ y[i + 2]) | (x[i + 3] ^ y[i + 3]) | (x[i + 4] ^ y[i + 4]) |
            (x[i + 5] ^ y[i + 5]) | (x[i + 6] ^ y[i + 6]) | (x[i + 7] ^ y[i + 7]))
            return true;
    return false;
}

#define PAGEMAP_PRESENT (1ull << 63)
#define PAGEMAP_SWAPPED (1ull << 62)
#define PAGEMAP_FILE    (1ull << 61)

/* Copies what is there of one region. */
static bool copy_region(struct snapshot *s, struct region *region, int pagemap)
{
    uint64_t entries[256];
    region->first_page = s->page_count;
    for (uintptr_t at = region->lo; at < region->hi;) {
        size_t count = (region->hi - at) / PAGE;
        if (count > sizeof entries / sizeof *entries)
            count = sizeof entries / sizeof *entries;
        long got = syscall_raw(SYS_pread64, pagemap, (long)entries, (long)(count * 8), (long)(at / PAGE * 8), 0, 0);
        if (got != (long)(count * 8))
            return false;
        for (size_t i = 0; i < count; i++, at += PAGE) {
            if (!(entries[i] & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED)) || (entries[i] & PAGEMAP_FILE))
                continue;
            if (s->page_count == s->page_limit)
                return false;
            s->pages[s->page_count] = at;
            copy_page(s->copies + (size_t)s->page_count * PAGE, (void *)at);
            s->page_count++;
        }
    }
    region->page_count = s->page_count - region->first_page;
    return true;
}

/* A sum over the names of all open descriptors: it changes when one more or one less is open. 0 if it cannot be told. */
static uint64_t open_descriptors(int directory)
{
    char entries[4096];
    uint64_t sum = 0;
    long got;
    syscall_raw(SYS_lseek, directory, 0, SEEK_SET, 0, 0, 0);
    while ((got = syscall_raw(SYS_getdents64, directory, (long)entries, sizeof entries, 0, 0, 0)) > 0)
        for (long at = 0; at < got; at += ((struct directory_entry *)(entries + at))->length) {
            uint64_t name = 0;
            for (const char *c = ((struct directory_entry *)(entries + at))->name; *c != '\0'; c++)
                name = name * 131 + (uint64_t)*c;
            sum += (name + 1) * 0x9e3779b97f4a7c15ull;
        }
    return got == 0 ? sum : 0;
}

static bool take(struct snapshot *s)
{
    int pagemap = (int)syscall_raw(SYS_openat, AT_FDCWD, (long)"/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (pagemap < 0)
        return false;
    s->brk = (uintptr_t)syscall_raw(SYS_brk, 0, 0, 0, 0, 0, 0);
    s->descriptors = (int)syscall_raw(SYS_openat, AT_FDCWD, (long)"/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
    bool good = s->descriptors >= 0 && list_regions(s);
    for (uint32_t i = 0; i < s->region_count && good; i++)
        good = copy_region(s, &s->regions[i], pagemap);
    syscall_raw(SYS_close, pagemap, 0, 0, 0, 0, 0);
    s->fingerprint = open_descriptors(s->descriptors);
    return good && s->fingerprint != 0;
}

/* ---- putting it back --------------------------------------------------------------------------------------------------- */

static void give_back(uintptr_t lo, uintptr_t hi)
{
    if (lo < hi)
        syscall_raw(SYS_madvise, (long)lo, (long)(hi - lo), MADV_DONTNEED, 0, 0, 0);
}

static void restore(struct snapshot *s)
{
    for (uint32_t i = 0; i < s->map_count; i++)
        syscall_raw(SYS_munmap, (long)s->maps[i].address, (long)s->maps[i].size, 0, 0, 0, 0);
    s->map_count = 0;
    if ((uintptr_t)syscall_raw(SYS_brk, 0, 0, 0, 0, 0, 0) != s->brk)
        syscall_raw(SYS_brk, (long)s->brk, 0, 0, 0, 0, 0);
    for (uint32_t i = 0; i < s->region_count; i++) {
        const struct region *region = &s->regions[i];
        uintptr_t at = region->lo;
        for (uint32_t p = region->first_page; p < region->first_page + region->page_count; p++) {
            uintptr_t page = s->pages[p];
            const char *copy = s->copies + (size_t)p * PAGE;
            give_back(at, page);
            at = page + PAGE;
            if (page_differs((void *)page, copy))
                copy_page((void *)page, copy);
        }
        give_back(at, region->hi);
    }
}

static void restorer(void *argument)
{
    struct snapshot *s = argument;
    s->taken = take(s);
    for (;;) {
        arch_switch(&s->own, &s->main); /* comes back when a run has ended */
        restore(s);
        s->runs++;
    }
}

/* ---- interface --------------------------------------------------------------------------------------------------------- */

enum { PAGE_LIMIT = 16384 }; /* 64 MiB: beyond that forking is cheaper */

bool restart_prepare(void)
{
    struct snapshot *s = map_own(sizeof *s);
    uintptr_t *pages = map_own(PAGE_LIMIT * sizeof *pages);
    char *copies = map_own((size_t)PAGE_LIMIT * PAGE);
    if (s == NULL || pages == NULL || copies == NULL)
        return false;
    s->pages = pages;
    s->copies = copies;
    s->page_limit = PAGE_LIMIT;
    snapshot = s;
    s->main.thread_base = s->own.thread_base = arch_thread_base();
    arch_prepare(&s->own, (uintptr_t)s->stack + STACK, restorer, s);
    arch_switch(&s->main, &s->own); /* returns here for every run */
    if (!snapshot->taken)
        snapshot = NULL;
    return snapshot != NULL;
}

void restart_again(void)
{
    struct arch_context nobody;
    nobody.thread_base = 0;
    arch_switch(&nobody, &snapshot->own);
    __builtin_unreachable();
}

bool restart_possible(void)
{
    return snapshot != NULL && !snapshot->forbidden && snapshot->runs < RUNS &&
           open_descriptors(snapshot->descriptors) == snapshot->fingerprint;
}

void restart_leave(void)
{
    snapshot = NULL;
}

uint64_t restart_count(void)
{
    return snapshot != NULL ? snapshot->runs : 0;
}

void restart_forbid(void)
{
    if (snapshot != NULL)
        snapshot->forbidden = true;
}

void restart_note_map(uintptr_t address, size_t size)
{
    struct snapshot *s = snapshot;
    if (s == NULL || !s->taken)
        return;
    if (s->map_count == MAPS) {
        s->forbidden = true;
        return;
    }
    s->maps[s->map_count].address = address;
    s->maps[s->map_count++].size = size;
}
