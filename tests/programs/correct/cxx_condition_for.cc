// SPDX-License-Identifier: MIT
// cxx_condition_for.cc - wait_for with a predicate gives the predicate's last value.
//
// expect: none
#include "correct.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;
static std::mutex lock;
static std::condition_variable changed;
static bool ready;

int main()
{
    std::thread worker([] {
        std::this_thread::sleep_for(500us);
        std::lock_guard<std::mutex> guard(lock);
        ready = true;
        changed.notify_one();
    });
    {
        std::unique_lock<std::mutex> guard(lock);
        bool seen = changed.wait_for(guard, 1ms, [] { return ready; });
        CHECK(seen == ready);
        auto end = std::chrono::steady_clock::now() + 1ms;
        if (changed.wait_until(guard, end) == std::cv_status::timeout)
            CHECK(std::chrono::steady_clock::now() >= end);
    }
    worker.join();
    CHECK(ready);
    return 0;
}
