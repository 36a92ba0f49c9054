// SPDX-License-Identifier: MIT
// cxx_thread_in_constructor.cc - a base class starts a thread in its constructor, and the thread calls a virtual function.
//
// Shape: order violation on the virtual table pointer: R'(vptr) before the derived constructor's W(vptr).
// Why:   while the base is being constructed the object is a base object; its run() is pure.
//
// expect: abort|uncaught-exception|exit
// find: pct within 100
#include <thread>

static int rounds;

/* Private work that takes far longer than the rest of a constructor. */
static unsigned calculate(unsigned x)
{
    for (int i = 0; i < 1000000; i++)
        x = x * 1103515245u + 12345u;
    return x;
}

class Service
{
  public:
    Service()
        : thread_([this] {
              key_ = calculate(1);
              run();
          })
    {
    }
    virtual ~Service() = default;

    void wait()
    {
        thread_.join();
    }

  protected:
    virtual void run() = 0;

  private:
    unsigned key_ = 0;
    std::thread thread_;
};

class Counter final : public Service
{
  protected:
    void run() override
    {
        rounds = 3;
    }
};

int main()
{
    Counter counter;
    counter.wait();
    return rounds == 3 ? 0 : 1;
}
