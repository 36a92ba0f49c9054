// SPDX-License-Identifier: MIT
// memory_protect.c - pages are mapped, protected, opened again and unmapped by two threads, each its own.
//
// expect: none
#include "correct.h"

#include <sys/mman.h>

static int finished;

static void *work(void *unused)
{
    (void)unused;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    memory[0] = 1;
    memory[2 * page] = 3;
    CHECK(mprotect(memory, page, PROT_READ) == 0 && memory[0] == 1);
    CHECK(mprotect(memory, page, PROT_READ | PROT_WRITE) == 0);
    memory[0] = 2;
    CHECK(madvise(memory + page, page, MADV_DONTNEED) == 0 && memory[page] == 0);
    CHECK(munmap(memory + page, page) == 0);
    CHECK(memory[0] == 2 && memory[2 * page] == 3);
    CHECK(munmap(memory, page) == 0 && munmap(memory + 2 * page, page) == 0);
    __atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void)
{
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    CHECK(finished == 2);
    return 0;
}
