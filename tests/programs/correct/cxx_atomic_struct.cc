// SPDX-License-Identifier: MIT
// cxx_atomic_struct.cc - std::atomic of a small struct, by compare-exchange.
//
// expect: none
#include "correct.h"

#include <atomic>
#include <thread>

struct range {
    int low, high;
};

int main()
{
    std::atomic<range> shared{range{0, 0}};
    auto widen = [&](int by) {
        range old = shared.load();
        while (!shared.compare_exchange_weak(old, range{old.low - by, old.high + by}))
            CHECK(old.low == -old.high);
    };
    std::thread a(widen, 1), b(widen, 2);
    a.join();
    b.join();
    range end = shared.load();
    CHECK(end.low == -3 && end.high == 3);
    return 0;
}
