// SPDX-License-Identifier: MIT
// cxx_jthread_stop.cc - a jthread's stop callback wakes a condition_variable_any wait.
//
// expect: none
// build: -std=c++20
#include "correct.h"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

static std::mutex lock;
static std::condition_variable_any changed;
static int stopped;

int main()
{
    std::jthread worker([](std::stop_token stop) {
        std::unique_lock<std::mutex> guard(lock);
        bool called = false;
        std::stop_callback callback(stop, [] {});
        called = changed.wait(guard, stop, [] { return false; });
        CHECK(!called && stop.stop_requested());
        stopped++;
    });
    worker.request_stop();
    worker.join();
    CHECK(stopped == 1);
    return 0;
}
