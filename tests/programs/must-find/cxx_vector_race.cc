// SPDX-License-Identifier: MIT
// cxx_vector_race.cc - two threads push into one vector.
//
// Shape: data race on the three pointers of a std::vector; the block is moved by one and written by the other.
// Why:   containers are not thread-safe; it goes well until the vector must grow.
//
// expect: use-after-free|double-free|out-of-block|assert|invalid-free|signal|uncaught-exception
// find: random within 20
// find: pct within 50
#include <cassert>
#include <thread>
#include <vector>

int main()
{
    std::vector<int> values;
    values.push_back(0); // full now: the next one makes it grow
    auto add = [&values](int value) { values.push_back(value); };
    std::thread one(add, 1), two(add, 2);
    one.join();
    two.join();
    assert(values.size() == 3);
    return 0;
}
