// SPDX-License-Identifier: MIT
// cxx_weak_ptr.cc - the last owner destroys, once; a weak_ptr that is locked in time keeps the object.
//
// expect: none
#include "correct.h"

#include <atomic>
#include <memory>
#include <thread>

static std::atomic<int> destroyed{0};
struct object {
    int value = 5;
    ~object()
    {
        value = 0;
        destroyed++;
    }
};

int main()
{
    auto owner = std::make_shared<object>();
    std::weak_ptr<object> weak = owner;
    std::thread watcher([weak] {
        if (auto strong = weak.lock())
            CHECK(strong->value == 5);
    });
    std::thread other([copy = owner] { CHECK(copy->value == 5); });
    owner.reset();
    watcher.join();
    other.join();
    CHECK(destroyed == 1 && weak.expired());
    return 0;
}
