// SPDX-License-Identifier: MIT
// cxx_function_static.cc - the initialiser of a function static takes a lock that a waiter for the static holds.
//
// Shape: cycle through a mutex and the hidden guard of a function static.
// Why:   the guard is a lock that cannot be seen in the source.
//
// expect: deadlock
// find: random within 50
// find: pct within 100
#include <atomic>
#include <mutex>
#include <thread>

static std::mutex registry_mutex;
static std::atomic<int> begun;
static int registered;

struct Plugin {
    Plugin()
    {
        begun.store(1);
        std::lock_guard<std::mutex> guard(registry_mutex);
        id = ++registered;
    }
    int id = 0;
};

static Plugin &plugin()
{
    static Plugin instance;
    return instance;
}

int main()
{
    int listed = 0;
    std::thread user([] { plugin(); });
    std::thread lister([&] {
        std::lock_guard<std::mutex> guard(registry_mutex);
        if (begun.load())
            listed = plugin().id; // waits for the initialiser, which waits for the mutex
    });
    user.join();
    lister.join();
    return listed <= 1 ? 0 : 1;
}
