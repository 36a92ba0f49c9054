// SPDX-License-Identifier: MIT
// cxx_divide_and_conquer.cc - a sum by recursive std::async.
//
// expect: none
#include "correct.h"

#include <future>
#include <numeric>
#include <vector>

static int sum(const int *from, const int *to)
{
    if (to - from <= 2)
        return std::accumulate(from, to, 0);
    const int *middle = from + (to - from) / 2;
    auto left = std::async(std::launch::async, sum, from, middle);
    int right = sum(middle, to);
    return left.get() + right;
}

int main()
{
    std::vector<int> numbers(8);
    std::iota(numbers.begin(), numbers.end(), 1);
    CHECK(sum(numbers.data(), numbers.data() + numbers.size()) == 36);
    return 0;
}
