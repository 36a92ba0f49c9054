// SPDX-License-Identifier: MIT
// cxx_exception_lock.cc - an exception leaves a function between lock() and unlock().
//
// Shape: the lock stays held by a thread that has gone on; the next one waits for ever.
// Why:   lock and unlock by hand instead of a guard, and the exception is only thrown if another thread was faster.
//
// expect: deadlock
// find: random within 50
// find: pct within 100
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex mutex;
static int seats = 1;

static void reserve()
{
    mutex.lock();
    if (seats == 0)
        throw std::runtime_error("sold out"); // the mutex stays locked
    seats--;
    mutex.unlock();
}

static void cancel()
{
    mutex.lock();
    seats++;
    mutex.unlock();
}

static void customer()
{
    try {
        reserve();
        cancel();
    } catch (const std::runtime_error &) {
    }
}

int main()
{
    std::thread one(customer), two(customer);
    one.join();
    two.join();
    std::lock_guard<std::mutex> guard(mutex);
    return seats == 1 ? 0 : 1;
}
