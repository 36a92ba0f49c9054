// SPDX-License-Identifier: MIT
// cxx_call_once_throws.cc - a call_once function that throws is tried again by the next caller.
//
// expect: none
// tsan: no (it deadlocks there, as pthread_once and exceptions do with it)
#include "correct.h"

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static int tries;

int main()
{
    std::once_flag flag;
    std::atomic<int> caught{0};
    auto work = [&] {
        try {
            std::call_once(flag, [] {
                std::lock_guard<std::mutex> guard(lock);
                if (++tries == 1)
                    throw std::runtime_error("not yet");
            });
        } catch (const std::runtime_error &) {
            caught++;
        }
    };
    std::thread a(work), b(work), c(work);
    a.join();
    b.join();
    c.join();
    CHECK(caught == 1 && tries == 2);
    return 0;
}
