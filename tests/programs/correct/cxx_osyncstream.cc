// SPDX-License-Identifier: MIT
// cxx_osyncstream.cc - std::osyncstream writes a thread's lines as one piece.
//
// expect: none
// build: -std=c++20
// tsan: no (the lock of the stream is in the library)
#include "correct.h"

#include <sstream>
#include <syncstream>
#include <thread>

int main()
{
    std::ostringstream all;
    auto work = [&](char letter) {
        std::osyncstream out(all);
        for (int i = 0; i < 3; i++)
            out << letter;
        out << '\n';
    };
    std::thread a(work, 'a'), b(work, 'b');
    a.join();
    b.join();
    CHECK(all.str() == "aaa\nbbb\n" || all.str() == "bbb\naaa\n");
    return 0;
}
