// SPDX-License-Identifier: MIT
// asm_registers.cc - what is in registers, in the flags, in vector registers and below the stack pointer is the same before and after
// each instruction of inline assembler, although other threads run meanwhile.
//
// expect: none
// tsan: no (inline assembler)
#include "../asm_x86.h"

#include <cassert>
#include <cstring>
#include <thread>

namespace {

int shared_word;
long words[4];

/* A leaf without calls: its locals may lie below the stack pointer. */
__attribute__((noinline)) long red_zone(int *at, long seed)
{
    volatile long kept[8];
    for (int i = 0; i < 8; i++)
        kept[i] = seed + i;
    __asm__ volatile("lock incl %0" : "+m"(*at) : : "memory", "cc");
    long sum = 0;
    for (int i = 0; i < 8; i++)
        sum += kept[i];
    return sum;
}

/* Carry and vector registers live across a locked instruction that leaves the carry alone (inc). */
bool flags_and_vectors(int *at, long seed)
{
    long out[2] = {0, 0}, in[2] = {seed, ~seed};
    bool carry;
    long r8 = 0, r11 = 0;
    __asm__ volatile("movdqu %5, %%xmm0\n\t"
                     "movdqu %5, %%xmm15\n\t"
                     "movq %6, %%r8\n\t"
                     "movq %6, %%r11\n\t"
                     "stc\n\t"
                     "lock; incl %0\n\t"
                     "setc %1\n\t"
                     "pxor %%xmm15, %%xmm0\n\t"
                     "movdqu %%xmm15, %2\n\t"
                     "movq %%r8, %3\n\t"
                     "movq %%r11, %4\n\t"
                     : "+m"(*at), "=q"(carry), "=m"(out), "=m"(r8), "=m"(r11)
                     : "m"(in), "r"(seed)
                     : "memory", "cc", "xmm0", "xmm15", "r8", "r11");
    return carry && std::memcmp(in, out, sizeof in) == 0 && r8 == seed && r11 == seed;
}

/* A bit number beyond the operand: another word is changed. */
bool set_far_bit(long number)
{
    bool was_set;
    __asm__ volatile("lock; btsq %2, %0; setc %1" : "+m"(words[0]), "=q"(was_set) : "r"(number) : "memory", "cc");
    return was_set;
}

void work(long seed)
{
    assert(red_zone(&shared_word, seed) == 8 * seed + 28);
    assert(flags_and_vectors(&shared_word, seed));
    assert(!set_far_bit(64 + seed));
}

} // namespace

int main()
{
    std::thread a(work, 1), b(work, 2);
    a.join();
    b.join();
    assert(shared_word == 4);
    assert(words[0] == 0 && words[1] == 6);
}
