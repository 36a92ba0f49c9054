// SPDX-License-Identifier: MIT
// unit_shapes.cc - for units.test: what is one atomic set in C++, and which calls are its units.  The argument says which shape is tried.
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <thread>

#define APART __attribute__((noinline))

static std::mutex m;
static volatile int result; // what is not used, the compiler leaves out
using guard = std::lock_guard<std::mutex>;

// A struct in a struct: what is done to the inner one is done to the whole.
struct span {
    int lo, hi;
};
struct picture {
    span rows;
    int size;
};
APART static void span_set(span &s, int lo, int hi)
{
    {
        guard g(m);
        s.lo = lo;
    }
    {
        guard g(m);
        s.hi = hi;
    }
}
APART static int picture_check(const picture *p)
{
    guard g(m);
    return p->size - (p->rows.hi - p->rows.lo);
}

// A template, and a const method.
template <typename T> class box
{
    T first{}, second{};

  public:
    APART void put(T value)
    {
        {
            guard g(m);
            first = value;
        }
        {
            guard g(m);
            second = value;
        }
    }
    APART bool same() const
    {
        guard g(m);
        return first == second;
    }
};

// Elements of an array: each by itself.
struct counter {
    int value, changes;
};
static counter counters[2];
APART static void counter_add(counter *c)
{
    {
        guard g(m);
        c->value++;
    }
    {
        guard g(m);
        c->changes++;
    }
}

// A list and its nodes: no function has a pointer to a node only.
struct node {
    node *next;
    int value;
};
struct list {
    node *first;
    int length;
};
APART static void list_add(list *l, int value)
{
    node *n = new node{nullptr, value};
    {
        guard g(m);
        n->next = l->first;
        l->first = n;
    }
    {
        guard g(m);
        l->length++;
    }
}
APART static int list_sum(list *l)
{
    guard g(m);
    int sum = l->length;
    for (node *n = l->first; n != nullptr; n = n->next)
        sum += n->value;
    return sum;
}

// Loops over a queue, which have a pointer to it as its own functions have: no unit is longer than a round.
struct queue {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
    int added = 0, taken = 0;
};
APART static void feed(queue *q)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&q->lock);
        q->added++;
        pthread_cond_signal(&q->not_empty);
        pthread_mutex_unlock(&q->lock);
    }
}
APART static void drain(queue *q)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&q->lock);
        while (q->added == q->taken)
            pthread_cond_wait(&q->not_empty, &q->lock);
        q->taken++;
        pthread_cond_signal(&q->not_empty);
        pthread_mutex_unlock(&q->lock);
    }
}

template <typename A, typename B> static void both(A a, B b)
{
    std::thread one(a), two(b);
    one.join();
    two.join();
}

int main(int argc, char **argv)
{
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 0: {
        picture p{};
        both([&p] { span_set(p.rows, 1, 2); }, [&p] { result = picture_check(&p); });
        break;
    }
    case 1: {
        auto *b = new box<long>;
        both([b] { b->put(7); }, [b] { result = b->same(); });
        delete b;
        break;
    }
    case 2:
        both([] { counter_add(&counters[0]); }, [] { counter_add(&counters[1]); });
        break;
    case 3:
        both([] { counter_add(&counters[1]); }, [] { counter_add(&counters[1]); });
        break;
    case 5: {
        static queue q;
        both([] { feed(&q); }, [] { drain(&q); });
        break;
    }
    default: {
        static list l;
        both([] { list_add(&l, 3); }, [] { result = list_sum(&l); });
    }
    }
}
