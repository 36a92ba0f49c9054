/* SPDX-License-Identifier: MIT
 *
 * symbols.h - addresses of the program under test → functions, source lines, variables and their fields.
 *
 * DESIGN
 *   Everything is looked up relative to the load bias of its module, and nothing that is returned holds a path of this
 *   machine or an address: the same program at another load address, or linked again in another directory, gives the
 *   same texts.  (`site.path` is the one exception: it is for opening the source, never for a log.)
 *
 *   Debug information is read at the first query for a module.  Missing, stripped or unreadable files are not an error:
 *   the result is then less precise (symbol+offset, module+offset).
 */
#ifndef RADDLE_TRACE_SYMBOLS_H
#define RADDLE_TRACE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

struct symbols;

/* A place in the code.  All texts are owned by the symbols; none is NULL except `path`. */
struct site {
    const char *function;      /* "withdraw", "bank::account::add"; "" if unknown */
    const char *file;          /* as given at compile time: relative, or only the last component; "" if unknown */
    const char *path;          /* where the source was when it was compiled; NULL if unknown */
    const char *module;        /* last component of the module's path; "" if the pc is in no module */
    const char *where;         /* for people: "bank.c:18"; without lines "function+0x1c" or "module+0x11c9" or "?" */
    const char *exact;         /* for logs: "bank.c:18:7", else as `where` */
    uint32_t line, column;     /* 0 if unknown */
    bool instrumented;         /* application code, compiled with raddle */
    bool own;                  /* raddle's runtime inside the program */
    const struct site *caller; /* the place that this function was inlined into; NULL if it was not inlined */
};

/* How the value of a variable reads. */
enum value_type {
    VALUE_UNKNOWN,
    VALUE_SIGNED,
    VALUE_UNSIGNED,
    VALUE_BOOLEAN,
    VALUE_CHARACTER,
    VALUE_FLOAT,
    VALUE_POINTER,
    VALUE_ENUM,
};

/* What a pointer may point to: a structure, union or class, or a single number, pointer or enumeration. */
struct structure {
    const char *name;      /* "struct node", "bank::account"; a typedef's if it has none of its own */
    uint64_t size;         /* never 0 */
    bool scalar;           /* a number, pointer or enumeration */
    const char *signature; /* all of its members: structures with equal signatures are the same */
    const void *detail;    /* for symbols_member */
};

struct variable {
    const char *name;               /* "balance", "table[3].next", "worker::calls" for a static of a function */
    uint64_t offset;                /* bytes into what `name` stands for; 0 normally */
    uint64_t size;                  /* of what `name` stands for; 0 unknown */
    enum value_type type;           /* of what `name` stands for */
    bool partial;                   /* only some bytes of a number or pointer; then the type is VALUE_UNKNOWN */
    uint32_t pointed;               /* size of what a pointer points to; 0 unknown */
    const void *detail;             /* for symbols_enumerator */
    const struct structure *target; /* what a pointer points to, if that is known; else NULL */
};

/* Copies what it needs of `modules`.  Never NULL. */
struct symbols *symbols_open(const struct wire_module *modules, uint32_t count);
void symbols_close(struct symbols *symbols);

/* Where the call that returns to `pc` is.  Never NULL. */
const struct site *symbols_site(struct symbols *symbols, uint64_t pc);

/* Where the function that begins at `pc` is (start routines, function pointers).  Never NULL. */
const struct site *symbols_function(struct symbols *symbols, uint64_t pc);

/* The text of the source line, without the white space around it; NULL if the source is not there.  Owned by the
   symbols. */
const char *symbols_source(struct symbols *symbols, const struct site *site);

/* The global or static variable that holds the `size` bytes at `address` (0: only the place counts).  False if the
   address is in no module's data.  The texts are owned by the symbols. */
bool symbols_variable(struct symbols *symbols, uint64_t address, uint32_t size, struct variable *variable);

/* Where a thread with this thread pointer has the program's thread-local variables.  False if there are none. */
bool symbols_thread_block(const struct symbols *symbols, uint64_t thread_pointer, uint64_t *lo, uint64_t *hi);

/* The thread-local variable at `address`, seen from a thread whose thread pointer is `thread_pointer`. */
bool symbols_thread_local(struct symbols *symbols, uint64_t thread_pointer, uint64_t address, uint32_t size,
                          struct variable *variable);

/* The local variable or parameter at `address` in this frame. */
bool symbols_local(struct symbols *symbols, const struct wire_frame *frame, uint64_t address, uint32_t size,
                   struct variable *variable);

/* What a local variable or parameter that is in scope at the call that returns to `pc` points to, of all structures that have this
   size.  NULL: there is none, or there are several. */
const struct structure *symbols_pointed(struct symbols *symbols, uint64_t pc, uint64_t size);

/* The member of a structure that holds the `size` bytes at an offset that is in it, as a variable whose name begins with the
   dot: ".next", ".table[3].left"; "" if it is not one member. */
void symbols_member(struct symbols *symbols, const struct structure *structure, uint64_t offset, uint32_t size,
                    struct variable *variable);

/* Internal to trace: all modules; the one that has this code, NULL: none. */
struct module;
struct module *symbols_modules(struct symbols *symbols, uint32_t *count);
struct module *symbols_module_of_code(struct symbols *symbols, uint64_t address);

/* Name of an enumeration's value; NULL if it has none. */
const char *symbols_enumerator(struct symbols *symbols, const struct variable *variable, uint64_t value);

/* Whether the address lies in the code, or anywhere, of a module. */
bool symbols_is_code(const struct symbols *symbols, uint64_t address);
bool symbols_is_module(const struct symbols *symbols, uint64_t address);
/* Whether it lies in a module that was compiled with raddle, and where: the number of the module, and the address as in its file. */
bool symbols_module_offset(const struct symbols *symbols, uint64_t address, uint64_t *module, uint64_t *offset);

#endif
