// SPDX-License-Identifier: MIT
// cxx_shared_timed_mutex.cc - a cache under a shared_timed_mutex: read shared, fill exclusively, look again in between.
//
// expect: none
// tsan: no (it does not know pthread_rwlock_clockrdlock)
#include "correct.h"

#include <chrono>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;
static std::shared_timed_mutex lock;
static std::map<int, int> cache;
static int computed;

static int square(int x)
{
    {
        std::shared_lock<std::shared_timed_mutex> guard(lock, 5ms);
        if (guard) {
            auto found = cache.find(x);
            if (found != cache.end())
                return found->second;
        }
    }
    std::unique_lock<std::shared_timed_mutex> guard(lock);
    auto [place, isNew] = cache.try_emplace(x, x * x);
    computed += isNew;
    return place->second;
}

int main()
{
    std::thread a([] { CHECK(square(3) == 9 && square(4) == 16); });
    std::thread b([] { CHECK(square(4) == 16 && square(3) == 9); });
    a.join();
    b.join();
    CHECK(computed == 2);
    return 0;
}
