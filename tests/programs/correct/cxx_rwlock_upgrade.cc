// SPDX-License-Identifier: MIT
// cxx_rwlock_upgrade.cc - shared_mutex: an exclusive section after a shared one looks again.
//
// expect: none
#include "correct.h"

#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex lock;
static int value, raised;

static void raise_to(int wanted)
{
    std::shared_lock<std::shared_mutex> reading(lock);
    bool low = value < wanted;
    reading.unlock();
    if (!low)
        return;
    std::unique_lock<std::shared_mutex> writing(lock);
    if (value < wanted) {
        value = wanted;
        raised++;
    }
}

int main()
{
    std::thread a(raise_to, 3), b(raise_to, 5), c(raise_to, 4);
    a.join();
    b.join();
    c.join();
    CHECK(value == 5 && raised >= 1 && raised <= 3);
    return 0;
}
