/* SPDX-License-Identifier: MIT
 *
 * vector.h - a growing array of any type.
 *
 *     VECTOR(int) numbers = {0};
 *     vector_push(&numbers, 7);
 *     for (size_t i = 0; i < numbers.count; i++) use(numbers.data[i]);
 *     vector_free(&numbers);
 */
#ifndef RADDLE_UTIL_VECTOR_H
#define RADDLE_UTIL_VECTOR_H

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

#define VECTOR(type)                                                                                                   \
    struct {                                                                                                           \
        type *data;                                                                                                    \
        size_t count, capacity;                                                                                        \
    }

/* Room for at least n elements in all. */
#define vector_reserve(v, n)                                                                                           \
    do {                                                                                                               \
        size_t vector_n = (n);                                                                                         \
        if (vector_n > (v)->capacity) {                                                                                \
            size_t vector_capacity = (v)->capacity ? (v)->capacity * 2 : 8;                                            \
            if (vector_capacity < vector_n)                                                                            \
                vector_capacity = vector_n;                                                                            \
            (v)->data = memory_resize((v)->data, vector_capacity, sizeof *(v)->data);                                  \
            (v)->capacity = vector_capacity;                                                                           \
        }                                                                                                              \
    } while (0)

/* Empties an array that is filled again and again, with room for n elements: it does not become twice as large for a little more. */
#define vector_refill(v, n)                                                                                            \
    do {                                                                                                               \
        size_t vector_n = (n);                                                                                         \
        (v)->count = 0;                                                                                                \
        if (vector_n > (v)->capacity) {                                                                                \
            free((v)->data);                                                                                           \
            (v)->capacity = vector_n + vector_n / 16;                                                                  \
            (v)->data = memory_resize(NULL, (v)->capacity, sizeof *(v)->data);                                         \
        }                                                                                                              \
    } while (0)

#define vector_push(v, ...)                                                                                            \
    do {                                                                                                               \
        vector_reserve(v, (v)->count + 1);                                                                             \
        (v)->data[(v)->count++] = (__VA_ARGS__);                                                                       \
    } while (0)

/* Append n elements from an array. */
#define vector_append(v, from, n)                                                                                      \
    do {                                                                                                               \
        size_t vector_more = (n);                                                                                      \
        if (vector_more > 0) {                                                                                         \
            vector_reserve(v, (v)->count + vector_more);                                                               \
            memcpy((v)->data + (v)->count, (from), vector_more * sizeof *(v)->data);                                   \
            (v)->count += vector_more;                                                                                 \
        }                                                                                                              \
    } while (0)

/* In an array of n elements that is sorted by `member`: how many have a member of at most `limit`. */
#define sorted_count_up_to(array, n, member, limit)                                                                    \
    ({                                                                                                                 \
        size_t vector_lo = 0, vector_hi = (n);                                                                         \
        while (vector_lo < vector_hi) {                                                                                \
            size_t vector_middle = vector_lo + (vector_hi - vector_lo) / 2;                                            \
            if ((array)[vector_middle].member <= (limit))                                                              \
                vector_lo = vector_middle + 1;                                                                         \
            else                                                                                                       \
                vector_hi = vector_middle;                                                                             \
        }                                                                                                              \
        vector_lo;                                                                                                     \
    })

#define vector_clear(v) ((void)((v)->count = 0))

#define vector_free(v)                                                                                                 \
    do {                                                                                                               \
        free((v)->data);                                                                                               \
        (v)->data = NULL;                                                                                              \
        (v)->count = (v)->capacity = 0;                                                                                \
    } while (0)

#endif
