/* SPDX-License-Identifier: MIT
 *
 * random.c - randomness that is the same in every run.
 *
 * Each task has its own sequence, so that what it draws does not depend on the interleaving. /dev/random and
 * /dev/urandom are replaced by a file in memory that holds the beginning of such a sequence. Before the fork point
 * the program draws from the sequence of the main task.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "runtime/hooks/io.h"

enum { DEVICE_BYTES = 1 << 20 };

static RT_RARE uint64_t drawn[WIRE_TASKS]; /* numbers drawn, by task */

static uint64_t draw(uint32_t id)
{
    return rt_mix(rt_mix(0x7261646c65000000ull + id) + ++drawn[id] * 0x9e3779b97f4a7c15ull);
}

static void fill(uint32_t id, void *buffer, size_t size)
{
    unsigned char *out = buffer;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t number = draw(id);
        for (size_t j = 0; j < 8 && i + j < size; j++)
            out[i + j] = (unsigned char)(number >> (8 * j));
    }
}

/* Fills the buffer from the fixed sequence.  False: the caller asks the kernel. */
static bool fill_fixed(void *buffer, size_t size)
{
    struct task *self = rt_self;
    if (self == NULL && !(rt.attached && !rt.controlled))
        return false;
    fill(self != NULL ? self->id : 0, buffer, size);
    return true;
}

/* ---- the devices ------------------------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        a++, b++;
    return *a == *b;
}

bool random_is_device(const char *path)
{
    return path != NULL && (same_text(path, "/dev/urandom") || same_text(path, "/dev/random"));
}

long random_descriptor(bool close_on_exec)
{
    static RT_RARE unsigned char block[1 << 16];
    long fd = RAW(SYS_memfd_create, "random", close_on_exec ? MFD_CLOEXEC : 0);
    if (fd < 0)
        return fd;
    for (size_t done = 0; done < DEVICE_BYTES; done += sizeof block) {
        fill_fixed(block, sizeof block);
        RAW(SYS_write, fd, block, sizeof block);
    }
    RAW(SYS_lseek, fd, 0, SEEK_SET);
    return fd;
}

/* ---- the hooks --------------------------------------------------------------------------------------------------- */

REAL_FUNCTION(getrandom);
REAL_FUNCTION(getentropy);

RT_HOOK ssize_t getrandom(void *buffer, size_t size, unsigned flags)
{
    if ((flags & ~(unsigned)(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE)) != 0 || !fill_fixed(buffer, size))
        return REAL(getrandom)(buffer, size, flags);
    return (ssize_t)size;
}

RT_HOOK int getentropy(void *buffer, size_t size)
{
    if (size > 256 || !fill_fixed(buffer, size))
        return REAL(getentropy)(buffer, size);
    return 0;
}

/* New in later versions of libc, and in libbsd under the same names: looked up only when they are called for real. */
uint32_t arc4random(void);
uint32_t arc4random_uniform(uint32_t bound);
void arc4random_buf(void *buffer, size_t size);
REAL_FUNCTION(arc4random);
REAL_FUNCTION(arc4random_uniform);
REAL_FUNCTION(arc4random_buf);

RT_HOOK uint32_t arc4random(void)
{
    uint32_t value;
    return fill_fixed(&value, sizeof value) ? value : REAL(arc4random)();
}

RT_HOOK uint32_t arc4random_uniform(uint32_t bound)
{
    uint32_t value;
    if (!fill_fixed(&value, sizeof value))
        return REAL(arc4random_uniform)(bound);
    return (uint32_t)(((uint64_t)value * bound) >> 32);
}

RT_HOOK void arc4random_buf(void *buffer, size_t size)
{
    if (!fill_fixed(buffer, size))
        REAL(arc4random_buf)(buffer, size);
}

/* std::random_device of libstdc++ asks the processor itself: its two functions that draw a number. */
unsigned _ZNSt13random_device9_M_getvalEv(void *device);
unsigned _ZNSt13random_device16_M_getval_pretr1Ev(void *device);
REAL_FUNCTION(_ZNSt13random_device9_M_getvalEv);
REAL_FUNCTION(_ZNSt13random_device16_M_getval_pretr1Ev);

RT_HOOK unsigned _ZNSt13random_device9_M_getvalEv(void *device)
{
    unsigned value;
    return fill_fixed(&value, sizeof value) ? value : REAL(_ZNSt13random_device9_M_getvalEv)(device);
}

RT_HOOK unsigned _ZNSt13random_device16_M_getval_pretr1Ev(void *device)
{
    unsigned value;
    return fill_fixed(&value, sizeof value) ? value : REAL(_ZNSt13random_device16_M_getval_pretr1Ev)(device);
}
