/* SPDX-License-Identifier: MIT
 *
 * set.c - sets of tasks: walking through them.
 */
#include "runtime/sched/set.h"

struct task *set_next_word(const struct task_set *set, uint32_t word)
{
    for (; word < set_words(); word++)
        if (set->words[word] != 0)
            return rt.tasks[word * 64 + (uint32_t)__builtin_ctzll(set->words[word])];
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
