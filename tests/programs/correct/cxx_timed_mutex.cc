// SPDX-License-Identifier: MIT
// cxx_timed_mutex.cc - timed_mutex and recursive_timed_mutex: a time-out is no lock.
//
// expect: none
// tsan: no (it does not know pthread_mutex_clocklock)
#include "correct.h"

#include <chrono>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;
static std::timed_mutex plain;
static std::recursive_timed_mutex recursive;
static int got, counter;

static void work()
{
    if (plain.try_lock_for(5ms)) {
        got++;
        plain.unlock();
    }
    if (recursive.try_lock_until(std::chrono::steady_clock::now() + 5ms)) {
        CHECK(recursive.try_lock());
        counter++;
        recursive.unlock();
        recursive.unlock();
    }
}

int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    CHECK(got <= 2 && counter <= 2);
    return 0;
}
