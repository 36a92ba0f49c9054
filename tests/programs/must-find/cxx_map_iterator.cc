// SPDX-License-Identifier: MIT
// cxx_map_iterator.cc - an element is erased while another thread's iterator stands on it.
//
// Shape: use after free of a tree node: lock, find, unlock; erase by the other; use of the iterator.
// Why:   the lock protects the look-up, but the iterator outlives the lock.
//
// expect: use-after-free
// find: pct within 100
#include <map>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::map<int, int> sessions{{1, 100}, {2, 200}};

static int lookup(int key)
{
    std::map<int, int>::iterator found;
    {
        std::lock_guard<std::mutex> guard(mutex);
        found = sessions.find(key);
        if (found == sessions.end())
            return 0;
    }
    return found->second;
}

int main()
{
    int value = 0;
    std::thread reader([&] { value = lookup(1); });
    std::thread eraser([] {
        std::lock_guard<std::mutex> guard(mutex);
        sessions.erase(1);
    });
    reader.join();
    eraser.join();
    return value == 0 || value == 100 ? 0 : 1;
}
