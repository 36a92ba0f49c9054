// SPDX-License-Identifier: MIT
// cxx_threads.cc - std::thread, mutex, condition_variable and shared_ptr in one small pipeline.
//
// expect: none
#include <cassert>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Channel
{
  public:
    void put(std::shared_ptr<std::string> text)
    {
        {
            std::lock_guard<std::mutex> guard(mutex_);
            queue_.push_back(std::move(text));
        }
        changed_.notify_one();
    }

    std::shared_ptr<std::string> take()
    {
        std::unique_lock<std::mutex> guard(mutex_);
        changed_.wait(guard, [this] { return !queue_.empty(); });
        auto text = queue_.front();
        queue_.pop_front();
        return text;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<std::string>> queue_;
};

int main()
{
    Channel channel;
    std::size_t length[2] = {0, 0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++)
        threads.emplace_back([&channel, &length, i] {
            for (auto text = channel.take(); text != nullptr; text = channel.take())
                length[i] += text->size();
        });
    for (int i = 0; i < 3; i++)
        channel.put(std::make_shared<std::string>(40, 'x'));
    channel.put(nullptr);
    channel.put(nullptr);
    for (auto &thread : threads)
        thread.join();
    assert(length[0] + length[1] == 120);
    return 0;
}
