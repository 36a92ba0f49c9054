// SPDX-License-Identifier: MIT
// cxx_atomic_check_then_act.cc - a limit on an atomic counter is checked before the increment.
//
// Shape: check-then-act on std::atomic: both see room for one, both come in.
// Why:   operator++ and operator< are atomic each, `if (n < limit) n++` is not.
//
// expect: assert
// find: random within 50
// find: pct within 200
#include <atomic>
#include <cassert>
#include <thread>

class Room
{
  public:
    bool enter()
    {
        if (people_ >= limit)
            return false;
        ++people_;
        return true;
    }

    int people() const
    {
        return people_;
    }

    static constexpr int limit = 1;

  private:
    std::atomic<int> people_{0};
};

int main()
{
    Room room;
    std::thread one([&] { room.enter(); });
    std::thread two([&] { room.enter(); });
    one.join();
    two.join();
    assert(room.people() <= Room::limit);
    return 0;
}
