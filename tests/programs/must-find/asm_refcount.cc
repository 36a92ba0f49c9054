// SPDX-License-Identifier: MIT
// asm_refcount.cc - a counted reference whose release decrements atomically and then looks again whether it was the last.
//
// Shape: a: W(count)=1, b: W(count)=0; a: R(count)=0, b: R(count)=0: both delete.
// Why:   the result of the decrement is thrown away, and the count is read once more.
//
// expect: double-free|use-after-free
// find: pos within 300
// find: random within 300
// tsan: no (inline assembler)
#include "../asm_x86.h"

#include <thread>

namespace {

struct Shared {
    int count = 2;
    int value = 7;
};

void release(Shared *shared)
{
    asm_decrement_is_zero(&shared->count);
    if (asm_load(&shared->count) == 0)
        delete shared;
}

} // namespace

int main()
{
    Shared *shared = new Shared;
    std::thread other([shared] { release(shared); });
    release(shared);
    other.join();
}
