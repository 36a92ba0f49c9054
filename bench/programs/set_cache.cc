// SPDX-License-Identifier: MIT
// set_cache.cc - a cache counts hits and misses after it has looked up, and its entries after it has stored: the statistics do not fit.
//
// Shape: cache4j, in C++.  Nothing fails.
// expect: serializability
// run: --fail-on serializability
#include <mutex>
#include <thread>

#include "set.h"

struct cache_statistics {
    long hits, misses, entries;
};

class cache {
    enum { SLOTS = 4 };
    std::recursive_mutex lock;
    long keys[SLOTS] = {}, values[SLOTS] = {};
    long hits = 0, misses = 0, entries = 0;
    using guard = std::lock_guard<std::recursive_mutex>;
#ifdef CORRECT
    using whole = guard;
#else
    struct whole {
        explicit whole(std::recursive_mutex &) {}
    };
#endif

    LIBRARY bool look_up(long key, long &value)
    {
        guard g(lock);
        value = values[key % SLOTS];
        return keys[key % SLOTS] == key;
    }
    LIBRARY void count(bool hit)
    {
        guard g(lock);
        if (hit)
            hits++;
        else
            misses++;
    }

public:
    // BUG: not a whole.
    LIBRARY long get(long key)
    {
        whole w(lock);
        long value;
        bool hit = look_up(key, value);
        count(hit);
        return hit ? value : -1;
    }
    // BUG: not a whole.
    LIBRARY void put(long key, long value)
    {
        whole w(lock);
        bool added;
        {
            guard g(lock);
            added = keys[key % SLOTS] == 0;
            keys[key % SLOTS] = key;
            values[key % SLOTS] = value;
        }
        if (added) {
            guard g(lock);
            entries++;
        }
    }
    LIBRARY void clear()
    {
        guard g(lock);
        for (int i = 0; i < SLOTS; i++)
            keys[i] = 0;
        hits = misses = entries = 0;
    }
    LIBRARY cache_statistics statistics()
    {
        guard g(lock);
        return {hits, misses, entries};
    }
};

int main()
{
    cache *c = new cache;
    c->put(1, 10);
    std::thread reader([c] {
        c->get(1);
        c->get(2);
        work(WORK);
    });
    std::thread writer([c] {
        c->put(2, 20);
        work(WORK);
        c->clear();
    });
    std::thread monitor([c] {
        work(WORK);
        c->statistics();
        c->get(1);
    });
    reader.join();
    writer.join();
    monitor.join();
    delete c;
    return 0;
}
