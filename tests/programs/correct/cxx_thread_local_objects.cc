// SPDX-License-Identifier: MIT
// cxx_thread_local_objects.cc - thread_local objects are made on first use and destroyed at the end of their thread.
//
// expect: none
#include "correct.h"

#include <atomic>
#include <string>
#include <thread>

static std::atomic<int> alive{0}, made{0};

struct counted {
    std::string name = "nameless, and long enough for the heap";
    counted()
    {
        alive++;
        made++;
    }
    ~counted()
    {
        CHECK(name.size() > 10);
        alive--;
    }
};
static thread_local counted mine;

int main()
{
    std::thread a([] { mine.name += " a"; }), b([] { mine.name += " b"; }), c([] {});
    a.join();
    b.join();
    c.join();
    CHECK(alive == 0 && made >= 2);
    return 0;
}
