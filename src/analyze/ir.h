/* SPDX-License-Identifier: MIT
 *
 * ir.h - a program as the static analysis reads it: objects, values that may be addresses, and for each function its blocks
 * with the operations that matter.
 *
 * DESIGN
 *   It is made from LLVM IR by the reader (reader.h), which is a library of its own, since loading LLVM takes longer than most
 *   commands run.  Everything after it needs no LLVM.
 *
 *   A *node* is a value that may be an address (of any type: integers may be cast addresses).  *Constraints* say how addresses
 *   flow between nodes and memory (points.h).  *Operations* say what is done, in which order (blocks).
 *
 *   An *object* is a piece of memory: a variable, or all blocks that one call of malloc gives.  Its type tells which parts of
 *   it are arrays: all elements of an array are one to the analysis (type.h).
 */
#ifndef RADDLE_ANALYZE_IR_H
#define RADDLE_ANALYZE_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/table.h"
#include "util/vector.h"

#define IR_NONE    UINT32_MAX
#define IR_UNKNOWN UINT64_MAX /* a size or an offset */

enum ir_type_kind { TYPE_PLAIN, TYPE_STRUCT, TYPE_ARRAY };

struct ir_type {
    uint8_t kind;            /* enum ir_type_kind */
    uint32_t element;        /* of an array: a type */
    uint32_t first, members; /* of a struct: its part of ir_program.members */
    uint64_t size, count;    /* bytes; elements */
};

struct ir_member {
    uint64_t offset;
    uint32_t type;
};

/* A place in the source.  Texts are numbers of ir_text. */
struct ir_place {
    uint32_t file, line, column, function;
};

enum ir_object_kind {
    OBJECT_GLOBAL,
    OBJECT_FUNCTION,
    OBJECT_LOCAL,
    OBJECT_HEAP,
    OBJECT_THREAD, /* thread-local: one for each thread */
    OBJECT_OUTSIDE /* memory of code that is not seen */
};

struct ir_object {
    uint8_t kind; /* enum ir_object_kind */
    bool constant;
    uint32_t name, type; /* type: IR_NONE: not known */
    uint64_t size;       /* IR_UNKNOWN */
    uint32_t function;   /* that it is, or (OBJECT_LOCAL, OBJECT_HEAP) that it is made in; IR_NONE */
    struct ir_place place;
};

/* X(NAME, meaning).  `a` and `b` are members of the constraint. */
#define IR_CONSTRAINTS(X)                                                                                              \
    X(ADDRESS, "to gets the address of object `from`, at offset a")                                                    \
    X(COPY, "to gets what from has")                                                                                   \
    X(OFFSET, "to gets what from has, a bytes further")                                                                \
    X(STRIDE, "to gets what from has, a bytes and any number of b bytes further")                                      \
    X(LOAD, "to gets what is in memory at from, a bytes")                                                              \
    X(STORE, "memory at to gets what from has, a bytes")                                                               \
    X(MOVE, "memory at to gets what is in memory at from, a bytes (IR_UNKNOWN: any number)")                           \
    X(COLLECT, "to gets what is anywhere in the objects of from")                                                      \
    X(SPREAD, "memory anywhere in the objects of to gets what from has")

enum ir_constraint_kind {
#define X(name, text) CONSTRAINT_##name,
    IR_CONSTRAINTS(X)
#undef X
        CONSTRAINT_KINDS
};

struct ir_constraint {
    uint8_t kind; /* enum ir_constraint_kind */
    uint32_t to, from;
    uint64_t a, b;
};

enum ir_op_kind {
    IR_READ,
    IR_WRITE,
    IR_UPDATE, /* an atomic read-modify-write */
    IR_FREE,
    IR_LOCK,
    IR_UNLOCK,
    IR_RDLOCK,
    IR_RDUNLOCK,
    IR_TRYLOCK,
    IR_WAIT, /* for a condition variable: gives back and takes the mutex `second` */
    IR_SIGNAL,
    IR_POST,    /* semaphores */
    IR_ACQUIRE, /* semaphores */
    IR_CALL,
    IR_CREATE, /* a thread: calls `call` in it */
    IR_JOIN,
    IR_JOIN_ALL, /* all threads that the operation `second` made have ended */
    IR_OP_KINDS
};

enum ir_op_flags {
    OP_ATOMIC = 1 << 0,
    OP_LIBRARY = 1 << 1, /* done by a library function: it may go over the whole object */
    OP_TEAM = 1 << 2,    /* IR_CREATE: several threads at once; IR_JOIN_ALL: they are all that are left */
    OP_TWICE = 1 << 3,   /* IR_JOIN: no join but a place to which longjmp returns */
};

struct ir_op {
    uint8_t kind, flags;
    uint32_t place;   /* number of ir_program.places */
    uint32_t pointer; /* node: what is accessed; IR_NONE */
    uint32_t second;  /* node or operation, by kind; IR_NONE */
    uint32_t call;    /* IR_CALL, IR_CREATE; IR_NONE */
    uint32_t handle;  /* IR_CREATE, IR_JOIN: the variable that has the thread's name: object, and offset; IR_NONE */
    uint64_t handle_offset;
    uint64_t size; /* of the access; IR_UNKNOWN */
};

struct ir_call {
    uint32_t callee;      /* function; IR_NONE */
    uint32_t pointer;     /* node: what is called if callee is IR_NONE */
    uint32_t first, args; /* its part of ir_program.args: nodes, or IR_NONE */
    uint32_t result;      /* node; IR_NONE */
    uint32_t function;    /* that it is in */
};

struct ir_block {
    uint32_t first, ops;
    uint32_t first_next, nexts; /* its part of ir_program.nexts: blocks */
    bool ends;                  /* the function may end here */
};

struct ir_function {
    uint32_t name;
    uint32_t first, blocks;       /* no blocks: it is not seen */
    uint32_t first_param, params; /* nodes are consecutive */
    uint32_t result, more;        /* nodes: result; arguments that have no parameter; IR_NONE */
    uint32_t object;              /* its address */
    bool starts, ends;            /* called before main (a constructor), or after it */
    struct ir_place place;
};

struct ir_program {
    VECTOR(char) text;
    struct table text_index;
    VECTOR(struct ir_type) types;
    VECTOR(struct ir_member) members;
    VECTOR(struct ir_object) objects;
    VECTOR(struct ir_constraint) constraints;
    VECTOR(struct ir_place) places;
    VECTOR(struct ir_op) ops;
    VECTOR(struct ir_call) calls;
    VECTOR(uint32_t) args;
    VECTOR(struct ir_block) blocks;
    VECTOR(uint32_t) nexts;
    VECTOR(struct ir_function) functions;
    uint32_t nodes;
    uint32_t outside;           /* object: memory of code that is not seen */
    uint32_t outside_node;      /* what that code knows */
    uint32_t main;              /* function; IR_NONE */
    uint64_t lines;             /* of source that have code */
    VECTOR(uint32_t) assembler; /* places of inline assembler */
};

void ir_open(struct ir_program *program);
void ir_free(struct ir_program *program);

/* Number of the text, the same for equal ones. */
uint32_t ir_text_add(struct ir_program *program, const char *text);
static inline const char *ir_text(const struct ir_program *program, uint32_t text)
{
    return text == IR_NONE ? "" : program->text.data + text;
}

static inline uint32_t ir_node(struct ir_program *program)
{
    return program->nodes++;
}

uint32_t ir_object_add(struct ir_program *program, const struct ir_object *object);
void ir_constrain(struct ir_program *program, enum ir_constraint_kind kind, uint32_t to, uint32_t from, uint64_t a,
                  uint64_t b);
/* Number of the place. */
uint32_t ir_place_add(struct ir_program *program, const struct ir_place *place);

#endif
