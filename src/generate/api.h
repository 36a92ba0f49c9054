/* SPDX-License-Identifier: MIT
 *
 * api.h - what a header offers: types and functions, and what each function is for.
 *
 * The reader (src/clang/) fills in what stands in the header, roles.c what it means, plan.c what the user says about it.
 */
#ifndef RADDLE_GENERATE_API_H
#define RADDLE_GENERATE_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vector.h"

#define API_NONE UINT32_MAX

enum api_kind {
    API_VOID,
    API_INTEGER,
    API_BOOL,
    API_ENUM,
    API_REAL,
    API_TEXT,     /* const char * */
    API_ITEM,     /* void *, const void * */
    API_HANDLE,   /* pointer to a record */
    API_RECORD,   /* a record by value */
    API_POINTER,  /* to what is in `to` */
    API_CALLBACK, /* pointer to a function */
    API_OTHER
};

struct api_type {
    enum api_kind kind;
    char *spelling;             /* in C */
    bool is_const;              /* pointers: what they point to */
    bool is_signed;             /* integers */
    unsigned bits;              /* integers */
    uint32_t record;            /* API_HANDLE, API_RECORD */
    uint32_t enumeration;       /* API_ENUM */
    struct api_type *to;        /* API_POINTER; API_CALLBACK: the result */
    struct api_type *arguments; /* API_CALLBACK */
    size_t argument_count;
};

typedef VECTOR(char *) api_texts;

struct api_param {
    char *name;
    struct api_type type;
    /* roles.c: */
    uint32_t length;    /* a pointer to several: the parameter that says how many; API_NONE: to one */
    uint32_t length_of; /* it is the length of this parameter */
    api_texts values;   /* C expressions */
    bool own_values;    /* from the plan */
};

enum api_role {
    ROLE_NONE, /* nothing to do with the object */
    ROLE_CREATE,
    ROLE_DESTROY,
    ROLE_CALL,
    ROLE_NEVER,
    ROLE_INVARIANT, /* called after each run; its result says whether the object is sound */
    ROLE_COUNT
};

enum api_fails { FAILS_NEVER, FAILS_NULL, FAILS_NEGATIVE, FAILS_NONZERO, FAILS_ZERO, FAILS_COUNT };

struct api_function {
    char *name;
    struct api_type result;
    VECTOR(struct api_param) params;
    bool variadic;
    bool method, constructor, destructor; /* of a class; the object is no parameter */
    uint32_t record;                      /* of a method; roles.c: whose object it is about */
    unsigned line;
    /* roles.c and plan.c: */
    enum api_role role;
    char *why;             /* ROLE_NEVER: the reason; NULL: none was given */
    enum api_fails fails;  /* how a constructor says that it failed */
    uint32_t object_param; /* the first parameter that is the object; API_NONE: none */
    bool in_place;         /* a constructor: the memory of the object is the caller's */
    bool once;             /* in a test, at most once */
    bool one_thread;       /* in a test, only in the first thread */
    char *after;           /* only after a call of this function; NULL: always */
    bool no_compare;       /* its results are not compared */
};

struct api_record {
    char *spelling; /* "struct queue", "queue_t" */
    bool complete, is_class, abstract;
    api_texts fields;  /* names of all fields, of nested ones too: "a.b" */
    bool plain_fields; /* all of them are numbers */
};

struct api_enum {
    char *spelling;
    api_texts names;
};

struct api {
    bool plus; /* C++ */
    VECTOR(struct api_record) records;
    VECTOR(struct api_enum) enums;
    VECTOR(struct api_function) functions;
};

void api_free(struct api *api);
void api_type_free(struct api_type *type);
void api_texts_free(api_texts *texts);
void api_texts_add(api_texts *texts, const char *text);
/* The function of this name; API_NONE. */
uint32_t api_find(const struct api *api, const char *name);

/* The reader: fills an empty api with what stands in the file itself.  `flags` are the compiler's.  False: `error` (of `room` bytes) has a sentence. */
typedef bool api_reader(const char *header, bool plus, char *const *flags, int flag_count, struct api *api, char *error,
                        size_t room);
#define API_READER_SYMBOL "raddle_read_header"

#endif
