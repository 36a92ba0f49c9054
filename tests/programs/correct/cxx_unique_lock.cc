// SPDX-License-Identifier: MIT
// cxx_unique_lock.cc - unique_lock: deferred, tried, adopted, moved and released.
//
// expect: none
#include "correct.h"

#include <mutex>
#include <thread>

static std::mutex lock;
static int counter;

static std::unique_lock<std::mutex> locked()
{
    std::unique_lock<std::mutex> guard(lock, std::defer_lock);
    guard.lock();
    return guard;
}

static void work()
{
    auto guard = locked();
    counter++;
    guard.unlock();
    std::unique_lock<std::mutex> tried(lock, std::try_to_lock);
    if (tried)
        counter += 10;
    if (tried) {
        std::mutex *mutex = tried.release();
        std::lock_guard<std::mutex> adopted(*mutex, std::adopt_lock);
        counter += 100;
    }
}

int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    CHECK(counter % 10 == 2 && counter / 10 % 10 == counter / 100);
    return 0;
}
