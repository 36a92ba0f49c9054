// SPDX-License-Identifier: MIT
// cxx_shared_ptr_atomic.cc - std::atomic_load and atomic_store of a shared_ptr: readers keep the old configuration alive.
//
// expect: none
// build: -Wno-deprecated-declarations
// tsan: no (libstdc++'s pool of mutexes is in the library)
#include "correct.h"

#include <memory>
#include <thread>

struct config {
    int a, b;
};
static std::shared_ptr<config> current = std::make_shared<config>(config{1, 1});

int main()
{
    std::thread writer([] {
        for (int i = 2; i < 4; i++)
            std::atomic_store(&current, std::make_shared<config>(config{i, i}));
    });
    for (int i = 0; i < 3; i++) {
        std::shared_ptr<config> mine = std::atomic_load(&current);
        CHECK(mine->a == mine->b);
    }
    writer.join();
    CHECK(std::atomic_load(&current)->a == 3);
    return 0;
}
