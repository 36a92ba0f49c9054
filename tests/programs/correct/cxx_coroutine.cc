// SPDX-License-Identifier: MIT
// cxx_coroutine.cc - a coroutine is suspended in one thread and resumed in another.
//
// expect: none
// build: -std=c++20
#include "correct.h"

#include <coroutine>
#include <mutex>
#include <thread>

struct task {
    struct promise_type {
        int value = 0;
        task get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend()
        {
            return {};
        }
        std::suspend_always final_suspend() noexcept
        {
            return {};
        }
        std::suspend_always yield_value(int v)
        {
            value = v;
            return {};
        }
        void return_void()
        {
        }
        void unhandled_exception()
        {
            abort();
        }
    };
    std::coroutine_handle<promise_type> handle;
};

static task count(int limit)
{
    for (int i = 1; i <= limit; i++)
        co_yield i;
}

static std::mutex lock;
static int sum;

int main()
{
    task counter = count(4);
    auto work = [&] {
        for (;;) {
            std::lock_guard<std::mutex> guard(lock);
            if (counter.handle.done())
                return;
            counter.handle.resume();
            if (!counter.handle.done())
                sum += counter.handle.promise().value;
        }
    };
    std::thread a(work), b(work);
    a.join();
    b.join();
    counter.handle.destroy();
    CHECK(sum == 10);
    return 0;
}
