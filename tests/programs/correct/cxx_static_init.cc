// SPDX-License-Identifier: MIT
// cxx_static_init.cc - a function's static object is made once, by one thread, while others wait for it.
//
// expect: none
#include "correct.h"

#include <atomic>
#include <string>
#include <thread>

static std::atomic<int> made{0};
struct registry {
    std::string name;
    registry() : name("registry of everything, with a long name")
    {
        made++;
    }
};
static registry &the_registry()
{
    static registry instance;
    return instance;
}

int main()
{
    auto work = [] { CHECK(the_registry().name.size() > 20); };
    std::thread a(work), b(work);
    work();
    a.join();
    b.join();
    CHECK(made == 1);
    return 0;
}
