/* SPDX-License-Identifier: MIT
 *
 * values.c - values that the generated code passes to the module and compares, in both programs around it.
 */
#include <stdint.h>
#include <string.h>

#include "wire/wire_generate.h"

int gen_items[8] = {0, 1, 2, 3, 4, 5, 6, 7};

long long gen_token(const void *pointer)
{
    uintptr_t address = (uintptr_t)pointer, items = (uintptr_t)gen_items;
    if (pointer == NULL)
        return 0;
    if (pointer == gen_object)
        return 1;
    if (address >= items && address < items + sizeof gen_items)
        return 1000 + (long long)(address - items) / (long long)sizeof gen_items[0];
    return 2;
}

long long gen_hash(const void *bytes, unsigned long size)
{
    uint64_t hash = 0x9e3779b97f4a7c15u + size;
    for (unsigned long i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return (long long)(hash >> 1);
}

long long gen_real(double number)
{
    long long bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}
