// SPDX-License-Identifier: MIT
// cxx_thread_local.cc - thread_local objects with constructors and destructors, reporting to an object that outlives them.
//
// expect: none
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static int total;

class Counter
{
  public:
    ~Counter()
    {
        std::lock_guard<std::mutex> guard(mutex);
        for (int value : values_)
            total += value;
    }

    void add(int value)
    {
        values_.push_back(value);
    }

  private:
    std::vector<int> values_;
};

static thread_local Counter counter;

static void work(int n)
{
    for (int i = 1; i <= n; i++)
        counter.add(i);
}

int main()
{
    std::thread a(work, 3), b(work, 4);
    a.join();
    b.join();
    std::lock_guard<std::mutex> guard(mutex);
    assert(total == 6 + 10);
    return 0;
}
