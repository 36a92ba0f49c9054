/* SPDX-License-Identifier: MIT
 *
 * hash.h - mixing and hashing of 64-bit numbers and bytes, and a small seeded generator.  All results are the same on
 * every machine: users write down seeds and schedule numbers.
 */
#ifndef RADDLE_UTIL_HASH_H
#define RADDLE_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

/* A bijection that spreads every input bit over the output (splitmix64's finaliser). */
static inline uint64_t hash_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

static inline uint64_t hash_combine(uint64_t a, uint64_t b)
{
    return hash_mix(a + 0x9e3779b97f4a7c15ull * (b + 1));
}

uint64_t hash_bytes(const void *bytes, size_t size, uint64_t seed);
uint64_t hash_string(const char *text);

/* splitmix64 */
struct generator {
    uint64_t state;
};

static inline uint64_t generator_next(struct generator *generator)
{
    return hash_mix(generator->state += 0x9e3779b97f4a7c15ull);
}

/* A number below n (n >= 1), with a negligible bias. */
static inline uint64_t generator_below(struct generator *generator, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)generator_next(generator) * n) >> 64);
}

#endif
