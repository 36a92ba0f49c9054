// SPDX-License-Identifier: MIT
// set_tree_set.cc - the smallest element is removed after it was asked whether there is one.
//
// Shape: TreeSet (JDK 1.4.2, synchronised), in C++.
// expect: assert
#include <mutex>
#include <thread>

#include "set.h"

class tree_set {
    struct node {
        int key;
        node *left, *right;
    };
    mutable std::recursive_mutex lock;
    node *root = nullptr;
    int size = 0;
    node pool[8] = {};
    int next = 0;
    using guard = std::lock_guard<std::recursive_mutex>;
#ifdef CORRECT
    using whole = guard;
#else
    struct whole {
        explicit whole(std::recursive_mutex &) {}
    };
#endif

public:
    LIBRARY bool is_empty() const
    {
        guard g(lock);
        return size == 0;
    }
    LIBRARY void add(int key)
    {
        guard g(lock);
        node **place = &root;
        while (*place != nullptr && (*place)->key != key)
            place = key < (*place)->key ? &(*place)->left : &(*place)->right;
        if (*place == nullptr && next < 8) {
            *place = &pool[next++];
            (*place)->key = key;
            size++;
        }
    }
    LIBRARY int first() const
    {
        guard g(lock);
        assert(root != nullptr);
        const node *n = root;
        while (n->left != nullptr)
            n = n->left;
        return n->key;
    }
    LIBRARY bool remove(int key)
    {
        guard g(lock);
        node **place = &root;
        while (*place != nullptr && (*place)->key != key)
            place = key < (*place)->key ? &(*place)->left : &(*place)->right;
        if (*place == nullptr)
            return false;
        node *gone = *place;
        if (gone->left == nullptr) {
            *place = gone->right;
        } else {
            node **last = &gone->left;
            while ((*last)->right != nullptr)
                last = &(*last)->right;
            node *replacement = *last;
            *last = replacement->left;
            replacement->left = gone->left;
            replacement->right = gone->right;
            *place = replacement;
        }
        size--;
        return true;
    }
    // BUG: not a whole.
    LIBRARY int take_first()
    {
        whole w(lock);
        if (is_empty())
            return -1;
        int key = first();
        remove(key);
        return key;
    }
    // BUG: not a whole.
    LIBRARY int span() const
    {
        whole w(lock);
        return is_empty() ? 0 : first() + count();
    }
    LIBRARY int count() const
    {
        guard g(lock);
        return size;
    }
};

int main()
{
    tree_set set;
    set.add(5);
    set.add(3);
    std::thread one([&set] {
        set.take_first();
        work(WORK);
        set.span();
    });
    std::thread two([&set] {
        work(WORK);
        set.take_first();
        set.remove(5);
    });
    std::thread three([&set] {
        work(WORK / 2);
        set.remove(3);
    });
    one.join();
    two.join();
    three.join();
    return 0;
}
