// SPDX-License-Identifier: MIT
// cxx_semaphore_pool.cc - a counting_semaphore guards a pool of slots; a binary one hands over.
//
// expect: none
// build: -std=c++20
#include "correct.h"

#include <atomic>
#include <chrono>
#include <semaphore>
#include <thread>

static std::counting_semaphore<2> slots(2);
static std::binary_semaphore full(0);
static std::atomic<int> inside{0};
static int handed;

static void work()
{
    slots.acquire();
    CHECK(++inside <= 2);
    --inside;
    slots.release();
}

int main()
{
    std::jthread a(work), b(work), c(work);
    std::jthread giver([] {
        handed = 4;
        full.release();
    });
    while (!full.try_acquire_for(std::chrono::microseconds(100)))
        std::this_thread::yield();
    CHECK(handed == 4);
    return 0;
}
