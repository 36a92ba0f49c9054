// SPDX-License-Identifier: MIT
// cxx_packaged_task.cc - packaged tasks travel through a queue to a worker.
//
// expect: none
#include "correct.h"

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable filled;
static std::deque<std::packaged_task<int()>> queue;
static bool closed;

static void serve()
{
    for (;;) {
        std::unique_lock<std::mutex> guard(lock);
        filled.wait(guard, [] { return !queue.empty() || closed; });
        if (queue.empty())
            return;
        auto task = std::move(queue.front());
        queue.pop_front();
        guard.unlock();
        task();
    }
}

int main()
{
    std::thread worker(serve);
    std::future<int> results[3];
    for (int i = 0; i < 3; i++) {
        std::packaged_task<int()> task([i] { return i * i; });
        results[i] = task.get_future();
        std::lock_guard<std::mutex> guard(lock);
        queue.push_back(std::move(task));
        filled.notify_one();
    }
    for (int i = 0; i < 3; i++)
        CHECK(results[i].get() == i * i);
    {
        std::lock_guard<std::mutex> guard(lock);
        closed = true;
    }
    filled.notify_all();
    worker.join();
    return 0;
}
