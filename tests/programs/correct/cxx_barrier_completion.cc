// SPDX-License-Identifier: MIT
// cxx_barrier_completion.cc - the completion function of a barrier runs once per phase, before anyone goes on.
//
// expect: none
// build: -std=c++20
// tsan: no (it does not see through libstdc++'s waits in the library)
#include "correct.h"

#include <barrier>
#include <thread>

int main()
{
    int phases = 0, cells[2] = {0, 0}, sum = 0;
    auto complete = [&]() noexcept {
        phases++;
        sum = cells[0] + cells[1];
    };
    std::barrier barrier(2, complete);
    auto work = [&](int me) {
        for (int round = 1; round <= 3; round++) {
            cells[me] = round;
            barrier.arrive_and_wait();
            CHECK(phases == 2 * round - 1 && sum == 2 * round);
            barrier.arrive_and_wait();
        }
    };
    std::jthread a(work, 0), b(work, 1);
    a.join();
    b.join();
    CHECK(phases == 6);
    return 0;
}
