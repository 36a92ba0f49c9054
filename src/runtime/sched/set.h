/* SPDX-License-Identifier: MIT
 *
 * set.h - sets of tasks, as one bit per task id.
 */
#ifndef RADDLE_SET_H
#define RADDLE_SET_H

#include "runtime/rt.h"

enum { SET_WORDS = WIRE_TASKS / 64 };
/* Half a kilobyte: variables are static, so that they are not left on the stacks of tasks (leftover.c). */
struct task_set {
    uint64_t words[SET_WORDS];
};

/* Words in use.  All operations touch only these. */
static inline uint32_t set_words(void)
{
    return (rt.task_count + 63) / 64;
}
static inline bool set_has(const struct task_set *set, const struct task *task)
{
    return (set->words[task->id / 64] >> (task->id % 64)) & 1;
}
static inline void set_put(struct task_set *set, const struct task *task, bool in)
{
    uint64_t bit = 1ull << (task->id % 64);
    if (in)
        set->words[task->id / 64] |= bit;
    else
        set->words[task->id / 64] &= ~bit;
}
static inline bool set_empty(const struct task_set *set)
{
    for (uint32_t i = 0; i < set_words(); i++)
        if (set->words[i] != 0)
            return false;
    return true;
}
static inline uint32_t set_count(const struct task_set *set)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < set_words(); i++)
        count += (uint32_t)__builtin_popcountll(set->words[i]);
    return count;
}
/* rest := set without `without`. */
static inline void set_minus(struct task_set *rest, const struct task_set *set, const struct task_set *without)
{
    for (uint32_t i = 0; i < set_words(); i++)
        rest->words[i] = set->words[i] & ~without->words[i];
}
/* The member with the lowest id in the words from `word` on; NULL: there is none. */
struct task *set_next_word(const struct task_set *set, uint32_t word);
/* The member with the lowest id above `after` (-1 to begin); NULL: there is none. */
static inline struct task *set_next(const struct task_set *set, int after)
{
    uint32_t id = (uint32_t)(after + 1), word = id / 64;
    if (word >= set_words())
        return NULL;
    uint64_t bits = set->words[word] & ~0ull << (id % 64);
    return likely(bits != 0) ? rt.tasks[word * 64 + (uint32_t)__builtin_ctzll(bits)] : set_next_word(set, word + 1);
}
/* The member number `index`, from 0 on; NULL: there are fewer. */
struct task *set_nth(const struct task_set *set, uint32_t index);
#define SET_EACH(task, set)                                                                                            \
    for (struct task *task = set_next(set, -1); task != NULL; task = set_next(set, (int)task->id))

#endif
