// SPDX-License-Identifier: MIT
// cxx_iostreams.cc - each thread has a stringstream of its own, and std::cout is shared under a lock.
//
// expect: none
#include "correct.h"

#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

static std::mutex lock;
static int lines;

static void work(int n)
{
    std::ostringstream text;
    text << "thread " << n << ": " << 1.5 * n << std::hex << 255;
    std::istringstream back(text.str());
    std::string word;
    int number = 0;
    back >> word >> number;
    CHECK(word == "thread" && number == n);
    std::lock_guard<std::mutex> guard(lock);
    std::cout << text.str() << '\n';
    lines++;
}

int main()
{
    std::thread a(work, 1), b(work, 2);
    a.join();
    b.join();
    std::cout << std::flush;
    CHECK(lines == 2);
    return 0;
}
