// SPDX-License-Identifier: MIT
// cxx_pmr.cc - a synchronised pool resource serves containers of several threads.
//
// expect: none
#include "correct.h"

#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

int main()
{
    std::pmr::synchronized_pool_resource pool;
    size_t sizes[2];
    auto work = [&](int me) {
        std::pmr::vector<std::pmr::string> texts(&pool);
        for (int i = 0; i < 4; i++)
            texts.emplace_back(20 + i, 'a' + me);
        sizes[me] = texts.size() * texts.back().size();
    };
    std::thread a(work, 0), b(work, 1);
    a.join();
    b.join();
    CHECK(sizes[0] == 4 * 23 && sizes[1] == 4 * 23);
    return 0;
}
