/* SPDX-License-Identifier: MIT
 *
 * variable_cache.h - the variables of modules, kept in files from one command to the next.
 *
 * DESIGN
 *   To list the variables of a module all of its debug information is read: 8 ms per MB.  Of a module that has much of it and a build
 *   id, the list is kept in a file with that id as its name, below $RADDLE_CACHE, else $XDG_CACHE_HOME/raddle, else ~/.cache/raddle; `off`
 *   in RADDLE_CACHE switches this off.  Campaigns that run at the same time share the files: they are written whole, under another name,
 *   and renamed.  A file that is damaged, or not of this module, is as good as none, and is replaced.  The oldest files are removed.
 *
 *   What a file has only saves time: results are the same with it and without.
 */
#ifndef RADDLE_TRACE_VARIABLE_CACHE_H
#define RADDLE_TRACE_VARIABLE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/module.h"
#include "util/buffer.h"
#include "util/vector.h"

/* Must change with what variable.c lists, and how it names it. */
enum { VARIABLE_CACHE_VERSION = 1 };

struct cached_variable {
    uint64_t address, size;
    uint64_t type; /* offset of its type's entry in the debug information */
    const char *name;
    bool thread_local;
};

struct cached_variables {
    VECTOR(struct cached_variable) list;
    struct buffer file; /* has the names, if they were read from a file */
};

/* What the file of this module has.  False: there is none that can be used, or the module is not one of those that have a file. */
bool variable_cache_read(const struct module *module, struct cached_variables *variables);
/* Keeps it, if the module is one of those that have a file, and the file can be written. */
void variable_cache_write(const struct module *module, const struct cached_variables *variables);
/* Whether there may be a file of this module. */
bool variable_cache_has(const struct module *module);
void cached_variables_free(struct cached_variables *variables);

/* The content of a file.  What is not the list of a module with this identity is refused.  Takes over the file in any case. */
void variable_cache_format(const struct module_identity *identity, const struct cached_variables *variables,
                           struct buffer *file);
bool variable_cache_parse(const struct module_identity *identity, struct buffer *file,
                          struct cached_variables *variables);

#endif
