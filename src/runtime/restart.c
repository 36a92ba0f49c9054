/* SPDX-License-Identifier: MIT
 *
 * restart.c - snapshot and restore of a process by its own means.
 *
 * DESIGN
 *   At the fork point the pages of all private writable mappings that are present and not plain file pages are copied aside.
 *   To restart, each of them is compared with its copy and written back where it differs.  All other pages of those mappings were
 *   not used then, so they are given back to the kernel (MADV_DONTNEED), and are zero or file content again.  Comparing is faster than
 *   write protection or soft-dirty bits: both cost a fault per page and run, and a small program has about a hundred pages.
 *   Giving back costs a fault per page and run too.  So pages that runs use are added to the snapshot.  A run without
 *   page faults has used no other pages, so after it nothing is given back.
 *
 *   The restorer has its own stack and data, which are not part of the snapshot, and makes only system calls: while
 *   it runs, the rest of memory is not consistent.
 *
 *   What the run has added in the kernel is removed at its end: its descriptors are closed, its mappings unmapped, and
 *   handlers are set as they were (signal_put_back).  What existed before the run cannot be restored (a descriptor that was
 *   closed, memory that was unmapped, limits, threads).  Hooks that change it call restart_forbid, and the process ends after that run;
 *   the fork server then makes a new one.  libc changes some of it without calling hooks.  So the open files and the size
 *   of all mappings are checked after every run.
 */
#include "runtime/restart.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/arch/arch.h"
#include "runtime/arch/context.h"
#include "runtime/checkpoint.h"
#include "runtime/descriptors.h"
#include "runtime/forkserver.h"
#include "runtime/init.h"
#include "runtime/page.h"
#include "runtime/rt.h"

enum {
    PAGE = PAGE_SIZE,
    REGIONS = 512,
    MAPS = 1024,
    DESCRIPTORS = 256,
    STACK = 64 << 10,
    RUNS = 20000,          /* then a new process: an unnoticed change cannot last longer */
    LEARNED = 1024,        /* pages that are added to the snapshot after it was taken */
    LESSONS = 6,           /* at most so often */
    MAIN_STACK = 96 << 20, /* the kernel keeps at least so much below the main stack free of mappings */
};
#define LESSON_REGION ((uintptr_t)1 << 30) /* larger regions are not searched for pages */

struct memory_region {
    uintptr_t lo, hi;
    uint32_t first_page, page_count; /* in pages[] */
};

struct page {
    uintptr_t address;
    const char *copy;
};

/* Everything the restorer needs, in one mapping of its own. */
struct snapshot {
    struct arch_context main, own;
    struct memory_region regions[REGIONS]; /* by address */
    uint32_t region_count;
    struct {
        uintptr_t address;
        size_t size;
    } maps[MAPS]; /* made during the run */
    uint32_t map_count;
    uint32_t page_count, copy_count, page_limit;
    uint32_t taken_pages, lessons; /* the rest of page_count is learned */
    uintptr_t brk;
    uintptr_t stack_lo, stack_floor; /* of main: grows down from stack_lo, nothing else is above the floor */
    uint64_t layout;                 /* sum over all mappings but main's stack */
    uint64_t size;                   /* of all mappings, as the kernel counts it */
    uint64_t faults;                 /* of this process when the run began */
    int statistics, pagemap;         /* open files of /proc/self */
    struct {
        int fd;
        dev_t device;
        ino_t inode;
    } descriptors[DESCRIPTORS]; /* that were open */
    uint32_t descriptor_count;
    int kept[DESCRIPTORS + 4]; /* their numbers and those of the runtime, in order */
    uint32_t kept_count;
    int lowest; /* descriptor that was free */
    uint64_t runs;
    bool taken, forbidden;
    bool closes; /* the kernel can close many at a time */
    page_put_back *put_back;
    struct page *pages; /* by address */
    char *copies;
    char zeros[PAGE] __attribute__((aligned(64)));
    char stack[STACK] __attribute__((aligned(16)));
};

static struct snapshot *snapshot; /* the pointer is the same before and after: it is set before the snapshot is taken */

/* For a snapshot in the middle of a run: where nothing else is. */
#define INSIDE_ADDRESS 0x180000000000ull

/* At the address, which is advanced, or anywhere if that is 0. */
static void *map_own(uintptr_t *at, size_t size)
{
    int fixed = *at != 0 ? MAP_FIXED_NOREPLACE : 0;
    size = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    long address = syscall_raw(SYS_mmap, (long)*at, (long)size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
    if ((address < 0 && address > -PAGE) || (*at != 0 && (uintptr_t)address != *at))
        return NULL;
    *at += *at != 0 ? size : 0;
    return (void *)address;
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
        {(uintptr_t)s->pages, (uintptr_t)s->pages + s->page_limit * sizeof *s->pages},
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
    s->regions[s->region_count++] = (struct memory_region){.lo = lo, .hi = hi};
    return true;
}

/* Whether it is the stack that main is on. */
static bool is_stack(const struct snapshot *s, uintptr_t lo, uintptr_t hi)
{
    return (uintptr_t)s->main.stack >= lo && (uintptr_t)s->main.stack < hi;
}

/* Calls `visit` for all mappings, in order of address, until it returns false.  Returns false then, or if they cannot be read. */
static bool each_mapping(struct snapshot *s,
                         bool (*visit)(struct snapshot *, uintptr_t lo, uintptr_t hi, const char *permissions))
{
    struct reader reader = {
        .fd = (int)syscall_raw(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0)};
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
        good = visit(s, lo, hi, permissions);
        while (c != '\n' && c != -1)
            c = next_char(&reader);
    }
    syscall_raw(SYS_close, reader.fd, 0, 0, 0, 0, 0);
    return good;
}

static bool note_mapping(struct snapshot *s, uintptr_t lo, uintptr_t hi, const char *permissions)
{
    if (is_stack(s, lo, hi)) {
        s->stack_lo = lo;
        s->stack_floor = s->stack_floor > hi - MAIN_STACK ? s->stack_floor : hi - MAIN_STACK;
    } else if (s->stack_lo == 0) {
        s->stack_floor = hi;
    }
    if (permissions[0] == 'r' && permissions[1] == 'w' && permissions[3] == 'p')
        return add_region(s, lo, hi);
    return true;
}

static bool add_to_layout(struct snapshot *s, uintptr_t lo, uintptr_t hi, const char *permissions)
{
    uint64_t mapping = lo * 0x9e3779b97f4a7c15ull + hi;
    for (int i = 0; i < 4; i++)
        mapping = mapping * 131 + (uint64_t)permissions[i];
    if (!is_stack(s, lo, hi))
        s->layout += mapping * 0xbf58476d1ce4e5b9ull;
    return true;
}

static uint64_t current_layout(struct snapshot *s)
{
    uint64_t before = s->layout;
    s->layout = 1;
    uint64_t now = each_mapping(s, add_to_layout) ? s->layout : 0;
    s->layout = before;
    return now;
}

/* Pages in all mappings; 0: not known. */
static uint64_t current_size(const struct snapshot *s)
{
    char text[64];
    long got = syscall_raw(SYS_pread64, s->statistics, (long)text, sizeof text, 0, 0, 0);
    uint64_t size = 0;
    for (long i = 0; i < got && text[i] >= '0' && text[i] <= '9'; i++)
        size = size * 10 + (uint64_t)(text[i] - '0');
    return size;
}

/* Adds the page as it is now. */
static bool keep_page(struct snapshot *s, uintptr_t address)
{
    if (s->page_count == s->page_limit)
        return false;
    const char *copy = s->zeros;
    if (page_differs((void *)address, copy)) {
        char *new = s->copies + (size_t)s->copy_count++ *PAGE;
        page_copy(new, (void *)address);
        copy = new;
    }
    s->pages[s->page_count++] = (struct page){address, copy};
    return true;
}

#define PAGEMAP_PRESENT (1ull << 63)
#define PAGEMAP_SWAPPED (1ull << 62)
#define PAGEMAP_FILE    (1ull << 61)

/* Calls `visit` for each present page in [lo, hi) that is not a plain page of a file, until it returns false.  Returns false then, or if
   the pages cannot be read. */
static bool each_page(struct snapshot *s, uintptr_t lo, uintptr_t hi, bool (*visit)(struct snapshot *, uintptr_t page))
{
    uint64_t entries[512];
    while (lo < hi) {
        size_t count = (hi - lo) / PAGE;
        if (count > sizeof entries / sizeof *entries)
            count = sizeof entries / sizeof *entries;
        long got = syscall_raw(SYS_pread64, s->pagemap, (long)entries, (long)(count * 8), (long)(lo / PAGE * 8), 0, 0);
        if (got != (long)(count * 8))
            return false;
        for (size_t i = 0; i < count; i++, lo += PAGE)
            if ((entries[i] & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED)) && !(entries[i] & PAGEMAP_FILE) && !visit(s, lo))
                return false;
    }
    return true;
}

static bool copy_region(struct snapshot *s, struct memory_region *region)
{
    region->first_page = s->page_count;
    bool good = each_page(s, region->lo, region->hi, keep_page);
    region->page_count = s->page_count - region->first_page;
    return good;
}

/* ---- descriptors ------------------------------------------------------------------------------------------------------- */

static void keep_descriptor(struct snapshot *s, int fd)
{
    uint32_t at = s->kept_count++;
    for (; at > 0 && s->kept[at - 1] > fd; at--)
        s->kept[at] = s->kept[at - 1];
    s->kept[at] = fd;
}

static bool note_descriptor(void *argument, int fd)
{
    struct snapshot *s = argument;
    struct stat status = {.st_dev = 0};
    if (s->kept_count == sizeof s->kept / sizeof s->kept[0])
        return false;
    keep_descriptor(s, fd);
    if (fd == s->statistics || fd == s->pagemap || forkserver_owns(fd))
        return true; /* if the program closes these, their use fails */
    if (s->descriptor_count == DESCRIPTORS || syscall_raw(SYS_fstat, fd, (long)&status, 0, 0, 0, 0) != 0)
        return false;
    s->descriptors[s->descriptor_count].fd = fd;
    s->descriptors[s->descriptor_count].device = status.st_dev;
    s->descriptors[s->descriptor_count++].inode = status.st_ino;
    return true;
}

/* The lowest number that is free. */
static int lowest_descriptor(const struct snapshot *s)
{
    int fd = (int)syscall_raw(SYS_fcntl, s->statistics, F_DUPFD_CLOEXEC, 0, 0, 0, 0);
    if (fd >= 0)
        syscall_raw(SYS_close, fd, 0, 0, 0, 0, 0);
    return fd;
}

static bool list_descriptors(struct snapshot *s)
{
    bool good = descriptors_each(note_descriptor, s);
    s->lowest = lowest_descriptor(s);
    s->closes = syscall_raw(SYS_close_range, INT32_MAX, INT32_MAX, 0, 0, 0, 0) == 0;
    return good;
}

/* Closes what the run has opened. */
static void close_new_descriptors(const struct snapshot *s)
{
    int next = 0;
    for (uint32_t i = 0; i < s->kept_count; i++) {
        if (s->kept[i] > next)
            syscall_raw(SYS_close_range, next, s->kept[i] - 1, 0, 0, 0, 0);
        next = s->kept[i] + 1;
    }
    syscall_raw(SYS_close_range, next, INT32_MAX, 0, 0, 0, 0);
}

/* Whether the run may have left descriptors open.  They mostly have the lowest numbers.  To check all numbers costs more than a small run, so that is
   done only in some runs. */
static bool may_have_opened(const struct snapshot *s)
{
    enum { LOOKED_AT = 8, ALL_EVERY = 64 };
    if (s->runs % ALL_EVERY == 0)
        return true;
    for (int fd = s->lowest; fd < s->lowest + LOOKED_AT; fd++)
        if (!restart_had_descriptor(fd) && syscall_raw(SYS_fcntl, fd, F_GETFD, 0, 0, 0, 0) >= 0)
            return true;
    return false;
}

/* Whether the files that were open are open under the same numbers. */
static bool same_descriptors(const struct snapshot *s)
{
    for (uint32_t i = 0; i < s->descriptor_count; i++) {
        struct stat status = {.st_dev = 0};
        if (syscall_raw(SYS_fstat, s->descriptors[i].fd, (long)&status, 0, 0, 0, 0) != 0 ||
            status.st_dev != s->descriptors[i].device || status.st_ino != s->descriptors[i].inode)
            return false;
    }
    return s->closes || lowest_descriptor(s) == s->lowest;
}

/* ---- taking it --------------------------------------------------------------------------------------------------------- */

/* Page faults of this kernel thread.  (A run with other kernel threads cannot be restarted.) */
static uint64_t count_faults(void)
{
    struct rusage usage = {.ru_minflt = 0};
    syscall_raw(SYS_getrusage, RUSAGE_THREAD, (long)&usage, 0, 0, 0, 0);
    return (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

static bool take(struct snapshot *s)
{
    s->pagemap = descriptors_open_own("/proc/self/pagemap", 0);
    s->statistics = descriptors_open_own("/proc/self/statm", 0);
    if (s->pagemap < 0 || s->statistics < 0 || !list_descriptors(s))
        return false;
    s->brk = (uintptr_t)syscall_raw(SYS_brk, 0, 0, 0, 0, 0, 0);
    bool good = each_mapping(s, note_mapping) && s->stack_lo != 0;
    for (uint32_t i = 0; i < s->region_count && good; i++)
        good = copy_region(s, &s->regions[i]);
    s->layout = current_layout(s);
    s->size = current_size(s);
    s->taken_pages = s->page_count;
    return good && s->layout != 0 && s->size != 0;
}

/* ---- putting it back --------------------------------------------------------------------------------------------------- */

static void give_back(uintptr_t lo, uintptr_t hi)
{
    if (lo < hi)
        syscall_raw(SYS_madvise, (long)lo, (long)(hi - lo), MADV_DONTNEED, 0, 0, 0);
}

/* Gives back all memory between the pages of the snapshot.  Where main's stack has grown, not all is mapped: the kernel skips that. */
static void give_back_rest(struct snapshot *s)
{
    for (uint32_t i = 0; i < s->region_count; i++) {
        const struct memory_region *region = &s->regions[i];
        uintptr_t at = region->lo == s->stack_lo ? s->stack_floor : region->lo;
        for (uint32_t p = region->first_page; p < region->first_page + region->page_count; p++) {
            give_back(at, s->pages[p].address);
            at = s->pages[p].address + PAGE;
        }
        give_back(at, region->hi);
    }
}

static void restore_pages(const struct snapshot *s)
{
    for (uint32_t p = 0; p < s->page_count; p++)
        s->put_back((void *)s->pages[p].address, s->pages[p].copy);
}

/* ---- learning which pages runs use -------------------------------------------------------------------------------------- */

static bool learn_page(struct snapshot *s, uintptr_t page)
{
    if (s->page_count == s->page_limit || s->page_count - s->taken_pages == LEARNED)
        return false;
    s->pages[s->page_count++] = (struct page){page, NULL};
    return true;
}

/* Sinks the entry at `root` of the heap pages[0 … count). */
static void sink(struct page *pages, uint32_t root, uint32_t count)
{
    for (;;) {
        uint32_t child = 2 * root + 1;
        if (child >= count)
            return;
        if (child + 1 < count && pages[child + 1].address > pages[child].address)
            child++;
        if (pages[root].address >= pages[child].address)
            return;
        struct page page = pages[root];
        pages[root] = pages[child];
        pages[child] = page;
        root = child;
    }
}

static void sort_pages(struct page *pages, uint32_t count)
{
    for (uint32_t root = count / 2; root-- > 0;)
        sink(pages, root, count);
    while (count > 1) {
        struct page last = pages[--count];
        pages[count] = pages[0];
        pages[0] = last;
        sink(pages, 0, count);
    }
}

/* All memory is restored.  The pages that were just given back are added to the snapshot, and made present. */
static void keep_learned(struct snapshot *s, uint32_t first)
{
    uint32_t end = s->page_count;
    s->page_count = first;
    for (uint32_t p = first; p < end; p++) {
        uintptr_t address = s->pages[p].address;
        keep_page(s, address);
        *(volatile char *)address = *(const volatile char *)address; /* a private page, not one of the file */
    }
    sort_pages(s->pages, s->page_count);
    uint32_t page = 0;
    for (uint32_t i = 0; i < s->region_count; i++) {
        struct memory_region *region = &s->regions[i];
        region->first_page = page;
        while (page < s->page_count && s->pages[page].address < region->hi)
            page++;
        region->page_count = page - region->first_page;
    }
}

/* Lists the pages that this run has used and that are not in the snapshot, after those that are. */
static void list_touched(struct snapshot *s)
{
    uint32_t known = s->page_count;
    for (uint32_t i = 0; i < s->region_count; i++) {
        const struct memory_region *region = &s->regions[i];
        uintptr_t at = region->lo;
        if (region->hi - region->lo > LESSON_REGION)
            continue;
        for (uint32_t p = region->first_page; p < region->first_page + region->page_count && p < known; p++) {
            if (!each_page(s, at, s->pages[p].address, learn_page))
                return;
            at = s->pages[p].address + PAGE;
        }
        if (!each_page(s, at, region->hi, learn_page))
            return;
    }
}

/* Restores the mappings.  False if something was mapped or unmapped without a hook: only main's stack may grow. */
static bool restore_mappings(struct snapshot *s)
{
    for (uint32_t i = 0; i < s->map_count; i++)
        syscall_raw(SYS_munmap, (long)s->maps[i].address, (long)s->maps[i].size, 0, 0, 0, 0);
    s->map_count = 0;
    if (current_size(s) == s->size)
        return true;
    if ((uintptr_t)syscall_raw(SYS_brk, 0, 0, 0, 0, 0, 0) != s->brk)
        syscall_raw(SYS_brk, (long)s->brk, 0, 0, 0, 0, 0);
    s->size = current_size(s);
    return current_layout(s) == s->layout;
}

static void restore_memory(struct snapshot *s)
{
    uint32_t known = s->page_count;
    bool faulted = count_faults() != s->faults;
    if (faulted) {
        bool lesson = s->lessons < LESSONS;
        if (lesson)
            list_touched(s);
        give_back_rest(s);
        if (lesson && s->page_count > known)
            keep_learned(s, known);
        s->lessons += lesson;
    }
    restore_pages(s);
    if (faulted)
        s->faults = count_faults();
}

static void restorer(void *argument)
{
    struct snapshot *s = argument;
    s->taken = take(s);
    for (;;) {
        arch_switch(&s->own, &s->main); /* returns when a run has ended */
        if (!restore_mappings(s))
            rt_end_process(0); /* between two runs: the server makes a new process */
        if (s->closes && may_have_opened(s))
            close_new_descriptors(s);
        restore_memory(s);
        s->runs++;
    }
}

/* ---- interface --------------------------------------------------------------------------------------------------------- */

/* Beyond that forking is cheaper: 64 MiB, and 32 MiB in the middle of a run, where a fork is all that it costs. */
enum { PAGE_LIMIT = 16384, PAGE_LIMIT_INSIDE = 8192 };

static bool prepare(uintptr_t at, uint32_t page_limit)
{
    struct snapshot *s = map_own(&at, sizeof *s);
    struct page *pages = map_own(&at, page_limit * sizeof *pages);
    char *copies = map_own(&at, (size_t)page_limit * PAGE);
    if (s == NULL || pages == NULL || copies == NULL)
        return false;
    s->pages = pages;
    s->copies = copies;
    s->page_limit = page_limit;
    s->put_back = page_fastest_put_back();
    snapshot = s;
    /* Otherwise the kernel may join pages, and fill in some that no run has used. */
    syscall_raw(SYS_prctl, PR_SET_THP_DISABLE, 1, 0, 0, 0, 0);
    s->main.thread_base = s->own.thread_base = arch_thread_base();
    arch_prepare(&s->own, (uintptr_t)s->stack + STACK, restorer, s);
    arch_switch(&s->main, &s->own); /* returns here for every run */
    if (!snapshot->taken)
        snapshot = NULL;
    return snapshot != NULL;
}

bool restart_prepare(void)
{
    return prepare(0, PAGE_LIMIT);
}

bool restart_prepare_inside(void)
{
    return prepare(INSIDE_ADDRESS, PAGE_LIMIT_INSIDE);
}

void restart_again(void)
{
    struct arch_context unused; /* never switched to */
    unused.thread_base = 0;
    arch_switch(&unused, &snapshot->own);
    __builtin_unreachable();
}

bool restart_possible(void)
{
    return snapshot != NULL && !snapshot->forbidden && snapshot->runs < RUNS && same_descriptors(snapshot);
}

bool restart_owns(int fd)
{
    return snapshot != NULL && (fd == snapshot->statistics || fd == snapshot->pagemap);
}

void restart_leave(void)
{
    struct snapshot *s = snapshot;
    if (s == NULL)
        return;
    snapshot = NULL;
    syscall_raw(SYS_close, s->statistics, 0, 0, 0, 0, 0); /* they tell about the process that took the snapshot */
    syscall_raw(SYS_close, s->pagemap, 0, 0, 0, 0, 0);
    give_back((uintptr_t)s->copies, (uintptr_t)s->copies + (size_t)s->page_limit * PAGE);
}

uint64_t restart_count(void)
{
    return snapshot != NULL ? snapshot->runs : 0;
}

void restart_forbid_here(const char *call)
{
    struct snapshot *s = snapshot;
    if (s == NULL || !s->taken || rt.wire == NULL)
        return;
    s->forbidden = true;
    char *told = rt.wire->result.used_up;
    if (told[0] != '\0')
        return;
    for (size_t i = 0; i + 1 < sizeof rt.wire->result.used_up && call[i] != '\0'; i++)
        told[i] = call[i];
}

void restart_forbid(const char *call)
{
    checkpoint_forbid(call[0] != '\0' ? call : "a new kernel thread");
    restart_forbid_here(call);
}

bool restart_had_descriptor(int fd)
{
    const struct snapshot *s = snapshot;
    for (uint32_t i = 0; s != NULL && i < s->kept_count; i++)
        if (s->kept[i] == fd)
            return true;
    return s != NULL && !s->closes;
}

void restart_note_map(uintptr_t address, size_t size)
{
    struct snapshot *s = snapshot;
    if (s == NULL || !s->taken)
        return;
    if (s->map_count == MAPS) {
        restart_forbid_here("mmap");
        return;
    }
    s->maps[s->map_count].address = address;
    s->maps[s->map_count++].size = size;
}

void restart_note_unmap(uintptr_t address, size_t size)
{
    struct snapshot *s = snapshot;
    if (s == NULL || !s->taken)
        return;
    for (uint32_t i = s->map_count; i-- > 0;)
        if (s->maps[i].address == address && s->maps[i].size == size) {
            s->maps[i] = s->maps[--s->map_count];
            return;
        }
    if (!restart_has_mapped(address, size))
        restart_forbid_here("munmap"); /* it existed before the run */
}

bool restart_has_mapped(uintptr_t address, size_t size)
{
    const struct snapshot *s = snapshot;
    for (uint32_t i = 0; s != NULL && i < s->map_count; i++)
        if (address - s->maps[i].address < s->maps[i].size && size <= s->maps[i].size - (address - s->maps[i].address))
            return true;
    return false;
}
