/* SPDX-License-Identifier: MIT
 *
 * memo_options.h - the actions and options of `raddle memo`.
 */
#ifndef RADDLE_CLI_MEMO_OPTIONS_H
#define RADDLE_CLI_MEMO_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"
#include "util/vector.h"

struct memo_options {
    const char *family, *state, *output;
    bool json, check, largest, given_up, help;
    uint64_t limit, builds_but, give_up;
    int64_t older_than, wait;   /* nanoseconds; older_than is -1 if not given */
    VECTOR(const char *) words; /* words that are not options */
};

enum memo_action { MEMO_SHOW, MEMO_MERGE, MEMO_PRUNE, MEMO_EXPORT, MEMO_IMPORT, MEMO_ACTION_COUNT };

struct memo_action_entry {
    const char *name, *arguments, *help;
    size_t least, most; /* words */
};
extern const struct memo_action_entry memo_actions[MEMO_ACTION_COUNT];

/* Reads argv[1…], the words after the action.  Freed by memo_options_free, also after an error. */
bool memo_options_read(struct memo_options *options, enum memo_action action, int argc, char **argv,
                       struct error *error);
void memo_options_free(struct memo_options *options);
void memo_options_print_help(void);
/* For the shell: actions and options, one per line. */
void memo_options_print_words(void);

#endif
