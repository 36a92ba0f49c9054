/* SPDX-License-Identifier: MIT
 *
 * reopen.c - opens a saved failure to run it again.
 */
#include "control/reopen.h"

#include <stdlib.h>

#include "control/program.h"
#include "util/file.h"

#define OUTPUT_KEPT ((uint64_t)64 << 20)

static bool take_input(struct reopened *opened, struct error *error)
{
    char *path = file_join(opened->failure.path, "stdin");
    bool good = true;
    if (file_exists(path))
        good = input_from_file(&opened->input, path, error);
    free(path);
    return good;
}

bool reopen(struct reopened *opened, const char *directory, char **command, int64_t hang_after, uint32_t head_flags,
            struct error *error)
{
    struct failure *failure = &opened->failure;
    struct server_setup *setup = &opened->setup;
    opened->input.file = -1;
    if (!failure_read(failure, directory, error))
        return false;
    if (failure->preload && !paths_find(&opened->paths, error))
        return false;
    /* A command line from the user is relative to the current directory. */
    bool there = command[0] == NULL && failure->directory != NULL && file_is_directory(failure->directory);
    setup->directory = there ? failure->directory : NULL;
    setup->command = command[0] != NULL ? command : failure->command;
    opened->path = program_find(setup->command[0], setup->directory, failure->preload, error);
    if (opened->path == NULL || !take_input(opened, error))
        return false;
    setup->path = opened->path;
    setup->preload = failure->preload ? opened->paths.preload : NULL;
    setup->input = &opened->input;
    setup->keep_first = setup->keep_last = OUTPUT_KEPT;
    setup->hang_after = hang_after;
    setup->head_flags = head_flags;
    opened->trial = (struct trial){
        .server = &opened->server,
        .symbols = &opened->symbols,
        .oracle = &opened->oracle,
        .full_events = failure->full_events,
        .key = failure->key,
    };
    return server_start(&opened->server, setup, error) &&
           rerun_oracle(&opened->oracle, failure, &opened->server, error);
}

void reopen_close(struct reopened *opened)
{
    if (opened->server.setup != NULL)
        server_stop(&opened->server);
    server_symbols_close(&opened->symbols);
    oracle_close(&opened->oracle);
    input_close(&opened->input);
    paths_free(&opened->paths);
    failure_free(&opened->failure);
    free(opened->path);
}
