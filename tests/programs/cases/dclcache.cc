// dclcache.cc - a double-checked cache publishes an entry before it is filled in.
// clang-format off
// expect: exit
// says: T[0-9] (read heap#[0-9]+.port at dclcache.cc:49 before T[0-9] came to its write at :37|wrote heap#[0-9]+.port at dclcache.cc:16 before T[0-9] read it at :49)
// rows: 26 23 49 51

// A cache with double-checked initialisation of its entries.
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Settings {
    std::string host;
    int port = 0;
};

class Cache {
public:
    const Settings &settings()
    {
        if (!m_settings) {
            std::lock_guard<std::mutex> guard(m_mutex);
            if (!m_settings) {
                m_settings = new Settings;       // published before it is filled in
                load(*m_settings);
            }
        }
        return *m_settings;
    }

private:
    static void load(Settings &s)
    {
        s.host = "db.example.com";
        s.port = 5432;
    }

    std::mutex m_mutex;
    Settings *m_settings = nullptr;
};

static Cache cache;

static void connect(int worker)
{
    const Settings &s = cache.settings();
    if (s.port == 0) {
        std::fprintf(stderr, "worker %d: cannot connect to %s:%d\n", worker, s.host.c_str(), s.port);
        std::exit(1);
    }
}

int main()
{
    std::vector<std::thread> workers;
    for (int i = 0; i < 3; i++)
        workers.emplace_back(connect, i);
    for (auto &w : workers)
        w.join();
}
