// SPDX-License-Identifier: MIT
// stack.hpp - a stack with little room.
#pragma once
#include <cstddef>
#include <mutex>
#include <vector>
namespace demo
{
class Stack
{
  public:
    Stack() = default;
    explicit Stack(std::size_t room);
    ~Stack();
    bool push(int value);
    int pop();
    bool empty() const;
    std::size_t size() const;

  private:
    mutable std::mutex mutex_;
    std::vector<int> values_;
    std::size_t room_ = 4;
};
} // namespace demo
