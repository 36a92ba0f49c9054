// SPDX-License-Identifier: MIT
// cxx_function_static.cc - function statics and call_once are initialised once, however many threads come.
//
// expect: none
#include <atomic>
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>

static std::atomic<int> made{0};

struct Table {
    Table()
    {
        made++;
        names[1] = "one";
        names[2] = "two";
    }
    std::map<int, std::string> names;
};

static const Table &table()
{
    static const Table instance;
    return instance;
}

static std::once_flag flag;
static int by_once;

static void use()
{
    assert(table().names.at(2) == "two");
    std::call_once(flag, [] { by_once++; });
    assert(by_once == 1);
}

int main()
{
    std::thread a(use), b(use), c(use);
    a.join();
    b.join();
    c.join();
    assert(made == 1);
    return 0;
}
