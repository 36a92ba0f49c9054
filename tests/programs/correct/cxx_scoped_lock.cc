// SPDX-License-Identifier: MIT
// cxx_scoped_lock.cc - std::scoped_lock takes two mutexes in any order without deadlock.
//
// expect: none
#include "correct.h"

#include <mutex>
#include <thread>

static std::mutex first, second;
static int money[2] = {10, 10};

int main()
{
    std::thread a([] {
        for (int i = 0; i < 2; i++) {
            std::scoped_lock guard(first, second);
            money[0]--;
            money[1]++;
        }
    });
    std::thread b([] {
        for (int i = 0; i < 2; i++) {
            std::scoped_lock guard(second, first);
            money[1]--;
            money[0]++;
        }
    });
    a.join();
    b.join();
    CHECK(money[0] == 10 && money[1] == 10);
    return 0;
}
