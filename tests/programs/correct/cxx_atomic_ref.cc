// SPDX-License-Identifier: MIT
// cxx_atomic_ref.cc - atomic_ref makes plain variables atomic for a while.
//
// expect: none
// build: -std=c++20
#include "correct.h"

#include <atomic>
#include <thread>
#include <vector>

int main()
{
    std::vector<long> bins(4);
    auto count = [&](int start) {
        for (int i = 0; i < 6; i++)
            std::atomic_ref<long>(bins[(start + i) % 4]).fetch_add(1, std::memory_order_relaxed);
    };
    std::thread a(count, 0), b(count, 1);
    a.join();
    b.join();
    CHECK(bins[0] + bins[1] + bins[2] + bins[3] == 12);
    return 0;
}
