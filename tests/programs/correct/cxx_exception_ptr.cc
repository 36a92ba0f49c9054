// SPDX-License-Identifier: MIT
// cxx_exception_ptr.cc - an exception goes from one thread to another by exception_ptr.
//
// expect: none
#include "correct.h"

#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

static int risky(int n)
{
    std::string heavy(40, 'x');
    if (n == 0)
        throw std::out_of_range("bottom " + heavy);
    return 1 + risky(n - 1);
}

int main()
{
    std::exception_ptr caught[2];
    auto work = [&](int me) {
        try {
            risky(me + 2);
        } catch (...) {
            caught[me] = std::current_exception();
        }
    };
    std::thread a(work, 0), b(work, 1);
    a.join();
    b.join();
    int seen = 0;
    for (auto &pointer : caught)
        try {
            std::rethrow_exception(pointer);
        } catch (const std::out_of_range &error) {
            seen += std::string(error.what()).substr(0, 6) == "bottom";
        }
    CHECK(seen == 2);
    return 0;
}
