/* SPDX-License-Identifier: MIT
 *
 * hash.c - hashing of bytes: FNV-1a, then mixed.
 */
#include "util/hash.h"

#include <assert.h>
#include <string.h>

uint64_t hash_bytes(const void *bytes, size_t size, uint64_t seed)
{
    assert(bytes != NULL || size == 0);
    const unsigned char *byte = bytes;
    uint64_t hash = 0xcbf29ce484222325ull ^ seed;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3ull;
    return hash_mix(hash);
}

uint64_t hash_string(const char *text)
{
    return hash_bytes(text, strlen(text), 0);
}
