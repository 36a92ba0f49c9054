// SPDX-License-Identifier: MIT
// cxx_async.cc - async, future, packaged_task, and an exception that crosses threads through a future.
//
// expect: none
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

static int square(int x)
{
    if (x < 0)
        throw std::invalid_argument("negative");
    return x * x;
}

int main()
{
    std::future<int> a = std::async(std::launch::async, square, 3);
    std::future<int> b = std::async(std::launch::async, square, -1);
    std::packaged_task<int(int)> task(square);
    std::future<int> c = task.get_future();
    std::thread thread(std::move(task), 5);
    assert(a.get() == 9);
    bool caught = false;
    try {
        b.get();
    } catch (const std::invalid_argument &) {
        caught = true;
    }
    assert(caught);
    assert(c.get() == 25);
    thread.join();
    return 0;
}
