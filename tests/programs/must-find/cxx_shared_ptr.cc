// SPDX-License-Identifier: MIT
// cxx_shared_ptr.cc - one shared_ptr object is copied by one thread and reset by another.
//
// Shape: use after free: the copy reads the control block's address, the reset frees it, the copy counts up in it.
// Why:   the count is thread-safe, the shared_ptr object itself is not: std::atomic<std::shared_ptr> or a lock is needed.
//
// expect: use-after-free|double-free
// find: random within 200
// find: pct within 500
#include <memory>
#include <thread>

struct Config {
    int limit = 10;
};

static std::shared_ptr<Config> current;

static int read_limit()
{
    std::shared_ptr<Config> mine = current;
    return mine ? mine->limit : 0;
}

int main()
{
    current = std::make_shared<Config>();
    int limit = 0;
    std::thread reader([&] { limit = read_limit(); });
    std::thread writer([] { current.reset(); });
    reader.join();
    writer.join();
    return limit == 0 || limit == 10 ? 0 : 1;
}
