/* SPDX-License-Identifier: MIT
 *
 * paths.c - finds the files that belong to this raddle.
 */
#include "util/paths.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"
#include "util/memory.h"

/* The directory of path, freed by the caller. */
static char *parent_directory(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return memory_copy_string(".");
    if (slash == path)
        return memory_copy_string("/");
    return memory_format("%.*s", (int)(slash - path), path);
}

static bool take_if_there(struct paths *paths, const char *library, const char *include)
{
    char *runtime = file_join(library, "raddle_rt.o");
    if (access(runtime, R_OK) != 0) {
        free(runtime);
        return false;
    }
    paths->runtime = runtime;
    paths->symbols = file_join(library, "raddle.syms");
    paths->specs = file_join(library, "raddle.specs");
    paths->assembler = file_join(library, "as");
    paths->preload = file_join(library, "libraddle_preload.so");
    paths->gdb_script = file_join(library, "raddle_gdb.py");
    paths->reader = file_join(library, "raddle_llvm.so");
    paths->header_reader = file_join(library, "raddle_clang.so");
    paths->library = memory_copy_string(library);
    paths->include = memory_copy_string(include);
    return true;
}

bool paths_find(struct paths *paths, struct error *error)
{
    memset(paths, 0, sizeof *paths);
    paths->executable = realpath("/proc/self/exe", NULL);
    if (paths->executable == NULL)
        return error_set(error, EXIT_UNSUPPORTED, "/proc is not mounted, so raddle cannot find its own files");

    char *directory = parent_directory(paths->executable);
    char *prefix = parent_directory(directory);
    char *built = file_join(directory, "lib"), *built_include = file_join(directory, "include");
    char *installed = file_join(prefix, "lib/raddle"), *installed_include = file_join(prefix, "include");
    bool found = take_if_there(paths, built, built_include) || take_if_there(paths, installed, installed_include);
    if (!found) {
        error_set(
            error, EXIT_USAGE,
            "raddle's runtime is missing: there is no raddle_rt.o in %s nor in %s; run 'make', or install raddle again",
            built, installed);
        paths_free(paths);
    }
    free(directory);
    free(prefix);
    free(built);
    free(built_include);
    free(installed);
    free(installed_include);
    return found;
}

void paths_free(struct paths *paths)
{
    free(paths->executable);
    free(paths->runtime);
    free(paths->symbols);
    free(paths->specs);
    free(paths->assembler);
    free(paths->preload);
    free(paths->gdb_script);
    free(paths->reader);
    free(paths->header_reader);
    free(paths->library);
    free(paths->include);
    memset(paths, 0, sizeof *paths);
}
