// SPDX-License-Identifier: MIT
// cxx_async_wait_for.cc - wait_for on an async result is either ready or a time-out, and in the end there is a result.
//
// expect: none
#include "correct.h"

#include <chrono>
#include <future>
#include <thread>

int main()
{
    using namespace std::chrono_literals;
    auto future = std::async(std::launch::async, [] {
        std::this_thread::sleep_for(1ms);
        return 3;
    });
    auto lazy = std::async(std::launch::deferred, [] { return 4; });
    CHECK(lazy.wait_for(0ms) == std::future_status::deferred);
    while (future.wait_for(200us) != std::future_status::ready)
        CHECK(future.valid());
    CHECK(future.get() + lazy.get() == 7);
    return 0;
}
