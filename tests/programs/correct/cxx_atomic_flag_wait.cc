// SPDX-License-Identifier: MIT
// cxx_atomic_flag_wait.cc - atomic_flag: test, wait, notify_all.
//
// expect: none
// build: -std=c++20
#include "correct.h"

#include <atomic>
#include <thread>

static std::atomic_flag go, done[2];
static int data;

static void work(int me)
{
    go.wait(false);
    CHECK(data == 1 && go.test());
    done[me].test_and_set();
    done[me].notify_all();
}

int main()
{
    std::thread a(work, 0), b(work, 1);
    data = 1;
    go.test_and_set();
    go.notify_all();
    done[0].wait(false);
    done[1].wait(false);
    a.join();
    b.join();
    return 0;
}
