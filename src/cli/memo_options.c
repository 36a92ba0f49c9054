/* SPDX-License-Identifier: MIT
 *
 * memo_options.c - the actions and options of `raddle memo`, as two tables.
 */
#include "cli/memo_options.h"

#include <stdio.h>
#include <string.h>

#include "campaign/options.h"
#include "memo/memo.h"
#include "util/clock.h"

const struct memo_action_entry memo_actions[MEMO_ACTION_COUNT] = {
    [MEMO_SHOW] = {"show", "MEMO", "what is covered, still open, given up and impossible, per family", 1, 1},
    [MEMO_MERGE] = {"merge", "INTO FROM...", "add other memos, of other machines perhaps, to one", 2, SIZE_MAX},
    [MEMO_PRUNE] = {"prune", "MEMO", "forget what is old, of old builds, or was given up", 1, 1},
    [MEMO_EXPORT] = {"export", "MEMO", "write all of it as JSON", 1, 1},
    [MEMO_IMPORT] = {"import", "INTO FILE", "read what export wrote (- is standard input)", 2, 2},
};

enum { SHOW = 1 << MEMO_SHOW, MERGE = 1 << MEMO_MERGE, PRUNE = 1 << MEMO_PRUNE, EXPORT = 1 << MEMO_EXPORT };
enum { IMPORT = 1 << MEMO_IMPORT, ALL = (1 << MEMO_ACTION_COUNT) - 1 };

struct memo_option {
    const char *name;
    int actions;
    enum option_type type;
    size_t offset;
    const char *argument, *help;
};

static const struct memo_option entries[] = {
#define FIELD(member) offsetof(struct memo_options, member)
    {"family", SHOW, OPTION_TEXT, FIELD(family), "NAMES", "only these families: idiom, map.7, race, ..."},
    {"state", SHOW, OPTION_TEXT, FIELD(state), "STATE",
     "list only what is covered, open, given-up or impossible [all]"},
    {"limit", SHOW, OPTION_NUMBER, FIELD(limit), "N", "list at most N of each state; 0 lists all [20]"},
    {"json", SHOW, OPTION_FLAG, FIELD(json), NULL, "as JSON"},
    {"check", SHOW, OPTION_FLAG, FIELD(check), NULL, "look through the whole file for damage first"},
    {"give-up", SHOW | PRUNE, OPTION_NUMBER, FIELD(give_up), "N", "failed attempts after which one is given up [6]"},
    {"largest", MERGE | IMPORT, OPTION_FLAG, FIELD(largest), NULL,
     "take the larger of two counts, not the sum: for memos that share campaigns"},
    {"older-than", PRUNE, OPTION_DURATION, FIELD(older_than), "TIME", "forget what was last seen before: 30d, 12h"},
    {"builds-but", PRUNE, OPTION_NUMBER, FIELD(builds_but), "N", "forget what the last N builds have not shown"},
    {"given-up", PRUNE, OPTION_FLAG, FIELD(given_up), NULL, "forget what was given up, so that it is tried again"},
    {"output", EXPORT, OPTION_TEXT, FIELD(output), "FILE", "write to this file, not to standard output"},
    {"wait", ALL, OPTION_DURATION, FIELD(wait), "TIME", "how long to wait for a file that others have locked [10s]"},
#undef FIELD
};
enum { ENTRY_COUNT = sizeof entries / sizeof entries[0] };

static const struct memo_option *find_entry(const char *name, size_t length, enum memo_action action)
{
    for (int i = 0; i < ENTRY_COUNT; i++)
        if ((entries[i].actions & 1 << action) && strlen(entries[i].name) == length &&
            memcmp(entries[i].name, name, length) == 0)
            return &entries[i];
    return NULL;
}

static bool assign(struct memo_options *options, const struct memo_option *entry, const char *value,
                   struct error *error)
{
    void *field = (char *)options + entry->offset;
    switch (entry->type) {
    case OPTION_NUMBER:
        return options_parse_number(value, field) ||
               error_set(error, EXIT_USAGE, "--%s needs a number, not '%s'", entry->name, value);
    case OPTION_DURATION:
        return options_parse_duration(value, field) ||
               error_set(error, EXIT_USAGE, "--%s needs a time such as 10s, 12h or 30d, not '%s'", entry->name, value);
    case OPTION_TEXT:
        *(const char **)field = value;
        return true;
    default:
        *(bool *)field = true;
        return true;
    }
}

/* One option, and its value: after "=", or the next word. */
static bool read_option(struct memo_options *options, enum memo_action action, int argc, char **argv, int *next,
                        struct error *error)
{
    const char *word = argv[(*next)++];
    size_t length = strcspn(word, "=");
    const struct memo_option *entry = length > 2 && word[1] == '-' ? find_entry(word + 2, length - 2, action) : NULL;
    if (entry == NULL)
        return error_set(error, EXIT_USAGE, "raddle memo %s has no option '%s'; 'raddle memo --help' lists them",
                         memo_actions[action].name, word);
    const char *value = word[length] == '=' ? word + length + 1 : NULL;
    if (entry->type == OPTION_FLAG && value != NULL)
        return error_set(error, EXIT_USAGE, "--%s takes no value", entry->name);
    if (entry->type != OPTION_FLAG && value == NULL) {
        if (*next >= argc)
            return error_set(error, EXIT_USAGE, "--%s needs a value after it", entry->name);
        value = argv[(*next)++];
    }
    return assign(options, entry, value, error);
}

static bool check_words(const struct memo_options *options, enum memo_action action, struct error *error)
{
    const struct memo_action_entry *entry = &memo_actions[action];
    if (options->words.count >= entry->least && options->words.count <= entry->most)
        return true;
    return error_set(error, EXIT_USAGE, "raddle memo %s needs %s words: raddle memo %s [OPTIONS] %s", entry->name,
                     options->words.count < entry->least ? "more" : "fewer", entry->name, entry->arguments);
}

bool memo_options_read(struct memo_options *options, enum memo_action action, int argc, char **argv,
                       struct error *error)
{
    *options = (struct memo_options){
        .limit = 20, .give_up = MEMO_GIVE_UP, .older_than = -1, .wait = 10 * CLOCK_SECOND, .state = "all"};
    bool words_only = false;
    for (int next = 1; next < argc;) {
        const char *word = argv[next];
        if (words_only || word[0] != '-' || word[1] == '\0') {
            vector_push(&options->words, word);
            next++;
        } else if (strcmp(word, "--") == 0) {
            words_only = true;
            next++;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            options->help = true;
            return true;
        } else if (!read_option(options, action, argc, argv, &next, error)) {
            return false;
        }
    }
    return check_words(options, action, error);
}

void memo_options_free(struct memo_options *options)
{
    vector_free(&options->words);
}

void memo_options_print_help(void)
{
    puts(
        "usage: raddle memo ACTION [OPTIONS] MEMO...\n"
        "\n"
        "Looks into what raddle remembers about a program across campaigns.  MEMO is a file, or a program: then it is\n"
        "raddle.out/PROGRAM/memo.db.\n");
    for (int i = 0; i < MEMO_ACTION_COUNT; i++)
        printf("  %s %-*s  %s\n", memo_actions[i].name, (int)(20 - strlen(memo_actions[i].name)),
               memo_actions[i].arguments, memo_actions[i].help);
    puts("");
    for (int i = 0; i < ENTRY_COUNT; i++) {
        char left[32], of[64] = "";
        snprintf(left, sizeof left, "--%s %s", entries[i].name, entries[i].argument ? entries[i].argument : "");
        for (int action = 0; action < MEMO_ACTION_COUNT && entries[i].actions != ALL; action++)
            if (entries[i].actions & 1 << action)
                snprintf(of + strlen(of), sizeof of - strlen(of), "%s%s", *of != '\0' ? ", " : "",
                         memo_actions[action].name);
        printf("  %-20s   %s%s%s\n", left, of, *of != '\0' ? ": " : "", entries[i].help);
    }
    puts("\n"
         "Examples:\n"
         "  raddle memo show ./bank                   # what the memo of its campaigns (raddle run --memo) knows\n"
         "  raddle memo merge all.db night1.db night2.db\n"
         "  raddle memo prune --older-than 30d all.db\n"
         "\n"
         "Exit codes: 0 done, 1 usage, or the memo cannot be used: it is missing, locked, damaged, of a newer "
         "raddle, not\n"
         "a memo, or its place cannot be written; 3 internal error.");
}

void memo_options_print_words(void)
{
    for (int i = 0; i < MEMO_ACTION_COUNT; i++)
        puts(memo_actions[i].name);
    for (int i = 0; i < ENTRY_COUNT; i++)
        printf("--%s\n", entries[i].name);
}
