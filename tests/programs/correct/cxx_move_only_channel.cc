// SPDX-License-Identifier: MIT
// cxx_move_only_channel.cc - unique_ptrs through a bounded channel: each is received once, by one.
//
// expect: none
#include "correct.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

template <typename T> class channel
{
    std::mutex lock;
    std::condition_variable changed;
    std::deque<T> items;
    bool closed = false;

  public:
    void send(T item)
    {
        std::unique_lock<std::mutex> guard(lock);
        changed.wait(guard, [this] { return items.size() < 2; });
        items.push_back(std::move(item));
        changed.notify_all();
    }
    std::optional<T> receive()
    {
        std::unique_lock<std::mutex> guard(lock);
        changed.wait(guard, [this] { return !items.empty() || closed; });
        if (items.empty())
            return std::nullopt;
        T item = std::move(items.front());
        items.pop_front();
        changed.notify_all();
        return item;
    }
    void close()
    {
        std::lock_guard<std::mutex> guard(lock);
        closed = true;
        changed.notify_all();
    }
};

int main()
{
    channel<std::unique_ptr<int>> numbers;
    int sums[2] = {0, 0};
    auto consume = [&](int me) {
        while (auto item = numbers.receive())
            sums[me] += **item;
    };
    std::thread a(consume, 0), b(consume, 1);
    for (int i = 1; i <= 4; i++)
        numbers.send(std::make_unique<int>(i));
    numbers.close();
    a.join();
    b.join();
    CHECK(sums[0] + sums[1] == 10);
    return 0;
}
