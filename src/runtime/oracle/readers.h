/* SPDX-License-Identifier: MIT
 *
 * readers.h - the reads of a word that many tasks read and none has written since: the last one of each task, found by the task's number.
 *
 * Such a word would have a past access per task in its record, and each read would look at all of them.  Only whole words are here.
 */
#ifndef RADDLE_READERS_H
#define RADDLE_READERS_H

#include "runtime/oracle/race.h"

enum { READERS_MANY = 12 }; /* past accesses from which on a record has readers */

/* The read of this task; made (with mask 0) if there is none. */
struct past_access *readers_slot(struct readers *readers, uint32_t task);
/* Takes the plain reads of whole words out of the record. */
void readers_fold(struct record *record);
/* Calls `put` for each read, by number of the task, and frees them. */
void readers_unfold(struct readers *readers, void (*put)(void *context, struct past_access past), void *context);

#endif
