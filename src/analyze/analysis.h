/* SPDX-License-Identifier: MIT
 *
 * analysis.h - the static analysis of a program: all of its parts, and what is said about them.
 *
 * All that it says is *possible*: it may be impossible for reasons that the analysis does not see.
 */
#ifndef RADDLE_ANALYZE_ANALYSIS_H
#define RADDLE_ANALYZE_ANALYSIS_H

#include <stdio.h>

#include "analyze/conflicts.h"
#include "analyze/reader.h"
#include "util/error.h"
#include "util/json_writer.h"
#include "util/names.h"

struct discipline { /* a variable and the lock that most of its accesses hold */
    size_t variable;
    uint32_t lock;     /* spot */
    uint32_t with, of; /* accesses that are in pairs */
};

struct analysis {
    struct ir_program program;
    struct points *points;
    struct threads *threads;
    struct locks *locks;
    struct conflicts conflicts;
    VECTOR(struct discipline) disciplines;
    VECTOR(uint32_t) cycle_edges; /* of locks_edges: those that lie on a cycle */
    struct names without_ir;      /* files of the program without IR, and why */
    char *name;                   /* of the program; NULL */
};

/* Reads the inputs and analyses them.  `without_ir` is taken over. */
bool analysis_make(struct analysis *analysis, const struct reader_input *inputs, size_t count, struct names *without_ir,
                   struct error *error);
void analysis_free(struct analysis *analysis);

/* Texts for what the analysis speaks of are appended. */
void analysis_name_spot(const struct analysis *analysis, uint32_t object, uint64_t offset, struct buffer *out);
void analysis_name_variable(const struct analysis *analysis, const struct conflict_variable *variable,
                            struct buffer *out);
void analysis_name_class(const struct analysis *analysis, uint32_t class, struct buffer *out);
const struct ir_place *analysis_place(const struct analysis *analysis, uint32_t op);

/* The places of a pair in the language of patterns. */
void analysis_pattern(const struct analysis *analysis, const struct conflict_pair *pair, struct buffer *out);

enum { ANALYSIS_SHORT = 20 };
/* `most`: so many items of each kind; 0: all. */
void analysis_print(const struct analysis *analysis, size_t most, FILE *to);
void analysis_json(const struct analysis *analysis, struct json_writer *json);

#endif
