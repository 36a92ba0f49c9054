// SPDX-License-Identifier: MIT
// cxx_condvar_lost.cc - wait() without a predicate.
//
// Shape: lost wake-up: notify_one before wait.
// Why:   the two-argument form of wait would have looked at the flag first.
//
// expect: deadlock
// find: random within 500
// find: pct within 200
#include <condition_variable>
#include <mutex>
#include <thread>

class Gate
{
  public:
    void open()
    {
        std::lock_guard<std::mutex> guard(mutex_);
        open_ = true;
        changed_.notify_one();
    }

    void pass()
    {
        if (is_open())
            return;
        std::unique_lock<std::mutex> guard(mutex_);
        changed_.wait(guard); // the gate may have been opened since
    }

  private:
    bool is_open()
    {
        std::lock_guard<std::mutex> guard(mutex_);
        return open_;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = false;
};

int main()
{
    Gate gate;
    std::thread walker([&] { gate.pass(); });
    gate.open();
    walker.join();
    return 0;
}
