// SPDX-License-Identifier: MIT
// cxx20_sync.cc - C++20: latch, barrier, counting semaphore and jthread with a stop token.
//
// expect: none
// build: -std=c++20
#include <atomic>
#include <barrier>
#include <cassert>
#include <latch>
#include <semaphore>
#include <thread>

static constexpr int workers = 2;
static std::latch started{workers};
static std::barrier phase{workers};
static std::counting_semaphore<4> slots{1};
static int cell[workers], counter;

static void work(int me)
{
    started.arrive_and_wait();
    cell[me] = me + 1;
    phase.arrive_and_wait();
    assert(cell[1 - me] == 2 - me);
    slots.acquire();
    counter++;
    slots.release();
}

int main()
{
    std::atomic<int> rounds{0};
    {
        std::jthread watcher([&rounds](std::stop_token stop) {
            while (!stop.stop_requested()) {
                rounds++;
                std::this_thread::yield();
            }
        });
        std::jthread a(work, 0), b(work, 1);
    }
    assert(counter == workers);
    return 0;
}
