// SPDX-License-Identifier: MIT
// set_account_class.cc - an account is copied by a constructor that holds its lock twice, while interest is credited: the copy mixes two states.
//
// Shape: the example of AssetFuzzer (Account), in C++.  Nothing fails.
// expect: serializability
// run: --fail-on serializability
#include <mutex>
#include <thread>

#include "set.h"

class account {
    mutable std::recursive_mutex lock;
    long checking, savings;
    using guard = std::lock_guard<std::recursive_mutex>;

public:
    LIBRARY account(long c, long s)
    {
        set_checking(c);
        set_savings(s);
    }
    // BUG: not a whole.
    LIBRARY account(const account &other)
    {
#ifdef CORRECT
        guard whole(other.lock);
#endif
        set_checking(other.get_checking());
        set_savings(other.get_savings());
    }
    LIBRARY bool is_legal() const { return get_checking() >= 0 && get_savings() >= 0; }
    LIBRARY void credit_interest(long percent)
    {
        guard g(lock);
        set_checking(get_checking() * (100 + percent) / 100);
        set_savings(get_savings() * (100 + percent) / 100);
    }
    LIBRARY long get_checking() const
    {
        guard g(lock);
        return checking;
    }
    LIBRARY long get_savings() const
    {
        guard g(lock);
        return savings;
    }
    LIBRARY void set_checking(long amount)
    {
        guard g(lock);
        checking = amount;
    }
    LIBRARY void set_savings(long amount)
    {
        guard g(lock);
        savings = amount;
    }
};

int main()
{
    account customer(100, 200);
    if (!customer.is_legal())
        return 1;
    std::thread bank([&customer] {
        work(WORK);
        customer.credit_interest(10);
    });
    account copy(customer);
    work(WORK);
    bank.join();
    return 0;
}
