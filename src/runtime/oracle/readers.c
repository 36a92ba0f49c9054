/* SPDX-License-Identifier: MIT
 *
 * readers.c - the reads of a word that many tasks read: a table of two levels by number of the task.
 */
#include "runtime/oracle/readers.h"

enum { PART = 32, PARTS = WIRE_TASKS / PART };

struct readers {
    struct past_access *parts[PARTS];
};

struct past_access *readers_slot(struct readers *readers, uint32_t task)
{
    struct past_access **part = &readers->parts[task / PART];
    if (*part == NULL)
        *part = rt_alloc(PART * sizeof **part);
    return &(*part)[task % PART];
}

void readers_fold(struct record *record)
{
    struct readers *readers = rt_alloc(sizeof *readers);
    uint16_t kept = 0;
    for (uint32_t i = 0; i < record->count; i++) {
        struct past_access past = record->pasts[i];
        if (past.flags == ACCESS_READ && past.mask == WORD_ALL)
            *readers_slot(readers, past.task) = past;
        else
            record->pasts[kept++] = past;
    }
    record->count = kept;
    record->readers = readers;
}

void readers_unfold(struct readers *readers, void (*put)(void *context, struct past_access past), void *context)
{
    for (uint32_t i = 0; i < PARTS; i++) {
        for (uint32_t k = 0; k < PART && readers->parts[i] != NULL; k++)
            if (readers->parts[i][k].mask != 0)
                put(context, readers->parts[i][k]);
        rt_free(readers->parts[i], PART * sizeof *readers->parts[i]);
    }
    rt_free(readers, sizeof *readers);
}
