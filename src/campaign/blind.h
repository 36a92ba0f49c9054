/* SPDX-License-Identifier: MIT
 *
 * blind.h - what the program has that raddle does not see: libraries of the project's own that are not instrumented, and pieces of
 * assembler that are not understood (asm/filter.h names them in the files).
 */
#ifndef RADDLE_CAMPAIGN_BLIND_H
#define RADDLE_CAMPAIGN_BLIND_H

#include <stdbool.h>

#include "util/vector.h"
#include "wire/wire_check.h"

struct blind {                /* all zero is the beginning */
    VECTOR(char *) libraries; /* paths */
    VECTOR(char *) assembler; /* "FUNCTION at FILE:LINE: INSTRUCTION", each once */
};

/* Looks at what was loaded.  Libraries are not of interest if the program itself is not instrumented (--preload). */
void blind_look(struct blind *blind, const struct wire_modules *modules);
/* Takes over what a section of a file says, which may be anything. */
void blind_read_notes(struct blind *blind, const char *bytes, size_t size);
/* Whether a library is one of the system's, by its path: nothing that a project would build again. */
bool blind_is_system(const char *path);
void blind_free(struct blind *blind);

#endif
