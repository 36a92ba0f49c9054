/* SPDX-License-Identifier: MIT
 *
 * atomic_sets.h - what is assumed to belong together in a program: which memory must be consistent as a whole, and which functions keep
 * it so.
 *
 * DESIGN
 *   It is read from the debug information.
 *
 *   *Atomic sets*: an object of a structure or class T (a global or static variable, a variable on a stack, a heap block, each element of an array
 *   of them), if some function is a unit of work for T; and all other static variables of a file together.
 *
 *   *Units of work*: for the objects of T, calls of functions with a pointer or reference to T or to a part of T (a member or base that is itself a
 *   structure), methods of T included; for the static variables of a file, calls of its external functions.
 *   The outermost call on a stack counts (units.h).
 *
 *   No sets are types of system headers, unions, and closures.  No units are main, functions in which RADDLE_NOT_A_UNIT stands, functions of
 *   system headers, and what the compiler has inlined.
 *
 *   A file of the user may say otherwise, a word and a name per line ("#" begins a comment):
 *     unit FUNCTION        is a unit for all sets
 *     no-unit FUNCTION     is none
 *     set TYPE             objects of the type are sets even where their members are guarded by different locks; or FILE
 *     no-set TYPE          objects of the type are no sets; or FILE, for its static variables
 *     benign FUNCTION      violations in which a unit is a call of it are counted, and not printed
 */
#ifndef RADDLE_TRACE_ATOMIC_SETS_H
#define RADDLE_TRACE_ATOMIC_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/symbols.h"
#include "util/error.h"

/* ---- what the user says ------------------------------------------------------------------------------------------ */

enum assumption { ASSUME_UNIT, ASSUME_NO_UNIT, ASSUME_SET, ASSUME_NO_SET, ASSUME_BENIGN, ASSUMPTIONS };

struct assumptions; /* NULL: none */

/* NULL and an error: the file cannot be read, or a line is wrong. */
struct assumptions *assumptions_read(const char *path, struct error *error);
/* The same from a text; `name` is for errors. */
struct assumptions *assumptions_parse(const char *name, const char *text, struct error *error);
/* The text that was read. */
const char *assumptions_text(const struct assumptions *assumptions);
bool assumptions_have(const struct assumptions *assumptions, enum assumption what, const char *name);
void assumptions_free(struct assumptions *assumptions);

/* ---- what is assumed --------------------------------------------------------------------------------------------- */

struct atomic_sets;

/* A kind of atomic sets: the objects of a type, or the static variables of a file. */
struct set_kind {
    const char *name; /* "struct account", "bank::account", "cache.c" */
    uint64_t size;    /* of an object; 0: the variables of a file */
    bool is_file;
    bool flexible;   /* its last member is an array without a size */
    bool is_used;    /* there is a unit for it */
    bool is_refused; /* it is no set, the user says */
    bool is_wanted;  /* it is one, the user says */
    bool known;      /* its size is */
    const char *file;
    unsigned line; /* where the type is declared; 0: not known */
};

struct set_function {
    const char *name, *file;
    unsigned line;
    bool is_external, is_main, is_library, is_refused, is_wanted; /* refused, wanted: the user says so */
    bool is_benign;
};

/* Of the modules of these symbols that were compiled with raddle.  Both must stay valid. */
struct atomic_sets *atomic_sets_open(struct symbols *symbols, const struct assumptions *assumptions);
void atomic_sets_close(struct atomic_sets *sets);

size_t atomic_sets_kind_count(const struct atomic_sets *sets);
const struct set_kind *atomic_sets_kind(const struct atomic_sets *sets, uint32_t kind); /* from 1 */
size_t atomic_sets_function_count(const struct atomic_sets *sets);
const struct set_function *atomic_sets_function(const struct atomic_sets *sets, uint32_t function); /* from 1 */

/* The function that the code at this address (not a return address) is in; 0: not known. */
uint32_t atomic_sets_function_at(struct atomic_sets *sets, uint64_t address);
/* Whether the call that returns to this address is in code of the program itself, also where that was inlined into a function of a library. */
bool atomic_sets_is_own_place(struct atomic_sets *sets, uint64_t address);
/* Whether its calls are units of work for the sets of that kind.  Kind 0: any set that the program has named. */
bool atomic_sets_is_unit(const struct atomic_sets *sets, uint32_t function, uint32_t kind);
/* The kind of a heap block of that many bytes (of `elements` elements), as a function that accesses it lets assume; 0: none. */
uint32_t atomic_sets_kind_of_block(const struct atomic_sets *sets, uint32_t function, uint64_t size, uint64_t elements);

/* The atomic set that the address is in; false: none. */
struct set_place {
    uint32_t kind;
    uint64_t base;    /* of the object; of a file's variables: a number of their own */
    const char *name; /* of the variable */
};
bool atomic_sets_static(struct atomic_sets *sets, uint64_t address, struct set_place *place);
bool atomic_sets_local(struct atomic_sets *sets, const struct wire_frame *frame, uint64_t address,
                       struct set_place *place);

/* Variables of a kind that is a file, or objects of a type: calls `visit` for each. */
typedef void atomic_sets_visit(void *context, const char *variable, uint64_t elements);
void atomic_sets_each_variable(const struct atomic_sets *sets, uint32_t kind, atomic_sets_visit *visit, void *context);

/* All of it, for people.  False and an error: the program cannot be read. */
bool atomic_sets_print(FILE *out, const char *program, const struct assumptions *assumptions, struct error *error);

/* The member at an offset in an object of the kind: ".next"; "" if it is not one. */
const char *atomic_sets_member(struct atomic_sets *sets, uint32_t kind, uint64_t offset, uint32_t size);

#endif
