/* SPDX-License-Identifier: MIT
 *
 * paths.h - finds the files that belong to this raddle.
 *
 * Two layouts:   built        DIR/raddle, DIR/lib/raddle_rt.o, DIR/include/raddle.h
 *                installed    PREFIX/bin/raddle, PREFIX/lib/raddle/raddle_rt.o, PREFIX/include/raddle.h
 */
#ifndef RADDLE_UTIL_PATHS_H
#define RADDLE_UTIL_PATHS_H

#include <stdbool.h>

#include "util/error.h"

struct paths {
    char *executable;    /* this program, links resolved */
    char *runtime;       /* raddle_rt.o: linked into programs */
    char *symbols;       /* raddle.syms: what it must export */
    char *specs;         /* raddle.specs: instrumentation for gcc */
    char *assembler;     /* directory with the program `as` that compilers are to call */
    char *preload;       /* libraddle_preload.so: for programs that were not rebuilt */
    char *gdb_script;    /* raddle_gdb.py: commands for gdb */
    char *reader;        /* raddle_llvm.so: reads LLVM IR; need not exist */
    char *header_reader; /* raddle_clang.so: reads headers; need not exist */
    char *library;       /* the directory of all these */
    char *include;       /* directory of raddle.h */
};

/* False, with a sentence, if the runtime is in neither place. */
bool paths_find(struct paths *paths, struct error *error);
void paths_free(struct paths *paths);

#endif
