// SPDX-License-Identifier: MIT
// cxx_exceptions.cc - exceptions are thrown and caught in every thread, guards release, exception_ptr carries one over.
//
// expect: none
#include <cassert>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex mutex;
static int caught;

static void risky(int depth)
{
    std::lock_guard<std::mutex> guard(mutex);
    if (depth % 2 == 0)
        throw std::runtime_error("even " + std::to_string(depth));
}

static void work()
{
    for (int i = 0; i < 3; i++) {
        try {
            risky(i);
        } catch (const std::runtime_error &error) {
            assert(std::string(error.what()).rfind("even", 0) == 0);
            std::lock_guard<std::mutex> guard(mutex);
            caught++;
        }
    }
}

int main()
{
    std::exception_ptr carried;
    std::thread a(work), b(work), c([&] {
        try {
            throw std::out_of_range("carried");
        } catch (...) {
            carried = std::current_exception();
        }
    });
    a.join();
    b.join();
    c.join();
    assert(caught == 4);
    try {
        std::rethrow_exception(carried);
    } catch (const std::out_of_range &) {
        return 0;
    }
    return 1;
}
