// SPDX-License-Identifier: MIT
// cxx_mutex_abba.cc - swapping two objects locks "this" and then "other".
//
// Shape: cycle of length two in the lock graph, through std::lock_guard.
// Why:   a.swap(b) and b.swap(a) take the locks in opposite orders; std::scoped_lock would not.
//
// expect: deadlock
// find: random within 100
// find: pct within 200
#include <mutex>
#include <thread>
#include <utility>

class Box
{
  public:
    explicit Box(int value) : value_(value)
    {
    }

    void swap(Box &other)
    {
        std::lock_guard<std::mutex> mine(mutex_);
        std::lock_guard<std::mutex> theirs(other.mutex_);
        std::swap(value_, other.value_);
    }

    int value() const
    {
        return value_;
    }

  private:
    std::mutex mutex_;
    int value_;
};

int main()
{
    Box a(1), b(2);
    std::thread one([&] { a.swap(b); });
    std::thread two([&] { b.swap(a); });
    one.join();
    two.join();
    return a.value() + b.value() == 3 ? 0 : 1;
}
