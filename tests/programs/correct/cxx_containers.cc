// SPDX-License-Identifier: MIT
// cxx_containers.cc - vector, map, string and deque under one mutex.
//
// expect: none
#include "correct.h"

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<std::string> names;
static std::map<std::string, int> index_of;
static std::deque<int> recent;

static void add(const std::string &name)
{
    std::lock_guard<std::mutex> guard(lock);
    index_of.emplace(name, (int)names.size());
    names.push_back(name);
    recent.push_front((int)name.size());
    if (recent.size() > 2)
        recent.pop_back();
}

int main()
{
    std::thread a([] {
        add("one");
        add("a name too long for the small buffer");
    });
    std::thread b([] {
        add("two");
        add("three");
    });
    a.join();
    b.join();
    CHECK(names.size() == 4 && index_of.size() == 4 && recent.size() == 2);
    for (auto &[name, place] : index_of)
        CHECK(names.at(place) == name);
    return 0;
}
