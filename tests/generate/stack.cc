// SPDX-License-Identifier: MIT
// stack.cc - whether there is a value is asked in one critical section, and it is taken in the next one.
#include "stack.hpp"
namespace demo
{
Stack::Stack(std::size_t room) : room_(room)
{
}
Stack::~Stack()
{
}
bool Stack::push(int value)
{
    std::lock_guard<std::mutex> guard(mutex_);
    if (values_.size() >= room_)
        return false;
    values_.push_back(value);
    return true;
}
int Stack::pop()
{
#ifndef CORRECT
    if (empty())
        return -1;
    std::lock_guard<std::mutex> guard(mutex_);
#else
    std::lock_guard<std::mutex> guard(mutex_);
    if (values_.empty())
        return -1;
#endif
    int value = values_.back();
    values_.pop_back();
    return value;
}
bool Stack::empty() const
{
    std::lock_guard<std::mutex> guard(mutex_);
    return values_.empty();
}
std::size_t Stack::size() const
{
    std::lock_guard<std::mutex> guard(mutex_);
    return values_.size();
}
} // namespace demo
