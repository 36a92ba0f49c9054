/* SPDX-License-Identifier: MIT
 *
 * code.h - C code that makes calls of a module: for the programs that raddle gen builds, and for the tests that it writes.
 */
#ifndef RADDLE_GENERATE_CODE_H
#define RADDLE_GENERATE_CODE_H

#include "generate/api.h"
#include "util/buffer.h"
#include "wire/wire_generate.h"

/* How things are called in the code. */
struct code {
    const struct api *api;
    uint32_t subject;     /* the record whose object the threads share */
    const char *slots;    /* what the results are assigned to, for example "call->results" */
    const char *identity; /* functions: of an address, of bytes, of a real number */
    const char *content;
    const char *bits;
    int indent;
};

/* What one slot of a function is: "result", or the name of a parameter; NULL: there is no such slot. */
char *code_slot_name(const struct api *api, const struct api_function *function, unsigned slot);
unsigned code_slot_count(const struct api *api, const struct api_function *function);
/* How many values a parameter may have; 0: it has none to choose from. */
unsigned code_choices(const struct api_param *param);

/* Statements that make the call: `arguments` has an expression for each parameter with values, NULL for the others. */
void code_call(const struct code *code, struct buffer *text, uint32_t function, const char *const *arguments);
/* Statements after which `object` is a new object, or NULL. */
void code_construct(const struct code *code, struct buffer *text, uint32_t function, const char *const *arguments,
                    const char *object);
/* Functions and variables that these expressions use. */
void code_helpers(const struct code *code, struct buffer *text, const api_texts *expressions);
/* "struct queue *" */
char *code_object_type(const struct api *api, uint32_t record);
/* The whole source of gen_module_call() (wire_generate.h). */
void code_module(const struct api *api, uint32_t subject, const char *const *headers, size_t header_count,
                 struct buffer *text);

#endif
