/* SPDX-License-Identifier: MIT
 *
 * set.c - sets of tasks: walking through them.
 */
#include "runtime/sched/set.h"

struct task *set_next(const struct task_set *set, int after)
{
    uint32_t id = (uint32_t)(after + 1);
    for (uint32_t word = id / 64; word < set_words(); word++) {
        uint64_t bits = set->words[word];
        if (word == id / 64)
            bits &= ~0ull << (id % 64);
        if (bits != 0)
            return rt.tasks[word * 64 + (uint32_t)__builtin_ctzll(bits)];
    }
    return NULL;
}

struct task *set_nth(const struct task_set *set, uint32_t index)
{
    for (uint32_t word = 0; word < set_words(); word++) {
        uint64_t bits = set->words[word];
        uint32_t here = (uint32_t)__builtin_popcountll(bits);
        if (index >= here) {
            index -= here;
            continue;
        }
        while (index-- > 0)
            bits &= bits - 1;
        return rt.tasks[word * 64 + (uint32_t)__builtin_ctzll(bits)];
    }
    return NULL;
}
