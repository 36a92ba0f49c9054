// SPDX-License-Identifier: MIT
// cxx_function_queue.cc - std::function objects of many kinds run in a pool of two threads.
//
// expect: none
#include "correct.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>

struct pool {
    std::mutex lock;
    std::condition_variable filled;
    std::queue<std::function<void()>> jobs;
    bool closed = false;
    std::thread threads[2];
    pool()
    {
        for (auto &thread : threads)
            thread = std::thread([this] { run(); });
    }
    ~pool()
    {
        {
            std::lock_guard<std::mutex> guard(lock);
            closed = true;
        }
        filled.notify_all();
        for (auto &thread : threads)
            thread.join();
    }
    void add(std::function<void()> job)
    {
        std::lock_guard<std::mutex> guard(lock);
        jobs.push(std::move(job));
        filled.notify_one();
    }
    void run()
    {
        for (std::unique_lock<std::mutex> guard(lock);;) {
            filled.wait(guard, [this] { return closed || !jobs.empty(); });
            if (jobs.empty())
                return;
            auto job = std::move(jobs.front());
            jobs.pop();
            guard.unlock();
            job();
            guard.lock();
        }
    }
};
static int total;
static void add_five()
{
    __atomic_fetch_add(&total, 5, __ATOMIC_RELAXED);
}

int main()
{
    {
        pool workers;
        for (int i = 1; i <= 3; i++)
            workers.add([i] { __atomic_fetch_add(&total, i, __ATOMIC_RELAXED); });
        workers.add(add_five);
    }
    CHECK(total == 11);
    return 0;
}
