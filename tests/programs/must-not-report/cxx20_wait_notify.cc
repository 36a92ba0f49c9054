// SPDX-License-Identifier: MIT
// cxx20_wait_notify.cc - C++20: atomic wait and notify order plain data.
//
// expect: none
// build: -std=c++20
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> stage{0};
static int data;

int main()
{
    std::thread worker([] {
        stage.wait(0);
        assert(data == 1);
        data = 2;
        stage.store(2);
        stage.notify_all();
    });
    data = 1;
    stage.store(1);
    stage.notify_all();
    for (int seen = stage.load(); seen != 2; seen = stage.load())
        stage.wait(seen);
    assert(data == 2);
    worker.join();
    return 0;
}
