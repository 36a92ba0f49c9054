// SPDX-License-Identifier: MIT
// cxx_uncaught.cc - a lookup throws in a thread when the key has just been erased.
//
// Shape: check-then-act over two locked calls; the failure is an exception that is not caught.
// Why:   contains() and at() are safe each, together they are not.
//
// expect: uncaught-exception|abort
// find: random within 20
// find: pct within 200
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

class Registry
{
  public:
    bool contains(int key)
    {
        std::lock_guard<std::mutex> guard(mutex_);
        return map_.count(key) != 0;
    }

    int at(int key)
    {
        std::lock_guard<std::mutex> guard(mutex_);
        return map_.at(key);
    }

    void erase(int key)
    {
        std::lock_guard<std::mutex> guard(mutex_);
        map_.erase(key);
    }

  private:
    std::mutex mutex_;
    std::map<int, int> map_{{1, 10}};
};

int main()
{
    Registry registry;
    int value = 10;
    std::thread reader([&] {
        if (registry.contains(1))
            value = registry.at(1);
    });
    std::thread eraser([&] { registry.erase(1); });
    reader.join();
    eraser.join();
    return value == 10 ? 0 : 1;
}
