// SPDX-License-Identifier: MIT
// cxx_promise.cc - a promise gives its value, or its exception, to the thread that waits.
//
// expect: none
#include "correct.h"

#include <future>
#include <stdexcept>
#include <thread>

int main()
{
    std::promise<int> value, failure;
    std::future<int> first = value.get_future(), second = failure.get_future();
    std::thread worker([&] {
        value.set_value(5);
        failure.set_exception(std::make_exception_ptr(std::runtime_error("as agreed")));
    });
    CHECK(first.get() == 5);
    bool caught = false;
    try {
        second.get();
    } catch (const std::runtime_error &error) {
        caught = std::string(error.what()) == "as agreed";
    }
    CHECK(caught);
    worker.join();
    return 0;
}
