// SPDX-License-Identifier: MIT
// cxx_shared_future.cc - several threads wait for one shared_future.
//
// expect: none
#include "correct.h"

#include <future>
#include <thread>
#include <vector>

int main()
{
    std::promise<std::vector<int>> promise;
    std::shared_future<std::vector<int>> future = promise.get_future().share();
    auto sum = [future](int factor) {
        int total = 0;
        for (int x : future.get())
            total += factor * x;
        return total;
    };
    int results[2];
    std::thread a([&] { results[0] = sum(1); }), b([&] { results[1] = sum(2); });
    promise.set_value({1, 2, 3});
    a.join();
    b.join();
    CHECK(results[0] == 6 && results[1] == 12);
    return 0;
}
