// SPDX-License-Identifier: MIT
// cxx_latch_down.cc - a latch lets main go on when all parts are there.
//
// expect: none
// build: -std=c++20
#include "correct.h"

#include <latch>
#include <thread>
#include <vector>

int main()
{
    constexpr int count = 3;
    std::latch done(count);
    std::vector<int> parts(count);
    std::vector<std::jthread> threads;
    for (int i = 0; i < count; i++)
        threads.emplace_back([&, i] {
            parts[i] = i + 1;
            done.count_down();
        });
    done.wait();
    CHECK(done.try_wait());
    CHECK(parts[0] + parts[1] + parts[2] == 6);
    return 0;
}
