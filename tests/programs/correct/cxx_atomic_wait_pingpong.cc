// SPDX-License-Identifier: MIT
// cxx_atomic_wait_pingpong.cc - atomic wait and notify: two threads take turns.
//
// expect: none
// build: -std=c++20
#include "correct.h"

#include <atomic>
#include <thread>

int main()
{
    std::atomic<int> turn{0};
    int plain = 0;
    std::thread other([&] {
        for (int i = 0; i < 3; i++) {
            turn.wait(2 * i);
            CHECK(plain == 2 * i + 1);
            plain++;
            turn.store(2 * i + 2);
            turn.notify_one();
        }
    });
    for (int i = 0; i < 3; i++) {
        CHECK(plain == 2 * i);
        plain++;
        turn.store(2 * i + 1);
        turn.notify_one();
        while (turn.load() != 2 * i + 2)
            turn.wait(2 * i + 1);
    }
    other.join();
    CHECK(plain == 6);
    return 0;
}
