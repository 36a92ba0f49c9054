/* SPDX-License-Identifier: MIT
 *
 * header.c - see header.h.
 */
#include "generate/header.h"

#include <dlfcn.h>

#include "util/file.h"
#include "util/paths.h"

static api_reader *load_reader(struct error *error)
{
    struct paths paths;
    if (!paths_find(&paths, error))
        return NULL;
    void *library = dlopen(paths.header_reader, RTLD_NOW | RTLD_LOCAL);
    void *function = library != NULL ? dlsym(library, API_READER_SYMBOL) : NULL;
    if (function == NULL && !file_exists(paths.header_reader))
        error_set(
            error, EXIT_UNSUPPORTED,
            "this raddle was built without libclang, which reads headers: install libclang-dev and build it again");
    else if (function == NULL)
        error_set(error, EXIT_UNSUPPORTED, "%s cannot be loaded: %s", paths.header_reader, dlerror());
    paths_free(&paths);
    return (api_reader *)function;
}

bool header_read(const char *path, bool plus, char *const *flags, int flag_count, struct api *api, struct error *error)
{
    char text[900] = "";
    api_reader *read = load_reader(error);
    if (read == NULL)
        return false;
    return read(path, plus, flags, flag_count, api, text, sizeof text) ||
           error_set(error, EXIT_USAGE, "the header does not parse: %s", text);
}
