// SPDX-License-Identifier: MIT
// cxx_shared_mutex.cc - shared_mutex, timed and recursive mutexes, scoped_lock in both orders.
//
// expect: none
// tsan: no (ThreadSanitizer does not know pthread_mutex_clocklock)
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex table_mutex;
static int table[2] = {1, -1};

static std::mutex left_mutex, right_mutex;
static std::timed_mutex timed;
static std::recursive_mutex recursive;
static int swaps, nested;

static int read_table()
{
    std::shared_lock<std::shared_mutex> lock(table_mutex);
    return table[0] + table[1];
}

static void write_table(int value)
{
    std::unique_lock<std::shared_mutex> lock(table_mutex);
    table[0] = value;
    table[1] = -value;
}

static void work(bool forth)
{
    assert(read_table() == 0);
    write_table(forth ? 5 : 6);
    if (forth) {
        std::scoped_lock both(left_mutex, right_mutex);
        swaps++;
    } else {
        std::scoped_lock both(right_mutex, left_mutex);
        swaps++;
    }
    if (timed.try_lock_for(std::chrono::milliseconds(3)))
        timed.unlock();
    std::lock_guard<std::recursive_mutex> outer(recursive);
    std::lock_guard<std::recursive_mutex> inner(recursive);
    nested++;
}

int main()
{
    std::thread a(work, true), b(work, false);
    a.join();
    b.join();
    assert(swaps == 2 && nested == 2);
    assert(read_table() == 0);
    return 0;
}
