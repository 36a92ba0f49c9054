// SPDX-License-Identifier: MIT
// cxx_condition_any.cc - condition_variable_any with a lock of the program's own.
//
// expect: none
#include "correct.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

struct counted_lock {
    std::mutex inner;
    int locks = 0;
    void lock()
    {
        inner.lock();
        locks++;
    }
    void unlock()
    {
        locks--;
        inner.unlock();
    }
};
static counted_lock mine;
static std::condition_variable_any changed;
static int value;

int main()
{
    std::thread worker([] {
        std::unique_lock<counted_lock> guard(mine);
        changed.wait(guard, [] { return value == 1; });
        CHECK(mine.locks == 1);
        value = 2;
        changed.notify_all();
    });
    {
        std::unique_lock<counted_lock> guard(mine);
        value = 1;
        changed.notify_all();
        changed.wait(guard, [] { return value == 2; });
    }
    worker.join();
    CHECK(mine.locks == 0);
    return 0;
}
