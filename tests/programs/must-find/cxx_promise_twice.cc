// SPDX-License-Identifier: MIT
// cxx_promise_twice.cc - two searchers find the answer, and both fulfil the promise.
//
// Shape: check-then-act around std::promise::set_value, which throws the second time.
// Why:   "if not yet answered, answer" with an atomic flag that is read and then written.
//
// expect: uncaught-exception|abort
// find: random within 20
// find: pct within 50
#include <atomic>
#include <future>
#include <thread>

static std::promise<int> answer;
static std::atomic<bool> answered{false};

static void search(int value)
{
    if (!answered.load()) {
        answer.set_value(value);
        answered.store(true);
    }
}

int main()
{
    std::future<int> future = answer.get_future();
    std::thread one(search, 1), two(search, 2);
    int value = future.get();
    one.join();
    two.join();
    return value == 1 || value == 2 ? 0 : 1;
}
