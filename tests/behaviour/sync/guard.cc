// SPDX-License-Identifier: MIT
// guard.cc - rows G, O4 and O5 of docs/posix.md: function-local statics and std::call_once, left by exceptions and not.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::atomic<int> tries{0}, made{0};

struct Fragile {
    int value;
    Fragile()
    {
        if (tries.fetch_add(1) == 0)
            throw std::runtime_error("first try");
        value = 42;
        made++;
    }
};

static int fragile()
{
    for (;;) {
        try {
            static Fragile object;
            return object.value;
        } catch (std::runtime_error &) {
        }
    }
}

static int nested(int depth);
struct Nested {
    int value;
    explicit Nested(int depth) : value(depth > 0 ? nested(depth - 1) : 0)
    {
    }
};
static int nested(int depth)
{
    static Nested object(depth);
    return object.value;
}

static std::once_flag flag;
static int calls;

static void initialise()
{
    if (calls++ == 0)
        throw 1;
}

int main(int argc, char **argv)
{
    if (argc > 1 && std::strcmp(argv[1], "G30") == 0) {
        std::thread([] { nested(1); }).join();
        return 0;
    }
    std::atomic<int> wrong{0}, caught{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&] {
            wrong += fragile() != 42;
            for (bool done = false; !done;) {
                try {
                    std::call_once(flag, initialise);
                    done = true;
                } catch (int) {
                    caught++;
                }
            }
        });
    for (auto &thread : threads)
        thread.join();
    std::printf("G1 %d %d\nG2 %d\nO4 %d\nO5 %d\n", wrong.load(), made.load(), tries.load(), caught.load(), calls);
}
