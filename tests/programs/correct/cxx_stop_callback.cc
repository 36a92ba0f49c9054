// SPDX-License-Identifier: MIT
// cxx_stop_callback.cc - each stop callback runs once, in whichever thread asked for the stop, or not at all.
//
// expect: none
// build: -std=c++20
#include "correct.h"

#include <atomic>
#include <stop_token>
#include <thread>

int main()
{
    std::stop_source source;
    std::atomic<int> calls{0}, winners{0};
    std::stop_callback callback(source.get_token(), [&] { calls++; });
    std::thread a([&] { winners += source.request_stop(); });
    std::thread b([&] { std::stop_callback late(source.get_token(), [&] { calls += 10; }); });
    winners += source.request_stop();
    a.join();
    b.join();
    CHECK(winners == 1 && (calls == 1 || calls == 11));
    return 0;
}
