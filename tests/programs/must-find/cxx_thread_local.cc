// SPDX-License-Identifier: MIT
// cxx_thread_local.cc - the destructor of a thread_local object uses what the creator of the thread has deleted.
//
// Shape: order violation at thread end: delete by main before the thread_local destructor's write.
// Why:   the future of the result is ready before the thread's own destructors run.
//
// expect: use-after-free
// find: pct within 20
#include <future>
#include <thread>

struct Statistics {
    int flushed = 0;
};

struct Buffer {
    Statistics *statistics = nullptr;
    ~Buffer()
    {
        if (statistics != nullptr)
            statistics->flushed++;
    }
};

static thread_local Buffer buffer;

int main()
{
    auto *statistics = new Statistics;
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread worker([&] {
        buffer.statistics = statistics;
        promise.set_value(42);
    });
    int result = future.get();
    delete statistics; // should come after the join
    worker.join();
    return result == 42 ? 0 : 1;
}
